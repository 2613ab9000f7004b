// reference_story.h — records the events of one path as sentences, for --debug-pixel.
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
    // nullptr: nothing is recorded.
    explicit Story(std::vector<std::string>* maybe_events) : maybe_events_(maybe_events) {}

    // Appends one sentence, made of its parts.
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
