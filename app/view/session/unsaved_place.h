// unsaved_place.h — where a session keeps what is not saved of a scene: a file of its own, which no
// other session that still runs uses for the same scene.
//
// A file that a session left behind comes first, so that it is offered. Any thread.
#pragma once

#include <string>

namespace weft::app {

class UnsavedPlace {
public:
    // In `folder`, which is made where it is missing; empty: there is no place. Held until the
    // object or the process ends.
    UnsavedPlace(const std::string& folder, const std::string& scene);
    UnsavedPlace(const UnsavedPlace&) = delete;
    UnsavedPlace& operator=(const UnsavedPlace&) = delete;
    ~UnsavedPlace();

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    bool take(const std::string& path);

    std::string path_;
    std::string lock_path_;  // empty: nothing is locked
    int lock_ = -1;
};

}  // namespace weft::app
