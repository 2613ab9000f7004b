// test_watched_waves.cpp — pictures of a frame while it is rendered: whole generations, while no
// share is in flight.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/frame/wave_stage.h"

namespace weft::frame::testing {

namespace {

// Notes what it is called for, and checks that every pixel of the generation's lattice has its
// samples.
class NotingWatcher final : public FrameWatcher {
public:
    const Film* film = nullptr;
    u32 tiles = 0;                       // of the frame
    std::function<bool(u64)> is_wanted;  // of the new samples; empty: always
    std::vector<std::string> pictures;   // "step samples"
    u32 resolved = 0;                    // tiles of the last picture
    u32 toned = 0;
    u32 attempts = 0;          // calls of filter()
    bool may_lead = false;     // attended tiles have more samples
    bool is_attended = false;  // the last picture
    u64 wrong = 0;             // pixels without the samples of their generation

    bool wants(const Generation& /*generation*/, u64 new_samples) override {
        return !is_wanted || is_wanted(new_samples);
    }

    void begin(const Generation& generation) override {
        generation_ = generation;
        is_attended = generation.is_of_attended;
        resolved = toned = 0;
    }

    void resolve(const film::Region& tile) override {
        ++resolved;
        const film::Region crop = film->crop();
        const u32 step = 1U << generation_.step_log2;
        for (u32 y = tile.y0; y < tile.y1; ++y) {
            for (u32 x = tile.x0; x < tile.x1; ++x) {
                const bool is_node = (x - crop.x0) % step == 0 && (y - crop.y0) % step == 0;
                const u32 samples = film->sample_count(x, y);
                wrong += is_node && samples < generation_.samples ? 1U : 0U;
                wrong += !may_lead && samples > generation_.samples ? 1U : 0U;
            }
        }
    }

    bool filter(const std::function<bool()>& should_stop) override {
        CHECK(toned == 0);
        CHECK((is_attended ? resolved < tiles : resolved == tiles));
        ++attempts;
        return !should_stop();
    }

    void tone(const film::Region& /*tile*/) override { ++toned; }

    void show() override {
        CHECK(toned == tiles);
        pictures.push_back(std::to_string(generation_.step_log2) + " " +
                           std::to_string(generation_.samples));
    }

private:
    Generation generation_;
};

// 40 × 24 pixels in six tiles.
WaveConfig small_config(NotingWatcher& watcher) {
    WaveConfig config;
    config.crop = {3, 5, 43, 29};
    config.samples = 7;
    config.most_wave_samples = 4;
    config.tile_size = 16;
    config.maybe_watcher = &watcher;
    watcher.tiles = 6;
    return config;
}

void finish(Stage& stage) {
    WorkItem item;
    while (stage.waves.next(item)) {
        stage.publish(item);
    }
}

}  // namespace

TEST_SUITE("engine/frame/watched_waves") {
    TEST_CASE("pictures are whole lattices and then whole waves of all pixels") {
        for (const bool is_coarse : {false, true}) {
            NotingWatcher watcher;
            WaveConfig config = small_config(watcher);
            config.is_coarse_first = is_coarse;
            Stage stage(config, 50, 40);
            watcher.film = &stage.film;
            finish(stage);
            CHECK(stage.waves.is_dry());
            CHECK(stage.is_complete(7));
            CHECK(watcher.wrong == 0);
            std::vector<std::string> expected = {"0 1", "0 2", "0 3", "0 4", "0 6", "0 7"};
            if (is_coarse) {
                expected.insert(expected.begin(), {"3 1", "2 1", "1 1"});
            }
            CHECK(watcher.pictures == expected);
        }
    }

    TEST_CASE("a wanted picture waits for every share and one that nobody wants for none") {
        for (const bool is_wanted : {false, true}) {
            NotingWatcher watcher;
            watcher.is_wanted = [is_wanted](u64) { return is_wanted; };
            Stage stage(small_config(watcher), 50, 40);
            watcher.film = &stage.film;
            WorkItem last;
            REQUIRE(stage.waves.next(last));  // a tile's first wave stays in flight
            WorkItem item;
            u32 others = 0;
            while (stage.waves.next(item)) {
                ++others;
                stage.publish(item);
            }
            CHECK(others == (is_wanted ? 5 : 5 * 6));
            CHECK(watcher.pictures.empty());
            stage.publish(last);
            finish(stage);
            CHECK(watcher.pictures.size() == (is_wanted ? 6 : 0));
            CHECK(stage.is_complete(7));
        }
    }

    TEST_CASE("the samples since the last picture are counted") {
        NotingWatcher watcher;
        std::vector<u64> counts;
        watcher.is_wanted = [&counts](u64 samples) {
            counts.push_back(samples);
            return counts.size() % 2 == 0;
        };
        Stage stage(small_config(watcher), 50, 40);
        watcher.film = &stage.film;
        finish(stage);
        constexpr u64 kWave = u64{6} * 16 * 16;  // with the pixels that tiles at the border lack
        CHECK(counts == std::vector<u64>{kWave, 2 * kWave, kWave, 2 * kWave, 2 * kWave, 3 * kWave});
        CHECK(watcher.pictures == std::vector<std::string>{"0 2", "0 4", "0 7"});
    }

    TEST_CASE("a held frame gives its picture up and makes it when it goes on") {
        bool is_asked = false;
        NotingWatcher watcher;
        WaveConfig config = small_config(watcher);
        config.should_hold = [&] { return is_asked; };
        Stage stage(config, 50, 40);
        watcher.film = &stage.film;
        WorkItem item;
        for (u32 k = 0; k < 6; ++k) {
            REQUIRE(stage.waves.next(item));
            stage.publish(item);
        }
        is_asked = true;
        CHECK(!stage.waves.next(item));
        CHECK(stage.waves.is_held());
        CHECK(watcher.pictures.empty());
        is_asked = false;
        stage.waves.go_on();
        finish(stage);
        CHECK(watcher.pictures.front() == "0 1");
        CHECK(watcher.pictures.size() == 6);
        CHECK(stage.is_complete(7));
    }

    TEST_CASE("a filter that gives up is called again") {
        bool is_released = false;
        NotingWatcher watcher;
        WaveConfig config = small_config(watcher);
        // The frame is held while the first picture is filtered.
        config.should_hold = [&] {
            return watcher.attempts == 1 && watcher.toned == 0 && !is_released;
        };
        Stage stage(config, 50, 40);
        watcher.film = &stage.film;
        finish(stage);
        REQUIRE(stage.waves.is_held());
        CHECK(watcher.pictures.empty());
        is_released = true;
        stage.waves.go_on();
        finish(stage);
        CHECK(watcher.pictures.size() == 6);
        CHECK(watcher.attempts == 7);
        CHECK(watcher.wrong == 0);
        CHECK(stage.is_complete(7));
    }

    TEST_CASE("attended tiles are shown ahead of the others, and alone") {
        NotingWatcher watcher;
        WaveConfig config = small_config(watcher);
        config.samples = 12;
        config.most_wave_samples = 1;
        Stage stage(config, 50, 40);
        watcher.film = &stage.film;
        WorkItem item;
        for (u32 k = 0; k < 6; ++k) {
            REQUIRE(stage.waves.next(item));
            stage.publish(item);
        }
        watcher.may_lead = true;
        stage.waves.attend({20, 6, 30, 10});
        u32 of_attended = 0;
        while (stage.waves.next(item)) {
            of_attended += watcher.is_attended ? 1U : 0U;
            CHECK((!watcher.is_attended || watcher.resolved == 1));
            stage.publish(item);
        }
        CHECK(of_attended > 3);
        CHECK(watcher.wrong == 0);
        CHECK(watcher.pictures.front() == "0 1");
        CHECK(watcher.pictures.back() == "0 12");
        CHECK(stage.is_complete(12));
    }

    TEST_CASE("a frame that ends after a lattice gives every pixel its first sample") {
        NotingWatcher watcher;
        WaveConfig config = small_config(watcher);
        config.is_coarse_first = true;
        Stage stage(config, 50, 40);
        watcher.film = &stage.film;
        WorkItem item;
        REQUIRE(stage.waves.next(item));
        stage.publish(item);
        stage.waves.stop_after_wave();
        finish(stage);
        CHECK(stage.waves.is_dry());
        CHECK(stage.is_complete(1));
        CHECK(watcher.pictures.back() == "0 1");
    }
}

}  // namespace weft::frame::testing
