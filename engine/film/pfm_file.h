// pfm_file.h — Portable FloatMaps: the files that denoisers such as Open Image Denoise read and
// write.
//
// Text "PF", width, height and a negative scale (little-endian), then RGB floats row by row from
// the bottom: http://www.pauldebevec.com/Research/HDR/PFM/. OpenImageIO of Debian 12 has no PFM.
// One thread per file.
#pragma once

#include <string>

#include "engine/film/image_file.h"

namespace weft::film {

// `picture` has three channels (program error otherwise).
base::Status write_pfm(const std::string& path, const Picture& picture);

// A picture of three channels. Errors: no such file, another format, cut off, or of other bytes.
base::Result<Picture> read_pfm(const std::string& path);

}  // namespace weft::film
