// srgb_bytes.h — the byte of an sRGB-encoded display value, from a table.
//
// A live picture has a million of them, and the curve is a power in double. The table holds where
// on the linear scale each byte begins; a value too close to such a place for rounding to be
// certain takes the curve itself. Pure; any thread.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::film {

// to_byte(srgb_encode(linear)), the same byte for every value; `linear` in [0, 1].
u8 srgb_byte(double linear);

}  // namespace weft::film
