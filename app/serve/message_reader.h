// message_reader.h — messages in a stream of bytes: four bytes of length, lowest first, then so
// many bytes of text.
//
// The length is checked as soon as it is there: one that no message has is a fault, after which
// nothing in the stream can be trusted. Memory grows with the bytes that have come, never with a
// length that was announced. No system calls; one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::app::serve {

inline constexpr u32 kMostMessageBytes = 1U << 20;
inline constexpr std::size_t kLengthBytes = 4;

// The text with its length in front. Text of more than kMostMessageBytes is a program error.
std::string framed(std::string_view text);

class MessageReader {
public:
    // Takes the next bytes of the stream; after a fault they are dropped.
    void take(std::string_view bytes);

    // The next whole message; none: it has not come yet, or there is a fault.
    std::optional<std::string> next();

    // The sentence on a length that no message has; empty: there is none. next() finds it.
    [[nodiscard]] const std::string& fault() const { return fault_; }

    // Whether a message has begun that is not whole.
    [[nodiscard]] bool is_inside_message() const { return begin_ < bytes_.size(); }

private:
    std::string bytes_;
    std::size_t begin_ = 0;  // of the next message in bytes_
    std::string fault_;
};

}  // namespace weft::app::serve
