// svg.h — the few shapes of a chart, as text of an SVG file.
//
// A file is svg_begin(), shapes, svg_end(). Positions and lengths are in pixels; y points down. The
// file contains no scripts and no fonts. Pure.
#pragma once

#include <string>

namespace weft::app {

// Begins a file with a white background.
std::string svg_begin(double width, double height);
std::string svg_end();

// `anchor` is "start", "middle" or "end". Escapes the text, so the file stays well-formed.
std::string svg_text(double x, double y, const char* anchor, const std::string& text);

std::string svg_bar(double x, double y, double width, double height, const char* colour);

std::string svg_line(double x0, double y0, double x1, double y1, const char* colour);

// A disc with a thin dark edge.
std::string svg_dot(double x, double y, double radius, const char* colour);

}  // namespace weft::app
