// test_paged_surfaces.cpp — pictures whose hits wait for the pages of what shading reads: textures,
// normal maps, tangents, both uv sets, vertex colours, lights and flagged meshes, with the bits of
// everything in memory; and what becomes of a damaged page.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/frame/whole_frame.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using weft::u32;
using weft::u64;
using weft::film::TestFolder;
using weft::frame::FrameFigures;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::tests::all_hashes;
using weft::tests::prepared;
using weft::tests::rendered;
using weft::tests::SmallScene;
using weft::trace::SchedulerMode;

RenderSettings layer_settings(const TestFolder& folder) {
    RenderSettings settings;
    settings.width = 40;
    settings.height = 30;
    settings.samples_per_pixel = 2;
    settings.thread_count = 1;
    settings.integrator.path_count = 1024;
    settings.integrator.trace_batch = 1024;
    settings.page_bytes = 16 << 10;
    settings.page_folder = folder.file("pages");
    settings.aovs = {weft::film::Aov::Albedo, weft::film::Aov::Normal, weft::film::Aov::Depth};
    return settings;
}

struct RenderedLayers {
    std::string hashes;  // of the film and of every layer
    FrameFigures figures;
};

RenderedLayers rendered_layers(const weft::scene::Scene& scene, const RenderSettings& settings) {
    const auto renderer = rendered(scene, settings);
    return {all_hashes(renderer->film()), renderer->figures()};
}

// The least budget, a quarter of everything, and everything.
std::vector<u64> budgets_of(const weft::scene::Scene& scene, RenderSettings settings) {
    settings.geometry_memory_bytes = u64{1} << 30;
    const auto renderer = prepared(scene, settings);
    const weft::pages::PageFigures pages = renderer->page_figures().value();
    const u64 least = pages.resident_bytes + pages.least_bytes;
    return {least,
            std::max(least, pages.resident_bytes + pages.bytes / 4),
            pages.resident_bytes + pages.bytes};
}

std::vector<SmallScene> all_scenes() {
    std::vector<SmallScene> scenes = weft::tests::ten_scenes();
    for (const u32 seed : {3U, 4U, 5U, 6U}) {
        scenes.push_back({"random " + std::to_string(seed), weft::tests::random_scene(seed)});
    }
    return scenes;
}

// Balls of so many triangles that pages hold a small part of one.
weft::scene::Scene fine_scene() {
    using namespace weft::tests;
    weft::scene::Scene scene = std::move(ten_scenes().at(7).scene);
    const weft::shaders::MaterialRecord tiles = scene.materials.back().record;
    add_object(scene, uv_sphere({-1, 1.5F, 1}, 0.9F, 128, 64, Shading::Smooth), tiles);
    add_object(scene, uv_sphere({1.5F, 2, 0}, 0.8F, 128, 64, Shading::Flat), tiles);
    return scene;
}

}  // namespace

TEST_SUITE("engine/frame/paged_surfaces") {
    TEST_CASE("F6 F12 every feature of shading has its bits when hits wait for pages") {
        const TestFolder folder;
        bool has_texture = false;
        bool has_tangents = false;
        bool has_second_uvs = false;
        bool has_colors = false;
        for (const SmallScene& small : all_scenes()) {
            CAPTURE(small.name);
            RenderSettings settings = layer_settings(folder);
            const std::string hashes = rendered_layers(small.scene, settings).hashes;
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                for (const u64 budget : budgets_of(small.scene, settings)) {
                    CAPTURE(budget);
                    settings.integrator.mode = mode;
                    settings.geometry_memory_bytes = budget;
                    const RenderedLayers paged = rendered_layers(small.scene, settings);
                    CHECK(paged.hashes == hashes);
                    const weft::pages::PageFigures& pages = paged.figures.pages.value();
                    CHECK(pages.record_count > 0);
                    CHECK(pages.record_reads > 0);
                    CHECK(pages.most_bytes <= pages.budget_bytes);
                    CHECK(paged.figures.integrator.paged.hits_waited > 0);
                    CHECK(paged.figures.routine_names.back() == "gather");
                }
            }
            has_texture = has_texture || !small.scene.textures.empty();
            for (const weft::scene::Mesh& mesh : small.scene.meshes) {
                has_tangents = has_tangents || mesh.record.first_tangent != weft::kNone;
                has_second_uvs = has_second_uvs || mesh.record.first_uv1 != weft::kNone;
                has_colors = has_colors || mesh.record.first_color != weft::kNone;
            }
        }
        CHECK(has_texture);
        CHECK(has_tangents);
        CHECK(has_second_uvs);
        CHECK(has_colors);
    }

    TEST_CASE("F8 F12 fine surfaces have their bits at the least budget on any number of threads") {
        const weft::scene::Scene scene = fine_scene();
        const TestFolder folder;
        RenderSettings settings = layer_settings(folder);
        const std::string hashes = rendered_layers(scene, settings).hashes;
        for (const u32 threads : {1U, 2U, 4U}) {
            settings.thread_count = threads;
            const u64 least = budgets_of(scene, settings).front();
            for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
                CAPTURE(threads);
                settings.integrator.mode = mode;
                settings.geometry_memory_bytes = least;
                const RenderedLayers paged = rendered_layers(scene, settings);
                CHECK(paged.hashes == hashes);
                const weft::pages::PageFigures& pages = paged.figures.pages.value();
                CHECK(pages.most_bytes <= pages.budget_bytes);
                CHECK(paged.figures.integrator.paged.hits_waited > 1000);
                if (threads == 1) {
                    CHECK(pages.evictions > 0);
                    CHECK(pages.record_reads > pages.record_count);
                }
            }
            settings.geometry_memory_bytes = 0;
        }
    }

    TEST_CASE(
        "a damaged page of a surface ends the frame with its file and the next builds again") {
        const weft::scene::Scene scene = fine_scene();
        const TestFolder folder;
        RenderSettings settings = layer_settings(folder);
        for (const SchedulerMode mode : {SchedulerMode::Keyed, SchedulerMode::Unkeyed}) {
            settings.integrator.mode = mode;
            settings.geometry_memory_bytes = u64{1} << 30;
            const RenderedLayers whole = rendered_layers(scene, settings);
            const std::filesystem::path path =
                std::filesystem::directory_iterator(settings.page_folder)->path();
            // All pages of records, which come first, but not those of the tree.
            const u64 end = whole.figures.pages.value().record_bytes;
            {
                std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
                for (u64 at = 4096 + 8; at < 4096 + end; at += 4096) {
                    file.seekp(static_cast<std::streamoff>(at));
                    file.put('\x5a');
                }
                REQUIRE(file.good());
            }
            const auto renderer = prepared(scene, settings);
            const weft::base::Status status = renderer->render({});
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().kind == weft::base::ErrorKind::Scene);
            CHECK(status.error().sentence.find(path.filename().string()) != std::string::npos);
            CHECK_FALSE(std::filesystem::exists(path));
            CHECK(rendered_layers(scene, settings).hashes == whole.hashes);
            std::filesystem::remove_all(settings.page_folder);
        }
    }
}
