#include "app/svg.h"

#include <algorithm>
#include <fmt/format.h>

namespace weft::app {

namespace {

std::string escaped(const std::string& text) {
    std::string out;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                // XML forbids control characters, even escaped: write a space.
                out += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
        }
    }
    return out;
}

}  // namespace

std::string svg_begin(double width, double height) {
    return fmt::format(
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
               "xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" "
               "fill=\"#222\">\n",
               width,
               height) +
           svg_bar(0, 0, width, height, "#fff");
}

std::string svg_end() {
    return "</svg>\n";
}

std::string svg_text(double x, double y, const char* anchor, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                       x,
                       y,
                       anchor,
                       escaped(text));
}

std::string svg_bar(double x, double y, double width, double height, const char* colour) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
        x,
        y,
        width,
        std::max(height, 0.0),
        colour);
}

std::string svg_line(double x0, double y0, double x1, double y1, const char* colour) {
    return fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
        x0,
        y0,
        x1,
        y1,
        colour);
}

std::string svg_dot(double x, double y, double radius, const char* colour) {
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"#333\" "
        "stroke-width=\"0.6\"/>\n",
        x,
        y,
        radius,
        colour);
}

}  // namespace weft::app
