// version.h — the one place that says which Weft this is.
#pragma once

namespace weft::app {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace weft::app
