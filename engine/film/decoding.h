// decoding.h — opens and decodes image files with one-sentence errors. For this folder's readers
// alone.
//
// One thread per file.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "engine/image/codecs.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/result.h"

namespace weft::film {

// "PATH: FOUND; expected EXPECTED", on one line.
base::Error read_error(const std::string& path, std::string found, const char* expected);

// The error of a file that memory does not suffice for, which says nothing about the file (kind
// Memory).
base::Error no_memory_error(const std::string& path);

// Whether the error tells of memory alone: the file may be whole.
bool is_of_memory(const base::Error& error);

// Runs `read()`, which returns a Result, and turns its exceptions (no memory) into an error.
template <typename Read>
auto guarded(const std::string& path, const Read& read) -> decltype(read()) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
        return no_memory_error(path);
    } catch (const std::exception& exception) {
        return read_error(path,
                          std::string("cannot be decoded (") + exception.what() + ")",
                          "a whole image file");
    }
}

// Whether a part has a size that can be decoded. Larger ones are refused before any allocation.
bool is_of_sane_size(const image::Part& part);

// Opens an EXR by its format, not its extension: the writer checks its file under a temporary name.
// Throws std::bad_alloc, as decode_rows does: call both within guarded().
base::Result<std::unique_ptr<image::ImageReader>> open_exr(const std::string& path,
                                                           const char* expected);

// Makes part `part` the current one. Returns false if the file has no such part. Throws
// std::bad_alloc, and std::runtime_error for a part that cannot be read.
bool seek_part(image::ImageReader& input, u32 part);

// The name of the current part.
std::string part_name(const image::ImageReader& input);

// Makes the part of this name the current one. Returns false if there is none. Throws as
// seek_part().
bool seek_part_named(image::ImageReader& input, std::string_view name);

// Claims the memory that decoding the current part takes beside its rows: a file of few bytes may
// have blocks of gigabytes. The part is_of_sane_size(). Error (kind TooLarge): it is not there.
base::Result<base::MemoryClaim> claim_decoder(const std::string& path,
                                              const image::ImageReader& input);

// Decodes the rows of the current part in order, as `type`, and passes each to `take(y, row)`.
// Returns false if the file is damaged; error() of the reader then tells why. Throws
// std::bad_alloc.
bool decode_rows(image::ImageReader& input,
                 image::ValueType type,
                 const std::function<void(u32 y, const u8* row)>& take);

}  // namespace weft::film
