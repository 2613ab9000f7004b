#include "app/serve/message_reader.h"

#include <fmt/format.h>

#include "scheduler/base/ensure.h"

namespace weft::app::serve {

namespace {

u32 length_at(std::string_view bytes) {
    u32 length = 0;
    for (std::size_t k = 0; k < kLengthBytes; ++k) {
        length |= u32{static_cast<u8>(bytes[k])} << (8 * k);
    }
    return length;
}

}  // namespace

std::string framed(std::string_view text) {
    ENSURE(text.size(), <=, kMostMessageBytes);
    std::string bytes;
    bytes.reserve(kLengthBytes + text.size());
    for (std::size_t k = 0; k < kLengthBytes; ++k) {
        bytes += static_cast<char>(text.size() >> (8 * k) & 0xff);
    }
    return bytes.append(text);
}

void MessageReader::take(std::string_view bytes) {
    if (!fault_.empty()) {
        return;
    }
    bytes_.erase(0, begin_);
    begin_ = 0;
    bytes_ += bytes;
}

std::optional<std::string> MessageReader::next() {
    const std::string_view rest = std::string_view(bytes_).substr(begin_);
    if (rest.size() < kLengthBytes) {
        return std::nullopt;
    }
    const u32 length = length_at(rest);
    if (length == 0 || length > kMostMessageBytes) {
        fault_ = fmt::format("a message of {} bytes; expected 1 to {}", length, kMostMessageBytes);
        bytes_.clear();
        begin_ = 0;
        return std::nullopt;
    }
    if (rest.size() - kLengthBytes < length) {
        return std::nullopt;
    }
    begin_ += kLengthBytes + length;
    return std::string(rest.substr(kLengthBytes, length));
}

}  // namespace weft::app::serve
