// image_file.h — pictures to and from files, by engine/image; files appear whole or not at all.
//
// Writing goes to a temporary name in the same folder, is closed and checked, then renamed. Any
// thread, one file at a time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/colour/colour_config.h"
#include "engine/film/cryptomatte.h"
#include "engine/film/film.h"
#include "engine/film/film_record.h"
#include "engine/film/resolved_film.h"
#include "engine/film/view_transform.h"
#include "scheduler/base/result.h"

namespace weft::film {

// How OpenEXR packs the pixels of a part.
enum class ExrCompression : u8 { None, Rle, Zip, Zips, Piz, Pxr24, Dwaa, Dwab };

inline constexpr std::array<ExrCompression, 8> kExrCompressions = {ExrCompression::None,
                                                                   ExrCompression::Rle,
                                                                   ExrCompression::Zip,
                                                                   ExrCompression::Zips,
                                                                   ExrCompression::Piz,
                                                                   ExrCompression::Pxr24,
                                                                   ExrCompression::Dwaa,
                                                                   ExrCompression::Dwab};

// The name that OpenEXR gives it, such as "zip".
const char* exr_compression_name(ExrCompression compression);

// A picture read back: `channels` (at most 4) floats per pixel, RGB(A) first, scene-linear and
// premultiplied; files of integers (PNG, JPEG, …) are decoded from sRGB. It has the pixels of the
// data window, whose top left pixel is (x0, y0).
struct Picture {
    i32 x0 = 0;
    i32 y0 = 0;
    u32 width = 0;
    u32 height = 0;
    u32 channels = 0;
    std::vector<float> pixels;

    [[nodiscard]] float at(u32 x, u32 y, u32 c) const {
        return pixels[(std::size_t{y} * width + x) * channels + c];
    }
};

struct ImageConfig {
    bool is_half = false;                              // EXR: half instead of float
    ExrCompression compression = ExrCompression::Zip;  // EXR
    bool keep_film = false;                  // EXR: the raw sums of the beauty and of the layers
    std::optional<FilmRecord> record;        // EXR with sums of all layers: for film_merge.h
    std::optional<std::vector<Aov>> layers;  // EXR: its AOVs; none: all of the film's
    u32 matte_ranks = kMatteRanks;  // EXR: names of a pixel in a layer of mattes, rounded up to
                                    // even; [1, kMostMatteRanks]
    MatteNames matte_names;         // EXR: what its manifests may name
    std::vector<std::string> light_layers;  // EXR: names of the layers of light groups, in order
    bool has_alpha = false;                 // 8-bit files: write alpha (straight)
    ViewTransform view = ViewTransform::Standard;
    std::shared_ptr<const colour::Transform> config_view;  // in its place, if there is one
    float exposure_stops = 0;                              // 8-bit output only
    // EXR: those of the working space; none: unknown, and the file names none.
    std::optional<colour::Primaries> primaries = colour::kRec709;
    float pixel_aspect = 1;  // EXR: width over height of a pixel
    // RGB of the crop, shown in place of the film's means, which an EXR keeps as layer "noisy".
    std::shared_ptr<const Picture> denoised;
    // The writer of an EXR of halves calls it with the number of pixels that it cut off at 65504,
    // if there are any.
    std::function<void(u64 pixels)> on_cut;
    // Written into the header (EXR attributes / PNG text) under "weft:NAME".
    std::vector<std::pair<std::string, std::string>> metadata;
};

// The errors of write_image, found before the first sample: an unknown extension, content that the
// format cannot hold, a folder that cannot be written.
base::Status check_image_target(const std::string& path, const ImageConfig& config);

// How a film must be resolved for write_image to write this file.
ResolveConfig resolve_config(const std::string& path, const ImageConfig& config);

// Whether write_image writes an EXR to this path.
bool is_exr_file(const std::string& path);

// Writes by extension (.exr .png .hdr .jpg .jpeg .tif .tiff; "-" is an EXR on the standard output);
// adds film_hash and pixel_hash to the metadata of an EXR. An EXR holds the AOVs and has the crop
// as its data window; other files hold the crop of the beauty alone. An EXR that there is no memory
// to read back stays, with a blank as pixel_hash, and the error is of kind Memory. `picture` must
// be resolved and toned wholly, with the resolve_config of the path (program error otherwise).
base::Status write_image(const std::string& path,
                         const ResolvedFilm& picture,
                         const ImageConfig& config);
// The same for a film that is not resolved yet.
base::Status write_image(const std::string& path, const Film& film, const ImageConfig& config);

// No fewer bytes than write_image() allocates beside the picture while it writes this file and
// reads it back: for a claim before long work (scheduler/base/memory_limit.h).
base::Result<u64> writer_bytes(const std::string& path,
                               const ResolvedFilm& picture,
                               const ImageConfig& config);

base::Result<Picture> read_picture(const std::string& path);

// Whether the extension is of a format that holds 8-bit display values (PNG, JPEG).
bool is_display_file(const std::string& path);

// Writes values unchanged (for 8-bit formats: display values in [0, 1]). For pictures that come
// from no film, such as difference images.
base::Status write_picture(const std::string& path, const Picture& picture);

// The film of an EXR that was written with keep_film, without AOVs.
base::Result<Film> read_film(const std::string& path);

// verify_image returns an error for files that are not ours, that cannot be opened or that do not
// fit into memory, and a report for
// damaged files of ours.
struct VerifyReport {
    bool pixel_hash_matches = false;  // or the header has none, and the pixels can be decoded
    bool has_film = false;
    bool film_hash_matches = false;
    // Whether the raw sums of the layers that the header and the record of the film name are there
    // and unchanged, as is the record; true where it names none.
    bool layers_match = true;
    std::string film_hash;               // from the raw sums if there, else from the metadata
    std::vector<std::string> sentences;  // one per check and its result
};

base::Result<VerifyReport> verify_image(const std::string& path);

}  // namespace weft::film
