// test_panel_models.cpp — models of the panels without a window: rates, thumbnails, folders,
// numbers on sliders.
#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <imgui.h>

#include "app/view/background/depth_watch.h"
#include "app/view/models/scheduler_history.h"
#include "app/view/models/thumbnail.h"
#include "app/view/models/view_folder.h"
#include "app/view/window/theme.h"
#include "engine/film/view_transform.h"

using namespace weft;
using namespace weft::app;

namespace {

frame::FrameFigures figures_after(u64 packets) {
    frame::FrameFigures figures;
    figures.routine_names = {"path", "closest"};
    figures.fibre.routine[1].packets = packets;
    figures.fibre.routine[1].fibres = packets * 10;
    figures.fibre.routine[1].by_fullness[16] = packets;
    figures.fibre.routine[1].by_reason[4] = packets;
    figures.fibre.routine[1].by_age[5] = packets * 10;
    figures.fibre.waiting_fibres_sum = packets * 300;
    figures.integrator.camera_rays = packets * 8;
    figures.integrator.closest.lanes_issued = packets * 16;
    figures.integrator.closest.lanes_active = packets * 4;
    figures.run.workers.resize(1);
    figures.run.workers[0].steals = packets / 10;
    figures.run.units.resize(1);
    figures.run.units[0].doorbells = packets / 5;
    return figures;
}

}  // namespace

TEST_SUITE("app/view/panel_models") {
    TEST_CASE("rates cover the last second of snapshots") {
        SchedulerHistory history;
        for (u32 tenth = 0; tenth <= 30; ++tenth) {
            history.add(0.1 * tenth, figures_after(1000 + 100 * tenth));
        }
        const SchedulerRates& rates = history.rates();
        CHECK(rates.seconds == doctest::Approx(1.0).epsilon(0.11));
        CHECK(rates.packets_per_s == doctest::Approx(1000));
        CHECK(rates.rays_per_s == doctest::Approx(8000));
        CHECK(rates.steals_per_s == doctest::Approx(100));
        CHECK(rates.doorbells_per_s == doctest::Approx(200));
        CHECK(rates.mean_waiting == doctest::Approx(300));
        CHECK(rates.fibres_per_packet == doctest::Approx(10));
        CHECK(rates.ages[5] == rates.routines[1].fibres);
        CHECK(fibre::age_of_quantile(rates.ages, 0.5) == 31);
        REQUIRE(rates.kernels.size() == 5);
        CHECK(rates.kernels[1].occupancy() == doctest::Approx(0.25));
        CHECK(history.occupancy_curve().back() == doctest::Approx(0.25));
    }

    TEST_CASE("counters that restart belong to another frame and give no negative rate") {
        SchedulerHistory history;
        history.add(0, figures_after(1000));
        history.add(1, figures_after(5000));
        history.add(2, figures_after(50));
        CHECK(history.rates().routines[1].packets <= 50);
        history.add(3, figures_after(150));
        CHECK(history.rates().packets_per_s == doctest::Approx(100));
    }

    TEST_CASE("the queue's depth is that of each snapshot and not of the last second") {
        SchedulerHistory history;
        history.add(0, figures_after(1000));
        frame::FrameFigures deep = figures_after(1100);
        deep.fibre.waiting_fibres_sum = figures_after(1000).fibre.waiting_fibres_sum + 100 * 5000;
        history.add(0.1, deep);
        frame::FrameFigures flat = figures_after(1200);
        flat.fibre.waiting_fibres_sum = deep.fibre.waiting_fibres_sum + 100 * 50;
        history.add(0.2, flat);
        REQUIRE(history.waiting_curve().size() == 3);
        CHECK(history.waiting_curve()[0] == doctest::Approx(300));
        CHECK(history.waiting_curve()[1] == doctest::Approx(5000));
        CHECK(history.waiting_curve()[2] == doctest::Approx(50));
    }

    TEST_CASE("a pause adds no point to the curves") {
        SchedulerHistory history;
        history.add(0, figures_after(100));
        history.add(1, figures_after(200));
        const std::size_t points = history.rays_curve().size();
        history.add(2, figures_after(200));
        CHECK(history.rays_curve().size() == points);
    }

    TEST_CASE("a thumbnail is the first small enough mip level and keeps its bytes") {
        scene::Scene scene;
        scene::Texture texture;
        texture.record.width = 4;
        texture.record.height = 2;
        texture.record.format = static_cast<u32>(shaders::TexelFormat::Srgb8);
        texture.record.mip_count = 2;
        texture.record.mip_offset[1] = 16;
        scene.textures.push_back(texture);
        scene.texels = std::vector<u32>(32, 0x11223344U);
        const Thumbnail whole = make_thumbnail(scene, 0, 4);
        CHECK(whole.width == 4);
        CHECK(whole.height == 2);
        const Thumbnail small = make_thumbnail(scene, 0, 2);
        REQUIRE(small.width == 2);
        REQUIRE(small.height == 1);
        CHECK(small.rgba == std::vector<u8>{0x44, 0x33, 0x22, 255, 0x44, 0x33, 0x22, 255});
    }

    TEST_CASE("float textures are shown through the display curve") {
        scene::Scene scene;
        scene::Texture texture;
        texture.record.width = texture.record.height = 1;
        texture.record.format = static_cast<u32>(shaders::TexelFormat::Float);
        texture.record.mip_count = 1;
        scene.textures.push_back(texture);
        scene.texels =
            std::vector<u32>{std::bit_cast<u32>(0.0F),
                             std::bit_cast<u32>(static_cast<float>(film::srgb_decode(128.0 / 255))),
                             std::bit_cast<u32>(7.0F),
                             std::bit_cast<u32>(0.5F)};
        CHECK(make_thumbnail(scene, 0, 64).rgba == std::vector<u8>{0, 128, 255, 255});
    }

    TEST_CASE("names in many scripts are shown with their letters") {
        ImGui::CreateContext();
        apply_theme(1, 1);
        unsigned char* pixels = nullptr;
        int columns = 0;
        int rows = 0;
        ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &columns, &rows);
        const ImFont& font = *ImGui::GetIO().Fonts->Fonts[0];
        for (const ImWchar letter :
             std::to_array<ImWchar>({0xE9, 0x142, 0x219, 0x3A9, 0x416, 0x1EA1, 0x20AC, 0x2192})) {
            CAPTURE(letter);
            CHECK(font.FindGlyphNoFallback(letter) != nullptr);
        }
        ImGui::DestroyContext();
    }

    TEST_CASE("a number is legible on the filled and on the empty part of its bar") {
        ImGui::CreateContext();
        apply_theme(1, 1);
        const ImGuiStyle style = ImGui::GetStyle();
        ImGui::DestroyContext();
        // Relative luminance of the text, and of the filled part over the frame.
        const auto light = [](const ImVec4& colour) {
            return 0.2126 * film::srgb_decode(static_cast<double>(colour.x)) +
                   0.7152 * film::srgb_decode(static_cast<double>(colour.y)) +
                   0.0722 * film::srgb_decode(static_cast<double>(colour.z));
        };
        const ImVec4& bar = style.Colors[ImGuiCol_SliderGrab];
        const double text = light(style.Colors[ImGuiCol_Text]);
        for (const ImGuiCol frame : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered}) {
            const ImVec4& below = style.Colors[frame];
            const auto mix = [&](float a, float b) { return a * bar.w + b * (1 - bar.w); };
            const ImVec4 filled(
                mix(bar.x, below.x), mix(bar.y, below.y), mix(bar.z, below.z), below.w);
            CHECK((text + 0.05) / (light(filled) + 0.05) > 4.5);
            CHECK((text + 0.05) / (light(below) + 0.05) > 4.5);
        }
    }

    TEST_CASE("a theme applied again at twice the scale doubles text and spacing") {
        ImGui::CreateContext();
        apply_theme(1, 1);
        const float padding = ImGui::GetStyle().FramePadding.x;
        const float letter = ImGui::GetIO().Fonts->ConfigData[0].SizePixels;
        apply_theme(2, 1);
        CHECK(ImGui::GetStyle().FramePadding.x == 2 * padding);
        REQUIRE(ImGui::GetIO().Fonts->ConfigData.Size == 1);
        CHECK(ImGui::GetIO().Fonts->ConfigData[0].SizePixels == 2 * letter);
        ImGui::DestroyContext();
    }

    TEST_CASE("a folder lists folders and files with the wanted endings by name") {
        const std::filesystem::path folder =
            std::filesystem::path(WEFT_BINARY_DIR) / "test_view_folder";
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder / "maps");
        for (const char* const name : {"b.PNG", "a.png", "notes.txt", ".hidden.png"}) {
            std::ofstream(folder / name) << 'x';
        }
        const FolderListing listing = list_folder(folder, {".png"});
        CHECK(listing.folders == std::vector<std::string>{"maps"});
        CHECK(listing.files == std::vector<std::string>{"a.png", "b.PNG"});
        CHECK(listing.error.empty());
        CHECK(!list_folder(folder / "nothing here", {}).error.empty());
        std::filesystem::remove_all(folder);
    }

    TEST_CASE("the range of depths ignores one in a hundred and is round") {
        CHECK(!depth_range({}).has_value());
        std::vector<float> distances;
        for (int k = 0; k < 400; ++k) {
            distances.push_back(3.15F + 0.01F * static_cast<float>((k * 7) % 400));
        }
        distances[10] = 0.001F;
        distances[20] = 9000;
        const auto range = depth_range(distances);
        REQUIRE(range.has_value());
        CHECK((*range)[0] == doctest::Approx(3.1));
        CHECK((*range)[1] == doctest::Approx(7.2));
        // A wall seen head-on, at any distance.
        for (const float metres : {0.02F, 5.0F, 700000.0F}) {
            const auto wall = depth_range({metres, metres});
            REQUIRE(wall.has_value());
            CHECK((*wall)[0] > 0);
            CHECK((*wall)[0] <= metres * 1.0001F);
            CHECK((*wall)[1] > (*wall)[0] * 1.05F);
        }
    }
}
