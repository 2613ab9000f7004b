// table_bits.h — the tables of albedo_tables.h as the build integrated them: bits of floats, one
// table after the other. write_tables.cpp writes the file that defines them.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::shaders {

extern const u32 kGgxABits[];
extern const u32 kGgxBBits[];
extern const u32 kSheenBits[];
extern const u32 kAnisotropicAlbedoBits[];
extern const u32 kGlassLossBits[];
extern const u32 kGlassMeanLossBits[];
extern const u32 kGlassAnisotropyBits[];

}  // namespace weft::shaders
