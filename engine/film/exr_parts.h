// exr_parts.h — the layout of our EXR files, shared by the writer, the reader and verify.
//
// Part 0 "rgba" holds the beauty and the metadata; where that is denoised, the part "noisy" holds
// what the film says, channels noisy.R/G/B/A; each AOV is a part of its own, named after it, with
// the channels of aov_facts.h; the last parts may be `weft.film` and, for each AOV,
// `weft.film.NAME` with the raw sums. Parts, not layers of one part: each may then have its own
// type, and its own compression (dwaa would damage a channel that happens to end in ".Y"). Internal
// to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/film_file.h"
#include "engine/film/image_file.h"
#include "engine/image/codecs.h"
#include "scheduler/base/result.h"

namespace weft::film {

inline constexpr std::string_view kBeautyPart = "rgba";
inline constexpr std::string_view kNoisyPart = "noisy";
inline constexpr std::string_view kFilmPart = "weft.film";
inline constexpr std::string_view kPixelHashName = "weft:pixel_hash";
inline constexpr std::string_view kFilmHashName = "weft:film_hash";
inline constexpr std::string_view kBiasName = "weft:bias";  // what biases the picture, in words
// The noise at which blocks ended, where such a rule was given.
inline constexpr std::string_view kNoiseThresholdName = "weft:noise_threshold";
// The record of the film (film_record.h) as text, and record_hash() of it.
inline constexpr std::string_view kRecordName = "weft:film_record";
inline constexpr std::string_view kRecordHashName = "weft:film_record_hash";

// The attribute of every part that names the primaries of the colours.
image::Attribute chromaticities(const colour::Primaries& primaries);

// Channel names of `weft.film`, in the order of Film::raw_words.
std::vector<std::string> film_channels();
// The name of an AOV's part: that of a light group is the config's where it has one.
std::string part_name_of(Aov aov, const ImageConfig& config);
// Name of the part with an AOV's raw sums, and its channels in the order of Film::raw_aov_row.
// A part of mattes has as many channels as the longest row needs, eight at least; other layers
// ignore the number.
std::string aov_film_part(Aov aov);
std::vector<std::string> aov_film_channels(Aov aov, u32 channels);
u32 aov_film_channel_count(const Film& film, u32 layer);
inline constexpr u32 kMostMatteChannels = 1000;  // readers refuse parts with more
// Whether the part holds raw sums. The pixel hash leaves such parts out.
bool is_film_part(std::string_view name);

// Covers the text of a record and all sums and counts of its film.
std::string record_hash(std::string_view record_text, const Film& film);

// The hash over the decoded values of every part without raw sums: per part its name, data and
// display window, sample type and channels by name, then the bits of each value, row by row,
// channels in order of their names.
base::Result<std::string> stored_pixel_hash(const std::string& path);

// An error unless the parts with raw sums decode to those of the film, in its layers `layers`.
base::Status check_stored_film(const std::string& path,
                               const Film& film,
                               const std::vector<u32>& layers);

// The film of an EXR with raw sums, with every layer whose sums the file holds.
base::Result<Film> read_whole_film(const std::string& path);

// The film of an EXR with raw sums and a record. Error: there are none, or they are damaged.
base::Result<SavedFilm> read_exr_film(const std::string& path);

// An attribute of part 0; empty where it is missing.
base::Result<std::string> stated_attribute(const std::string& path, std::string_view name);

// Row `row` of the crop as files show it, RGBA and premultiplied: the film's means, or in their
// place the denoised colours with the film's alpha.
void shown_beauty_row(const ResolvedFilm& picture, const ImageConfig& config, u32 row, float* rgba);

// See writer_bytes() in image_file.h.
base::Result<u64> exr_writer_bytes(const ResolvedFilm& picture, const ImageConfig& config);
base::Result<u64> flat_writer_bytes(const std::string& path,
                                    const ResolvedFilm& picture,
                                    const ImageConfig& config);

base::Status write_exr(const std::string& path,
                       const ResolvedFilm& picture,
                       const ImageConfig& config);
// .png .jpg .jpeg .hdr .tif .tiff
base::Status write_flat(const std::string& path,
                        const ResolvedFilm& picture,
                        const ImageConfig& config);

enum class FileFormat { Exr, Png, Jpeg, Hdr, Tiff };
// By the extension, in either case.
base::Result<FileFormat> format_of(const std::string& path);

}  // namespace weft::film
