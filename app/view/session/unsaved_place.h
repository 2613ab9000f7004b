// unsaved_place.h — the file for a session's unsaved edits of a scene, which no other running
// session uses.
//
// Prefers a file that an ended session left behind, so that it is offered. Any thread.
#pragma once

#include <string>

namespace weft::app {

class UnsavedPlace {
public:
    // Finds a place in `folder`, and makes the folder if it is missing; empty: no place. Held until
    // the object or the process ends.
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
