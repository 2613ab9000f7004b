// encoding.h — encodes parts into a WholeFile. For this folder's writers alone.
#pragma once

#include <span>
#include <string>

#include "engine/film/whole_file.h"
#include "engine/image/codecs.h"
#include "scheduler/base/result.h"

namespace weft::film {

// Encodes by OpenImageIO's `format`; does not commit. The encoder of EXR writes to the temporary
// name itself and does not tell of a disk that was full for its last bytes, so the caller must read
// the file back before it commits. One thread per file.
base::Status encode(WholeFile& file,
                    const std::string& format,
                    std::span<const image::EncodedPart> parts);

// The error of a file that does not read back as it was written. One that there is no memory to
// read back is committed (kind Memory): it holds the work of a render.
base::Error not_read_back(WholeFile& file, const base::Error& why);

}  // namespace weft::film
