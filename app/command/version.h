// version.h — the version of Weft.
#pragma once

namespace weft::app {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace weft::app
