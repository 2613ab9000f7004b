#include "engine/film/film_merge.h"

#include "engine/film/decoding.h"
#include "engine/film/exr_parts.h"

namespace weft::film {

base::Result<SavedFilm> read_saved_film(const std::string& path) {
    return is_film_file(path) ? read_film_file(path) : read_exr_film(path);
}

base::Status merge_film(SavedFilm& sum,
                        const std::string& first_path,
                        const SavedFilm& part,
                        const std::string& path) {
    const std::string difference = difference_of(sum.record, part.record);
    if (!difference.empty() || !sum.film.is_alike(part.film)) {
        return read_error(path,
                          "a part of another picture than " + first_path + " (" +
                              (difference.empty() ? "another film" : difference) + ")",
                          "parts of one picture");
    }
    const std::string overlap = overlap_of(sum.record, part.record);
    if (!overlap.empty()) {
        return read_error(path,
                          overlap + ", which the files before it hold already",
                          "parts with different samples");
    }
    sum.film.add(part.film);
    join(sum.record, part.record);
    if (sum.noise_threshold != part.noise_threshold) {
        sum.noise_threshold.clear();
    }
    return base::Done{};
}

}  // namespace weft::film
