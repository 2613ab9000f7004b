// picture_input.h — opens all picture files: the formats that are read, and the memory that a
// header may claim.
//
// The first bytes of the file choose a reader (for TGA, which has no signature, its suffix or
// footer) by name: PNG, JPEG, WebP, TGA, BMP, TIFF (and TX), OpenEXR, Radiance HDR.
// No other reader of OpenImageIO ever sees a file. Any thread; one thread per picture.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/image/codecs.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// The memory that any picture may take, and the memory that it may take beyond that for each byte
// of its file. A few bytes of header can claim any size; honest pictures reach at most 1000 times
// their file (one flat colour), and large ones 100 times.
inline constexpr u64 kFreePictureBytes = u64{768} << 20;
inline constexpr u64 kPictureBytesPerByte = 256;

// The picture that claims memory for texels.
struct Claimant {
    std::string name;
    u32 width = 0;
    u32 height = 0;
    u64 file_bytes = 0;
    u64 reader_bytes = 0;
};

// A file that is open at its first picture.
struct PictureInput {
    std::string name;    // for sentences
    std::string format;  // OpenImageIO's name of the reader
    u64 file_bytes = 0;
    u64 reader_bytes = 0;  // that the reader allocates for itself
    // Of a Radiance file, whose header states them as a part of the format.
    bool has_bottom_first = false;
    bool has_right_first = false;
    double exposure = 1;  // its values are multiplied with it
    std::unique_ptr<image::ImageReader> reader{};

    [[nodiscard]] const image::Part& part() const { return reader->part(); }

    [[nodiscard]] u64 pixel_count() const {
        return static_cast<u64>(part().width) * static_cast<u64>(part().height);
    }

    [[nodiscard]] Claimant claimant() const {
        return {name,
                static_cast<u32>(part().width),
                static_cast<u32>(part().height),
                file_bytes,
                reader_bytes};
    }
};

// Straight alpha is kept. The picture has pixels, at most 64 channels and no depth.
base::Result<PictureInput> open_picture_file(const std::string& path);
// `bytes` must outlive the input.
base::Result<PictureInput> open_picture_memory(std::span<const u8> bytes, const std::string& name);

// Error: the current part has no pixels, more than 64 channels or depth.
base::Status check_part(const PictureInput& input);

// Claims `texel_bytes` and the memory of the reader. Error: the file is too small for that much
// memory, or the memory limit leaves too little.
base::Result<base::MemoryClaim> claim_texels(const Claimant& picture, u64 texel_bytes);

// Decodes these channels, a strip at a time, as `type`; `take(y, row)` gets each row once, in the
// order of the file, row 0 being the top one. Error: the file is damaged.
base::Status read_picture_rows(PictureInput& input,
                               image::Channels channels,
                               image::ValueType type,
                               const std::function<void(u32 y, const u8* row)>& take);

// "NAME: not a picture that can be read (WHY)".
base::Error unreadable_picture(const std::string& name, const std::string& why);

}  // namespace weft::scene
