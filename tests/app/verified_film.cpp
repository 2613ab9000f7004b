#include "tests/app/verified_film.h"

#include "engine/film/image_file.h"

namespace weft::app::testing {

std::string verified_film_hash(const std::string& file) {
    const auto verified = film::verify_image(file);
    if (!verified.is_ok() || !verified.value().pixel_hash_matches ||
        (verified.value().has_film && !verified.value().film_hash_matches)) {
        return "";
    }
    return verified.value().film_hash;
}

bool is_verified(const std::string& file) {
    return !verified_film_hash(file).empty();
}

}  // namespace weft::app::testing
