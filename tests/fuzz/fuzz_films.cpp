// fuzz_films.cpp — checkpoints and pictures with raw sums: read, verified, and joined with
// themselves.
//
// A checkpoint gets the length and the checksum that it should have; otherwise no change of its
// bytes would reach the code behind those checks.
#include <cstring>
#include <vector>

#include "engine/film/film_hash.h"
#include "engine/film/film_merge.h"
#include "engine/film/image_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace weft;

// Where the head of a checkpoint states the bytes of the file (film_file.h).
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kHeadBytes = 24;

void mend_checkpoint(std::vector<u8>& bytes) {
    if (bytes.size() < kHeadBytes + film::kHashDigits ||
        std::memcmp(bytes.data(), "WEFT", 4) != 0) {
        return;
    }
    const u64 length = bytes.size();
    std::memcpy(&bytes[kLengthAt], &length, sizeof length);
    const std::size_t hashed = bytes.size() - film::kHashDigits;
    film::Hash128 hash;
    for (std::size_t at = 0; at < hashed; at += sizeof(u64)) {
        u64 word = 0;
        std::memcpy(&word, &bytes[at], std::min(sizeof word, hashed - at));
        hash.absorb(word);
    }
    std::memcpy(&bytes[hashed], hash.hex().data(), film::kHashDigits);
}

}  // namespace

int LLVMFuzzerTestOneInput(const u8* bytes, std::size_t size_bytes) {
    fuzz::decode_on_one_thread();
    std::vector<u8> mended(bytes, bytes + size_bytes);
    mend_checkpoint(mended);
    const std::string path = fuzz::scratch().write("film.exr", mended);
    base::Result<film::SavedFilm> saved = film::read_saved_film(path);
    if (saved.is_ok()) {
        const base::Result<film::SavedFilm> again = film::read_saved_film(path);
        ENSURE(again.is_ok(), ==, true);
        film::missing_of(saved.value().record);
        const base::Status merged = film::merge_film(saved.value(), path, again.value(), path);
        if (!merged.is_ok()) {
            fuzz::check_sentence(merged.error(), path);
        }
    } else {
        fuzz::check_sentence(saved.error(), path);
    }
    const base::Result<film::VerifyReport> report = film::verify_image(path);
    if (!report.is_ok()) {
        fuzz::check_sentence(report.error(), path);
    }
    return 0;
}
