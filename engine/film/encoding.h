// encoding.h — encodes parts into a WholeFile. For this folder's writers alone.
#pragma once

#include <span>
#include <string>

#include "engine/film/whole_file.h"
#include "engine/image/codecs.h"
#include "scheduler/base/result.h"

namespace weft::film {

// Encodes by OpenImageIO's `format`; does not commit. The encoder of EXR writes to the temporary
// name itself, so the caller must read the file back, which write_exr does for its hash anyway. One
// thread per file.
base::Status encode(WholeFile& file,
                    const std::string& format,
                    std::span<const image::EncodedPart> parts);

}  // namespace weft::film
