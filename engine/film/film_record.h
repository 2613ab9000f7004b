// film_record.h — what a film is a part of: the picture it belongs to, and which samples it holds.
//
// Samples are pure functions of (scene, settings, pixel, sample index), so films of one picture
// with distinct sample indices add up to the film of one render. A record travels with the sums of
// a film in files (film_file.h, the header of an EXR) and decides which films may be added. Plain
// data and pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/film/cryptomatte.h"
#include "scheduler/base/ids.h"

namespace weft::film {

// Every pixel has the samples [begin, end); pixels of an early end have some of [end, reach).
struct SampleRange {
    u32 begin = 0;
    u32 end = 0;
    u32 reach = 0;

    bool operator==(const SampleRange&) const = default;
};

struct FilmRecord {
    // Everything that changes a sample, by name: hashes of the scene's parts, and settings as text.
    std::vector<std::pair<std::string, std::string>> origin;
    std::vector<SampleRange> ranges;  // ascending, without overlap
    u32 samples_wanted = 0;           // per pixel of the whole picture
    u32 slices = 1;                   // into which those are cut; 0: the parts were cut differently
    u64 dropped_samples = 0;
    // No part of what tells pictures apart:
    MatteNames names;         // that layers of mattes may show
    std::string camera_name;  // may be empty

    bool operator==(const FilmRecord&) const = default;
};

// The samples of slice `number` of `slices`, which counts from 1.
SampleRange slice_range(u32 number, u32 slices, u32 samples_wanted);

// The value of the origin's entry `name`; empty if there is none.
std::string origin_value(const FilmRecord& record, std::string_view name);

// Text of lines, and back; none for a text that is no record.
std::string text_of(const FilmRecord& record);
std::optional<FilmRecord> record_of(std::string_view text);

// What differs first between two pictures, such as "seed is 1 there and 2 here"; empty for films of
// one picture.
std::string difference_of(const FilmRecord& there, const FilmRecord& here);

// The samples that both hold, such as "samples 16 to 31"; empty: none.
std::string overlap_of(const FilmRecord& a, const FilmRecord& b);

// Adds the samples of `part`, whose picture is the same and whose samples are others.
void join(FilmRecord& record, const FilmRecord& part);

// What the record lacks of the whole picture: "slice 2/4 (samples 16 to 31)", one text for each
// slice or gap.
std::vector<std::string> missing_of(const FilmRecord& record);

}  // namespace weft::film
