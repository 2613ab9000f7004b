// test_texel_cache.cpp — the copies of a texel cache equal those of a slow model over the words
// that a kernel really reads.
//
// Why this can silently go wrong: a tile is taken for another, the short last tile is read beyond
// the arena, an address outlives its entry, a copy is not counted.
#include <algorithm>
#include <list>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/texel_cache.h"
#include "shaders/surface/texel_lookup.h"
#include "tests/shaders/probe_materials.h"
#include "tests/shaders/recorded_words.h"
#include "tests/shaders/run_kernels.h"
#include "tests/skipped.h"

namespace {

using weft::u32;
using weft::u64;
using weft::trace::far_texels;
using weft::trace::FarTexels;
using weft::trace::TexelCache;
using weft::trace::TexelCacheConfig;
using namespace weft::tests;

constexpr u64 kTagBytes = 16;

TexelCacheConfig tiles_of(u32 tile_bytes, u64 tile_count) {
    return {tile_bytes, tile_count * (tile_bytes + kTagBytes)};
}

std::vector<u32> counted_arena(u32 words) {
    std::vector<u32> arena(words);
    std::iota(arena.begin(), arena.end(), 1000U);
    return arena;
}

// Copies of a memory of so many tiles, of which the least recently used gives way.
struct PlainMemory {
    u32 tile_words;
    std::size_t tile_count;
    u64 arena_words;
    std::list<u32> tiles{};  // latest first
    u64 transfers = 0;
    u64 bytes = 0;

    void read(u32 word) {
        const u32 tile = word / tile_words;
        const auto found = std::find(tiles.begin(), tiles.end(), tile);
        if (found != tiles.end()) {
            tiles.erase(found);
        } else {
            ++transfers;
            const u64 begin = u64{tile} * tile_words;
            bytes += 4 * (std::min(begin + tile_words, arena_words) - begin);
        }
        tiles.push_front(tile);
        if (tiles.size() > tile_count) {
            tiles.pop_back();
        }
    }
};

bool has_kernels() {
    return is_there_or_skipped(device_shade_kernels(best_isa()) != nullptr,
                               "processor that runs the kernels of the emulated GPU",
                               Source::DevTest);
}

// Shades two packets of 200 hits, one after the other; returns the paths afterwards.
PathArrays shaded(const SceneView& view) {
    PathArrays arrays(kPaths);
    fill_paths(arrays, 5);
    std::vector<u32> ids = slots_in_order();
    ids.resize(400);
    ShadeCounters counters;
    run_kernel(*device_shade_kernels(best_isa()), Kernel::Shade, view, arrays, ids, 200, counters);
    return arrays;
}

// The same for rays that hit nothing.
PathArrays missed(const SceneView& view) {
    PathArrays arrays(kPaths);
    fill_paths(arrays, 6);
    std::vector<u32> ids = slots_in_order();
    ids.resize(400);
    ShadeCounters counters;
    run_kernel(*device_shade_kernels(best_isa()), Kernel::Miss, view, arrays, ids, 200, counters);
    return arrays;
}

}  // namespace

TEST_SUITE("engine/trace/texel_cache") {
    TEST_CASE("F16 every word is that of the arena for any size of tiles and of the memory") {
        // The last tile is short.
        const std::vector<u32> arena = counted_arena(1003);
        for (const u32 tile_bytes : {4U, 64U, 128U, 1024U, 8192U}) {
            for (const u64 tile_count : {0U, 1U, 3U, 4U, 9U, 100U}) {
                TexelCache cache(tiles_of(tile_bytes, tile_count), {arena});
                REQUIRE(cache.is_allocated());
                u32 wrong = 0;
                for (u32 k = 0; k < 3000; ++k) {
                    const u32 word = (k * 397 + k / 7) % 1003;
                    wrong += cache.textures().word(word) == arena[word] ? 0U : 1U;
                }
                CHECK(wrong == 0);
                CHECK(cache.reads() == 3000);
            }
        }
    }

    TEST_CASE("F16 a tile that is there costs nothing and without room each change of tile does") {
        const std::vector<u32> arena = counted_arena(64);
        TexelCache roomy({64, 4096}, {arena});
        TexelCache tiny({64, 0}, {arena});
        for (const u32 word : {0U, 1U, 15U, 16U, 0U, 17U, 63U, 62U}) {
            CHECK(roomy.textures().word(word) == 1000 + word);
            CHECK(tiny.textures().word(word) == 1000 + word);
        }
        CHECK(roomy.copied().transfers == 3);
        CHECK(roomy.copied().bytes == 3 * 64);
        CHECK(tiny.copied().transfers == 5);
        CHECK(tiny.copied().bytes == 5 * 64);
    }

    TEST_CASE("F16 copies for packets of hits are those of a plain memory over the words read") {
        if (!has_kernels()) {
            return;
        }
        const RandomScene scene(11);
        RecordedWords recorded(scene.view.texels);
        const PathArrays expected = shaded(scene.view);
        CHECK(differing_slots(expected, shaded(recorded.watched(scene.view))) == 0);
        const std::vector<u32>& words = recorded.words();
        REQUIRE(words.size() > 10'000);
        CHECK(*std::max_element(words.begin(), words.end()) < scene.texel_words());
        for (const u32 tile_bytes : {16U, 64U, 256U}) {
            // One set of the cache is a list of four; a memory that holds all has no order.
            for (const u64 tile_count : {u64{0}, u64{1}, u64{4}, u64{1} << 16}) {
                CAPTURE(tile_bytes);
                CAPTURE(tile_count);
                PlainMemory model{tile_bytes / 4,
                                  tile_count == 0 ? 1 : static_cast<std::size_t>(tile_count),
                                  scene.texel_words()};
                for (const u32 word : words) {
                    model.read(word);
                }
                TexelCache cache(tiles_of(tile_bytes, tile_count),
                                 {{scene.view.texels, scene.texel_words()}});
                SceneView view = scene.view;
                view.texels = nullptr;
                view.local_texels = &cache.textures();
                CHECK(differing_slots(expected, shaded(view)) == 0);
                CHECK(cache.copied().transfers == model.transfers);
                CHECK(cache.copied().bytes == model.bytes);
                CHECK(cache.reads() == recorded.reads());
            }
        }
    }

    TEST_CASE("F16 the environment is read through local memory and packets find the same") {
        if (!has_kernels()) {
            return;
        }
        const RandomScene scene(13);
        REQUIRE(scene.view.environment_width > 1);
        const FarTexels far = far_texels(scene.view, scene.texel_words());
        const PathArrays expected = shaded(scene.view);
        const PathArrays expected_missed = missed(scene.view);
        u64 reads_of_textures = 0;
        for (const u64 tile_count : {0U, 4U, 4096U}) {
            CAPTURE(tile_count);
            TexelCache cache(tiles_of(64, tile_count), far);
            SceneView view = scene.view;
            cache.show(view);
            CHECK(view.texels == nullptr);
            CHECK(view.environment == nullptr);
            CHECK(view.environment_cells == nullptr);
            CHECK(differing_slots(expected, shaded(view)) == 0);
            reads_of_textures = cache.textures().reads;
            const u64 reads_of_shading = cache.reads();
            CHECK(reads_of_shading > reads_of_textures);
            CHECK(differing_slots(expected_missed, missed(view)) == 0);
            CHECK(cache.reads() > reads_of_shading);
            CHECK(cache.textures().reads == reads_of_textures);
            if (tile_count == 4096) {
                const u64 words = far.textures.size() + far.environment.size() + far.cells.size();
                CHECK(cache.copied().bytes <= words * sizeof(u32));
            }
        }
    }

    TEST_CASE("F16 alpha and tints read texels through local memory and find the same") {
        const RandomScene scene(12);
        RecordedWords recorded(scene.view.texels);
        const SceneView local = recorded.watched(scene.view);
        u32 differing = 0;
        u32 tinted = 0;
        const float direction[3] = {0.3f, -1, 0.2f};
        for (u32 k = 0; k < 2000; ++k) {
            const u32 instance = k % RandomScene::kInstances;
            const u32 primitive = k % RandomScene::kTriangles;
            const float u = 0.001f * static_cast<float>(k % 500);
            const float v = 0.3f;
            using enum TexelPlace;
            const bool is_same = hit_alpha<Local>(local, instance, primitive, u, v) ==
                                     hit_alpha(scene.view, instance, primitive, u, v) &&
                                 is_present<Local>(local, k, true, instance, primitive, u, v) ==
                                     is_present(scene.view, k, true, instance, primitive, u, v);
            u32 near_tint[3] = {};
            u32 local_tint[3] = {};
            const bool is_pane =
                tint_shadow(scene.view, instance, primitive, u, v, direction, near_tint);
            tinted += is_pane ? 1U : 0U;
            const bool has_same_tint =
                is_pane ==
                    tint_shadow<Local>(local, instance, primitive, u, v, direction, local_tint) &&
                std::equal(near_tint, near_tint + 3, local_tint);
            differing += is_same && has_same_tint ? 0U : 1U;
        }
        CHECK(differing == 0);
        CHECK(tinted > 100);
        CHECK(recorded.reads() > 2000);
    }
}
