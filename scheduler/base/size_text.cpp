#include "scheduler/base/size_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

namespace weft::base {

namespace {

constexpr std::string_view kUnits = "KMGT";  // powers of 1024

}  // namespace

u64 parse_size(const std::string& text) {
    u64 number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return 0;
    }
    std::string unit(end, text.data() + text.size());
    std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    if (unit.empty()) {
        return number;
    }
    const std::size_t place = kUnits.find(unit[0]);
    const std::string_view rest = std::string_view(unit).substr(1);
    if (place == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB")) {
        return 0;
    }
    const std::size_t shift = 10 * (place + 1);
    return number << shift >> shift == number ? number << shift : 0;
}

std::string size_text(u64 bytes) {
    if (bytes == 0) {
        return "";
    }
    std::size_t units = 0;
    while (units < kUnits.size() && bytes % 1024 == 0) {
        bytes /= 1024;
        ++units;
    }
    return std::to_string(bytes) + (units == 0 ? "" : std::string(1, kUnits[units - 1]));
}

}  // namespace weft::base
