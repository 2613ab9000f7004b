// svg.h — the few shapes that charts are drawn with, as text of an SVG file.
//
// A picture is svg_begin(), shapes, svg_end(); places and lengths are in its pixels, y downwards.
// No scripts and no fonts of its own. Pure.
#pragma once

#include <string>

namespace weft::app {

// A white page.
std::string svg_begin(double width, double height);
std::string svg_end();

// `anchor`: "start", "middle" or "end". Well-formed whatever the text is.
std::string svg_text(double x, double y, const char* anchor, const std::string& text);

std::string svg_bar(double x, double y, double width, double height, const char* colour);

std::string svg_line(double x0, double y0, double x1, double y1, const char* colour);

// A disc with a thin dark edge.
std::string svg_dot(double x, double y, double radius, const char* colour);

}  // namespace weft::app
