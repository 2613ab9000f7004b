// module_entry.h — the one symbol that weft-images.so exports. For codecs.cpp and the module alone.
#pragma once

#include "engine/image/codecs.h"

// Returns the codecs, which live as long as the process. The number at the end of the name is the
// version of codecs.h: increase it with each change there, in both lines, so that the program
// refuses a module of another version.
extern "C" weft::image::Codecs* weft_images_4();

namespace weft::image {

inline constexpr const char* kModuleEntry = "weft_images_4";
using ModuleEntry = decltype(weft_images_4);

}  // namespace weft::image
