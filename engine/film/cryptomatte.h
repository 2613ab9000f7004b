// cryptomatte.h — Cryptomatte 1.2.0: ids of names, ranks of a pixel, and the metadata of a file.
//
// J. Friedman and A. Jones, "Fully automatic ID mattes with support for motion blur and
// transparency", SIGGRAPH 2015 posters, and the specification 1.2.0 of Psyop. An id is the
// MurmurHash3_x86_32 of a name, made a normal float; a pixel lists ids by falling coverage, two in
// each part of four channels; the manifest leads from names to ids. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/film/aov.h"
#include "engine/film/matte_counts.h"

namespace weft::film {

class Film;

inline constexpr u32 kMatteRanks = 6;  // where --cryptomatte-ranks gives none
inline constexpr u32 kMostMatteRanks = 32;

// MurmurHash3_x86_32 with seed 0 (A. Appleby, public domain).
u32 murmur3(std::string_view bytes);

// The bits of the float that stands for a name: its hash, with an exponent of 0 or 255 made 1 or
// 254, so that it is neither zero, denormal, infinite nor NaN.
u32 matte_id(std::string_view name);

// What a layer calls a thing: the name itself with bytes that are no UTF-8 replaced by U+FFFD, for
// a manifest is JSON; "unnamed" for an empty one.
std::string matte_name(std::string_view name);

// A name that a layer of mattes may show.
struct MatteName {
    Aov layer = Aov::CryptoObject;
    std::string name;  // as of matte_name()

    auto operator<=>(const MatteName&) const = default;
};

// Sorted and without doubles.
using MatteNames = std::vector<MatteName>;

// Those whose ids the film's layers hold.
MatteNames shown_names(const Film& film, const MatteNames& names);

// Names of the parts of a layer with so many ranks: "crypto_object00", "crypto_object01", …
std::vector<std::string> matte_parts(Aov layer, u32 ranks);

// Ranks 2·part and 2·part + 1 of a pixel with so many samples: id, coverage, id, coverage. Equal
// coverages stand in the order of ids, and places without a name hold 0. `list` is sorted by the
// call.
void matte_ranks(std::vector<MatteCount>& list, u32 samples, u32 part, float* values);

// The attributes that the specification asks for: name, hash, conversion and manifest of a layer,
// under "cryptomatte/" and seven digits.
std::vector<std::pair<std::string, std::string>> matte_metadata(Aov layer, const MatteNames& names);

}  // namespace weft::film
