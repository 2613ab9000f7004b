// film_adder.h — adds the results of shares to the film, once.
//
// Several workers call add() at once, for shares of distinct pixels.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "engine/film/film.h"
#include "engine/frame/surface_ids.h"
#include "engine/trace/result_slots.h"
#include "engine/trace/sample_block.h"

namespace weft::frame {

class Motion;

// A sample that was dropped because it was not finite or out of range (to be replayed with
// --debug-pixel).
struct DroppedSample {
    u32 x = 0;
    u32 y = 0;
    u32 sample = 0;
};

// What paths have to write for layers of a film.
trace::PathLayers path_layers(std::span<const film::Aov> aovs);

class FilmAdder {
public:
    // A continued film holds samples already, from sample `begin` on, some pixels more than others:
    // it keeps these, and add() leaves the same samples of a share out.
    struct Continued {
        u32 begin = 0;
        bool is_continued = false;
    };

    // The film outlives this, and so do the ids of the scene's surfaces, by layer of the film.
    // Null: every layer of numbers holds instances, and there are no mattes.
    // Null motion: nothing moves.
    FilmAdder(film::Film& film,
              const Continued& continued,
              const SurfaceIds* maybe_ids,
              const Motion* maybe_motion = nullptr);

    // Adds the samples that the film lacks. Returns their number, dropped ones included.
    u64 add(const trace::SampleBlock& block, const trace::ResultView& results);

    // The first sample that a pixel of these blocks of a tile lacks (SampleBlock::blocks); 0 where
    // the film is not continued.
    [[nodiscard]] u32 least_held(const film::Region& tile, u64 blocks) const;

    // After the last share: samples that were dropped, and the first few of them.
    [[nodiscard]] u64 dropped_count() const { return dropped_count_; }

    [[nodiscard]] const std::vector<DroppedSample>& dropped() const { return dropped_; }

private:
    [[nodiscard]] u32 next_sample(u32 x, u32 y) const;
    u32 add_pixel(const trace::SampleBlock& block,
                  u32 pixel,
                  const trace::PixelPlace& place,
                  const trace::ResultView& results,
                  u32* dropped);

    // Consecutive samples of a pixel.
    struct Samples {
        u32 begin = 0;
        u32 count = 0;
    };

    void add_aovs(const trace::PixelPlace& place,
                  const Samples& samples,
                  const trace::ResultView& results,
                  std::size_t slot);
    void add_first_half(u32 layer,
                        const trace::PixelPlace& place,
                        const Samples& samples,
                        const float* rgba);
    void add_direct(u32 layer,
                    const trace::PixelPlace& place,
                    const Samples& samples,
                    const float* direct);
    void add_indirect(u32 layer,
                      const trace::PixelPlace& place,
                      const Samples& samples,
                      const trace::ResultView& results,
                      std::size_t slot);
    void add_motion(u32 layer,
                    const trace::PixelPlace& place,
                    const Samples& samples,
                    const trace::ResultView& results,
                    std::size_t slot);
    void add_split(u32 layer,
                   const trace::PixelPlace& place,
                   const Samples& samples,
                   const i64* split);
    void add_mattes(u32 layer, const trace::PixelPlace& place, std::span<const u32> instances);
    [[nodiscard]] u32 id_of(u32 layer, u32 instance) const;
    void remember_dropped(const DroppedSample& sample);

    film::Film& film_;
    Continued continued_;
    const SurfaceIds* maybe_ids_;
    const Motion* maybe_motion_;
    trace::PathLayers layers_;
    std::mutex dropped_mutex_;
    u64 dropped_count_ = 0;
    std::vector<DroppedSample> dropped_;
};

}  // namespace weft::frame
