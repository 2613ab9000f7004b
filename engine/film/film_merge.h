// film_merge.h — joins films of one picture that hold different samples, exactly.
//
// Sums are whole numbers, so parts may come in any order and nesting: all parts of a picture give
// the film hash of one render. One thread.
#pragma once

#include <string>

#include "engine/film/film_file.h"
#include "scheduler/base/result.h"

namespace weft::film {

// The film of a slice or merged picture (an EXR with sums and a record) or of a checkpoint. Errors:
// the file holds no sums or no record, or is damaged.
base::Result<SavedFilm> read_saved_film(const std::string& path);

// Adds the film of the file at `path` to `sum`, which came from `first_path`. Errors, and `sum` is
// unchanged: the part is of another picture, or both hold one sample.
base::Status merge_film(SavedFilm& sum,
                        const std::string& first_path,
                        const SavedFilm& part,
                        const std::string& path);

}  // namespace weft::film
