// film_file.h — a film with its record as one binary file: the checkpoint of a render.
//
//     8 bytes   "WEFTFILM"
//     u32       version of this layout, 1
//     u32       bytes of the text, a multiple of 8
//     u64       bytes of the file
//     text      "film WIDTH HEIGHT X0 Y0 X1 Y1", a line "aov NAME" for each layer, with the number
//               of words of one of mattes, "finished RULES" if a stop rule ended the render, then
//               the record (film_record.h); filled up with zeros
//     blocks    sums, counts, dropped counts, sums of the layers, their numbers (Film::blocks)
//     mattes    words of each layer of mattes (Film::matte_words), filled up with zeros
//     32 bytes  Hash128 of everything before, as hex digits
//
// Numbers are little-endian. A render copies its film into memory (encode), goes on rendering, and
// another thread writes the bytes meanwhile. Every function may run on any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/film_record.h"
#include "scheduler/base/result.h"

namespace weft::film {

struct SavedFilm {
    Film film;
    FilmRecord record;
    // At which blocks ended, as the header of an EXR states it; empty: it states none.
    std::string noise_threshold{};
};

// The samples that the film holds, whose first sample index is given; and how many it dropped.
SampleRange held_samples(const Film& film, u32 first_sample);
u64 dropped_samples(const Film& film);

// Bytes of the file.
u64 film_file_bytes(const Film& film, const FilmRecord& record);

// Copies everything but the hash into `bytes`, whose memory is used again where it suffices.
// `finished_by` is one line: the stop rules of a render that one of them ended; empty: the render
// goes on.
void encode_film_file(const Film& film,
                      const FilmRecord& record,
                      std::vector<std::byte>& bytes,
                      const std::string& finished_by = "");

// Adds the hash to encoded bytes and writes the file, whole or not at all.
base::Status write_film_file(const std::string& path, std::vector<std::byte>& bytes);

// Errors: the file cannot be read, is no such file, or is damaged.
base::Result<SavedFilm> read_film_file(const std::string& path);

// The `finished_by` of a file, without reading its film. Errors as above, but for damaged sums.
base::Result<std::string> read_finished_by(const std::string& path);

// Whether the file begins as write_film_file writes it.
bool is_film_file(const std::string& path);

}  // namespace weft::film
