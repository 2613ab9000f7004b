#include "app/command/size_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

namespace weft::app {

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
    const std::size_t place = std::string_view("KMGT").find(unit[0]);
    const std::string_view rest = std::string_view(unit).substr(1);
    if (place == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB")) {
        return 0;
    }
    const std::size_t shift = 10 * (place + 1);
    return number << shift >> shift == number ? number << shift : 0;
}

}  // namespace weft::app
