// exr_header.h — checks the headers of an OpenEXR file before the library sees them.
//
// OpenEXR allocates what the length of an attribute says, up to 2 GiB, before it reads a byte of
// it. So each length is held against the bytes of the file here, those inside lists of texts and
// previews too. OpenImageIO ends the process at a channel whose pixel type it does not know. So
// these are refused here. Reads the headers only. Any thread.
#pragma once

#include <string>

#include "engine/scene/files/picture_header.h"

namespace weft::scene {

// Why the headers cannot be read; empty for sound ones, and for a file that is no EXR. All
// other content of attributes is left to the library.
std::string exr_header_fault(const ReadBytes& file, u64 file_bytes);

// The same for the file at a path.
std::string exr_header_fault(const std::string& path);

}  // namespace weft::scene
