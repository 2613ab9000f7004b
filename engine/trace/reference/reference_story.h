// reference_story.h — the events of one path told in sentences, for --debug-pixel; silent without a
// listener.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "engine/trace/reference/reference_math.h"

namespace weft::trace::reference {

inline std::ostream& operator<<(std::ostream& out, Vec v) {
    return out << '(' << v.x << ", " << v.y << ", " << v.z << ')';
}

class Story {
public:
    // nullptr: nobody listens.
    explicit Story(std::vector<std::string>* maybe_events) : maybe_events_(maybe_events) {}

    // One sentence from its parts.
    template <typename... Part>
    void tell(const Part&... parts) {
        if (maybe_events_ != nullptr) {
            std::ostringstream sentence;
            (sentence << ... << parts);
            maybe_events_->push_back(sentence.str());
        }
    }

private:
    std::vector<std::string>* maybe_events_;
};

}  // namespace weft::trace::reference
