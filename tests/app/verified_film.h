// verified_film.h — the film of a picture that a test's `weft` wrote, checked in the test's own
// process.
//
// `weft verify` says the same. But a start that opens a picture spends 0.3 s in the dynamic linker,
// and a test opens the image library once.
#pragma once

#include <string>

namespace weft::app::testing {

// The film hash of an EXR file: of its film if it has one, else of its header. "" if the file
// cannot be read, or if its pixels or its film differ from what its header says.
std::string verified_film_hash(const std::string& file);

// Whether pixels and film of an EXR file are those of its header.
bool is_verified(const std::string& file);

}  // namespace weft::app::testing
