// small_render.h — the command lines and results of small renders that are sliced, stopped and
// resumed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/film_file.h"
#include "engine/film/film_merge.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

using Words = std::vector<std::string>;

// A render of 40×40 pixels of the Cornell box with all AOVs. Of an option that occurs twice, the
// last one counts.
inline Words small_render(const std::string& output, const Words& more = {}) {
    Words words = {"render",
                   "cornell",
                   "--width",
                   "40",
                   "-t",
                   "2",
                   "--spp",
                   "12",
                   "-o",
                   output,
                   "--aov",
                   "albedo,normal,position,depth,instance",
                   "--progress",
                   "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

inline Ended check_ends(const Words& words, int exit_code) {
    Ended ended = run_weft(words);
    INFO(ended.err);
    REQUIRE(ended.exit_code == exit_code);
    return ended;
}

inline bool says(const Ended& ended, const std::string& text) {
    return ended.err.find(text) != std::string::npos;
}

// The hashes of the film in an EXR with sums or a checkpoint, and of its layers.
inline std::string hashes_of_file(const std::string& path) {
    const base::Result<film::SavedFilm> saved = film::read_saved_film(path);
    INFO(saved.error().sentence);
    REQUIRE(saved.is_ok());
    const film::Film& film = saved.value().film;
    std::string text = film.film_hash();
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        text += ' ' + film.aov_hash(layer);
    }
    return text;
}

// Writes the film in `path` to the checkpoint `to`, as if its samples were of `version`; 0: of
// none, as in films from before it was recorded.
inline void save_with_sample_version(const std::string& path, const std::string& to, u32 version) {
    base::Result<film::SavedFilm> saved = film::read_saved_film(path);
    INFO(saved.error().sentence);
    REQUIRE(saved.is_ok());
    auto& origin = saved.value().record.origin;
    const auto entry = std::find_if(origin.begin(), origin.end(), [](const auto& named) {
        return named.first == "version of the samples";
    });
    REQUIRE(entry != origin.end());
    if (version == 0) {
        origin.erase(entry);
    } else {
        entry->second = std::to_string(version);
    }
    std::vector<std::byte> bytes;
    film::encode_film_file(saved.value().film, saved.value().record, bytes);
    REQUIRE(film::write_film_file(to, bytes).is_ok());
}

}  // namespace weft::app::testing
