// test_render_command.cpp — the pictures that `weft render` writes: formats, metadata, AOVs and
// figures; and which options may change the samples.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/image_file.h"
#include "shaders/host/shade_kernels.h"
#include "tests/app/verified_film.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

constexpr u32 kCommandSide = 24;
constexpr u32 kSpp = 2;

std::vector<std::string> render_of(const std::string& output,
                                   const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "render", "cornell", "--width", std::to_string(kCommandSide), "-o", output, "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    for (const char* option : {"--spp", "-t"}) {
        if (std::find(more.begin(), more.end(), option) == more.end()) {
            arguments.insert(arguments.end(), {option, std::to_string(kSpp)});
        }
    }
    return arguments;
}

// Renders and returns the figures.
json command_stats(const TestFolder& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = more;
    arguments.insert(arguments.end(), {"--stats", folder.file("stats.json")});
    const Ended ended = run_weft(render_of(folder.file("stats.exr"), arguments));
    INFO(ended.err);
    REQUIRE(ended.exit_code == kExitDone);
    json stats = json::parse(film::bytes_of(folder.file("stats.json")), nullptr, false);
    REQUIRE(stats.is_object());
    return stats;
}

std::string hash_of(const TestFolder& folder, const std::vector<std::string>& more = {}) {
    return command_stats(folder, more).at("film_hash").get<std::string>();
}

std::string attribute_of(const std::string& path, const std::string& name) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    return std::string(input->spec().get_string_attribute(name));
}

film::Picture picture_of(const std::string& path) {
    base::Result<film::Picture> picture = film::read_picture(path);
    REQUIRE(picture.is_ok());
    return std::move(picture.value());
}

}  // namespace

TEST_SUITE("app/render_command") {
    TEST_CASE("every format has the requested size and shows the same picture") {
        const TestFolder folder;
        REQUIRE(run_weft(render_of(folder.file("a.exr"))).exit_code == kExitDone);
        for (const char* name : {"a.png", "a.hdr", "a.jpg", "a.tif"}) {
            const std::string path = folder.file(name);
            CAPTURE(path);
            REQUIRE(run_weft(render_of(path)).exit_code == kExitDone);
            const film::Picture picture = picture_of(path);
            CHECK(picture.width == kCommandSide);
            CHECK(picture.height == kCommandSide);
            const Ended compared =
                run_weft({"compare", path, folder.file("a.exr"), "--metric", "psnr"});
            REQUIRE(compared.out.starts_with("psnr "));
            CHECK(std::stod(compared.out.substr(5)) > 25);
        }
        CHECK(folder.files().size() == 5);
    }

    TEST_CASE("width alone keeps the aspect ratio and width with height overrides it") {
        const TestFolder folder;
        for (const auto& [sides, width, height] :
             {std::tuple{std::vector<std::string>{"--height", "20"}, kCommandSide, 20U},
              {std::vector<std::string>{}, kCommandSide, kCommandSide}}) {
            REQUIRE(run_weft(render_of(folder.file("a.png"), sides)).exit_code == kExitDone);
            const film::Picture picture = picture_of(folder.file("a.png"));
            CHECK(picture.width == width);
            CHECK(picture.height == height);
        }
    }

    TEST_CASE("the header of an EXR states how the picture was made") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        const std::vector<std::string> arguments =
            render_of(path, {"--seed", "7", "--fov", "90", "--stats", folder.file("a.json")});
        REQUIRE(run_weft(arguments).exit_code == kExitDone);
        CHECK(attribute_of(path, "weft:seed") == "7");
        CHECK(attribute_of(path, "weft:samples_per_pixel") == std::to_string(kSpp));
        CHECK(attribute_of(path, "weft:camera_name") == "camera");
        CHECK(attribute_of(path, "weft:camera_to_world") == "1 0 0 0 0 1 0 1 0 0 1 3.9");
        CHECK(std::stod(attribute_of(path, "weft:camera_yfov_rad")) == doctest::Approx(1.5707963));
        CHECK(attribute_of(path, "weft:dropped_samples") == "0");
        const std::string command_line = attribute_of(path, "weft:command_line");
        for (const std::string& argument : arguments) {
            CHECK(command_line.find(argument) != std::string::npos);
        }
        const Ended version = run_weft({"--version"});
        CHECK("weft " + attribute_of(path, "weft:version") + "\n" == version.out);
        const json stats = json::parse(film::bytes_of(folder.file("a.json")));
        CHECK(stats.at("film_hash") == attribute_of(path, "weft:film_hash"));
        CHECK(stats.at("command_line") == command_line);
    }

    TEST_CASE("a biased picture says what biases it wherever it is shown") {
        const TestFolder folder;
        const std::string bias = "paths regularised to roughness 0.3, indirect light clamped at 20";
        const std::vector<std::string> more = {"--regularize", "0.3", "--clamp-indirect", "20"};
        for (const char* const name : {"a.exr", "a.png"}) {
            std::vector<std::string> words = more;
            words.insert(words.end(), {"--stats", folder.file("a.json"), "--log-level", "info"});
            if (folder.file(name).ends_with(".exr")) {
                words.emplace_back("--keep-film");
            }
            const Ended ended = run_weft(render_of(folder.file(name), words));
            REQUIRE(ended.exit_code == kExitDone);
            CHECK(ended.err.find("biased: " + bias) != std::string::npos);
            CHECK(attribute_of(folder.file(name), "weft:bias") == bias);
            CHECK(json::parse(film::bytes_of(folder.file("a.json"))).at("bias") == bias);
        }
        const std::vector<std::string> files = {folder.file("b.exr"), folder.file("a.exr")};
        REQUIRE(run_weft({"merge", files[0], files[1]}).exit_code == kExitDone);
        REQUIRE(run_weft(render_of(folder.file("c.exr"),
                                   {"--regularize",
                                    "0.3",
                                    "--clamp-indirect",
                                    "20",
                                    "--aov",
                                    "albedo,normal,depth"}))
                    .exit_code == kExitDone);
        REQUIRE(run_weft({"denoise", folder.file("c.exr"), "-o", folder.file("d.exr")}).exit_code ==
                kExitDone);
        for (const char* const name : {"a.exr", "b.exr", "d.exr"}) {
            CHECK(attribute_of(folder.file(name), "weft:bias") == bias);
            CHECK(run_weft({"verify", folder.file(name)}).out.find("biased: " + bias + "\n") !=
                  std::string::npos);
        }
        // An unbiased one says nothing of the kind.
        CHECK(!command_stats(folder, {"--regularize", "0"}).contains("bias"));
        CHECK(attribute_of(folder.file("stats.exr"), "weft:bias").empty());
    }

    TEST_CASE("what came of the pilot of guided paths is told wherever the picture is") {
        const TestFolder folder;
        const std::string path = folder.file("stats.exr");
        const json asked = command_stats(folder, {"--guiding", "auto"}).at("guiding");
        CHECK((asked.at("asked") == "auto" && asked.at("verdict") == "pays too little"));
        CHECK(asked.at("worth_of_ray") < 4.0 / 3);
        CHECK(attribute_of(path, "weft:guiding") == "auto");
        CHECK(attribute_of(path, "weft:guiding_verdict") == "pays too little");
        const json guided = {{"asked", "on"}, {"verdict", "guided"}, {"worth_of_ray", nullptr}};
        CHECK(command_stats(folder, {"--guiding", "on"}).at("guiding") == guided);
        CHECK(attribute_of(path, "weft:guiding_verdict") == "guided");
        CHECK(!command_stats(folder).contains("guiding"));
        // Without light there is nothing to learn.
        const json dark = command_stats(folder, {"--guiding", "auto", "--hide", "light"});
        CHECK(dark.at("guiding").at("verdict") == "too little light");
        const Ended told = run_weft(render_of(path, {"--guiding", "auto", "--log-level", "info"}));
        CHECK(told.err.find("not guided: it pays too little") != std::string::npos);
    }

    TEST_CASE("all AOVs are in one file and agree about the visible wall") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        REQUIRE(run_weft(render_of(path,
                                   {"--filter",
                                    "box",
                                    "--exr-type",
                                    "float",
                                    "--aov",
                                    "albedo,normal,depth,position,instance"}))
                    .exit_code == kExitDone);
        const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
        REQUIRE(input);
        std::vector<std::vector<float>> layers;
        for (int part = 0; input->seek_subimage(part, 0); ++part) {
            const OIIO::ImageSpec spec = input->spec();
            CHECK(spec.width == static_cast<int>(kCommandSide));
            CHECK(spec.height == static_cast<int>(kCommandSide));
            std::vector<float> pixels(std::size_t{kCommandSide} * kCommandSide *
                                      static_cast<std::size_t>(spec.nchannels));
            REQUIRE(input->read_image(
                part, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, pixels.data()));
            layers.push_back(std::move(pixels));
            CHECK(std::string(spec.get_string_attribute("oiio:subimagename")) ==
                  std::vector<std::string>{
                      "rgba", "albedo", "normal", "depth", "position", "instance"}
                      .at(static_cast<std::size_t>(part)));
        }
        REQUIRE(layers.size() == 6);
        // This pixel shows the red wall: normal +x, position x = -1, albedo mostly red.
        const std::size_t at = std::size_t{kCommandSide} * (kCommandSide / 2) + 1;
        CHECK(layers[1][3 * at] > 2 * layers[1][3 * at + 1]);
        CHECK(layers[2][3 * at] == doctest::Approx(1).epsilon(1e-3));
        CHECK(layers[4][3 * at] == doctest::Approx(-1).epsilon(1e-3));
        CHECK(layers[3][at] > 2);
        CHECK(layers[3][at] < 6);
        CHECK(layers[5][at] != layers[5][at + kCommandSide - 3]);
    }

    TEST_CASE("the figures have every documented field and add up") {
        const TestFolder folder;
        const json stats = command_stats(folder);
        const json& scene = stats.at("scene");
        CHECK(scene.at("triangles") == 44);
        CHECK(scene.at("unique_triangles") == 44);
        CHECK(scene.at("instances") == 9);
        CHECK(scene.at("materials") == 5);
        CHECK(scene.at("textures") == 0);
        CHECK(scene.at("lights") > 0);
        CHECK(scene.at("bytes") > 0);
        const json& times = stats.at("times");
        for (const char* name : {"import_s", "build_s", "first_image_s", "render_s"}) {
            CHECK(times.at(name) > 0);
            CHECK(times.at(name) <= times.at("total_s"));
        }
        CHECK(times.at("first_image_s") <= times.at("render_s"));
        const json& samples = stats.at("samples");
        CHECK(samples.at("spp") == kSpp);
        CHECK(samples.at("total") == kCommandSide * kCommandSide * kSpp);
        CHECK(samples.at("per_second") > 0);
        const json& rays = stats.at("rays");
        CHECK(rays.at("camera") == samples.at("total"));
        CHECK(rays.at("total") == rays.at("camera").get<u64>() + rays.at("bounce").get<u64>() +
                                      rays.at("shadow").get<u64>());
        CHECK(rays.at("per_second") > samples.at("per_second"));
        const json& scheduler = stats.at("scheduler");
        CHECK(scheduler.at("mode") == "keyed");
        CHECK(scheduler.at("policy") == "depth_first");
        CHECK(scheduler.at("packets") > 0);
        CHECK(scheduler.at("distinct_keys") > 0);
        CHECK(scheduler.at("age_p50") <= scheduler.at("age_p95"));
        CHECK(scheduler.at("age_p95") > 0);
        CHECK(scheduler.at("age_p95") < 2 * scheduler.at("max_age").get<u64>());
        CHECK(scheduler.at("storage_high_water_bytes") > 0);
        CHECK(scheduler.at("lanes_active") > 0);
        CHECK(scheduler.at("lanes_active") <= scheduler.at("lanes_issued"));
        CHECK(scheduler.at("occupancy") > 0);
        CHECK(scheduler.at("occupancy") <= 1);
        CHECK(scheduler.at("fibres_spawned") > 0);
        CHECK(scheduler.at("fibres_spawned") == scheduler.at("fibres_completed"));
        for (const char* kind : {"camera", "geometry", "compute"}) {
            CAPTURE(kind);
            const json& cut = stats.at("data_managers").at(kind);
            CHECK(cut.at("threads") > 0);
            CHECK(cut.at("finished") == cut.at("threads"));
        }
        const json& commands = stats.at("commands");
        CHECK(commands.at("draws") == 11);    // instances, surroundings, the frame
        CHECK(commands.at("recorded") == 8);  // for each of four materials a surface and a group
        CHECK(commands.at("executed_groups") == 4);
        CHECK(commands.at("reused") == 0);
        CHECK(commands.at("groups_taken_over") == 0);
        CHECK(commands.at("patches") == 5);  // of the surfaces, and of the frame
        const json& runtime = stats.at("runtime");
        CHECK(runtime.at("contexts") == 1);
        CHECK(runtime.at("kernel_objects") == 14);
        CHECK(runtime.at("mapped_buffers") == 3);
        CHECK(runtime.at("buffers") == runtime.at("lent_buffers").get<u64>() + 3 + 2);
        CHECK(runtime.at("images") == 1);
        CHECK(runtime.at("bindings") > runtime.at("buffers"));
        CHECK(runtime.at("programs") == 2);   // the units, the frame
        CHECK(runtime.at("followers") == 1);  // the frame
        REQUIRE(stats.at("devices").size() == 1);
        const json& device = stats.at("devices").at(0);
        CHECK(device.at("name") == "cpu");
        CHECK(device.at("isa") == shaders::isa_name(shaders::best_isa()));
        CHECK(device.at("units") == 2);
        CHECK(device.at("share") == 1);
        CHECK(stats.at("dropped_samples") == 0);
        CHECK(stats.at("film_hash").get<std::string>().size() == 32);
        CHECK(stats.at("peak_rss_bytes") > 1'000'000);
        CHECK(stats.contains("version"));
        CHECK(stats.contains("command_line"));
    }

    TEST_CASE("heat gives the cost of each mesh and material and changes no bit of the film") {
        const TestFolder folder;
        const json cold = command_stats(folder);
        CHECK(!cold.contains("heat"));
        const json stats = command_stats(folder, {"--heat"});
        CHECK(stats.at("film_hash") == cold.at("film_hash"));
        const json& kernels = stats.at("scheduler").at("kernels");
        for (const char* rows : {"meshes", "materials"}) {
            CAPTURE(rows);
            u64 visits = 0;
            u64 shaded = 0;
            double share = 0;
            for (const json& row : stats.at("heat").at(rows)) {
                visits += row.at("node_visits").get<u64>();
                shaded += row.at("shade").at("lanes_active").get<u64>();
                share += row.at("share").get<double>();
                CHECK(row.at("index").is_null() == row.at("name").get<std::string>().empty());
            }
            CHECK(visits == kernels.at("closest").at("node_visits").get<u64>() +
                                kernels.at("shadow").at("node_visits").get<u64>());
            CHECK(shaded == kernels.at("shade").at("lanes_active").get<u64>());
            CHECK(share == doctest::Approx(1));
        }
        const Ended alone = run_weft(render_of(folder.file("a.png"), {"--heat"}));
        CHECK(alone.exit_code == kExitUsage);
        CHECK(alone.err.find("--stats") != std::string::npos);
    }

    TEST_CASE("the way of gathering work changes no bit of the film") {
        const TestFolder folder;
        const std::string expected = hash_of(folder);
        for (const std::vector<std::string>& options :
             {std::vector<std::string>{"--scheduler", "unkeyed"},
              {"-t", "1"},
              {"-t", "3"},
              {"--policy", "fullest"},
              {"--policy", "oldest"},
              {"--policy", "priority"},
              {"--policy", "balanced"},
              {"--paths", "64", "--batch", "16"}}) {
            CAPTURE(options.back());
            CHECK(hash_of(folder, options) == expected);
        }
    }

    TEST_CASE("every instruction set of this machine renders and those with FMA agree") {
        const TestFolder folder;
        std::string fused_hash;
        for (const shaders::Isa isa :
             {shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512}) {
            const std::string name = shaders::isa_name(isa);
            CAPTURE(name);
            if (!shaders::is_supported(isa)) {
                const Ended refused = run_weft(render_of(folder.file("a.exr"), {"--isa", name}));
                CHECK(refused.exit_code == kExitUsage);
                CHECK(refused.err.find(name) != std::string::npos);
                continue;
            }
            const json stats = command_stats(folder, {"--isa", name});
            CHECK(stats.at("devices").at(0).at("isa") == name);
            const std::string hash = stats.at("film_hash");
            if (isa != shaders::Isa::Sse4) {
                CHECK((fused_hash.empty() || fused_hash == hash));
                fused_hash = hash;
            }
        }
    }

    TEST_CASE("embree and the BVH of Weft make the same picture") {
        const TestFolder folder;
        REQUIRE(run_weft(render_of(folder.file("own.exr"), {"--spp", "16"})).exit_code ==
                kExitDone);
        REQUIRE(
            run_weft(render_of(folder.file("embree.exr"), {"--spp", "16", "--scheduler", "embree"}))
                .exit_code == kExitDone);
        const Ended compared = run_weft(
            {"compare", folder.file("own.exr"), folder.file("embree.exr"), "--metric", "psnr"});
        REQUIRE(compared.out.starts_with("psnr "));
        CHECK(std::stod(compared.out.substr(5)) > 40);
    }

    TEST_CASE("hide changes the film and show after it restores the film") {
        const TestFolder folder;
        const std::string whole = hash_of(folder);
        CHECK(hash_of(folder, {"--hide", "tall box"}) != whole);
        CHECK(hash_of(folder, {"--hide", "tall box", "--show", "tall box"}) == whole);
        CHECK(hash_of(folder, {"--seed", "1"}) != whole);
        CHECK(hash_of(folder, {"--spp", "3"}) != whole);
    }

    TEST_CASE("C8 clip planes change the film and one that cuts nothing does not") {
        const TestFolder folder;
        const std::string whole = hash_of(folder);
        const std::string cut = hash_of(folder, {"--clip-plane", "-1,0,0,0"});
        CHECK(cut != whole);
        CHECK(hash_of(folder, {"--clip-plane", "-2,0,0,0"}) == cut);
        CHECK(hash_of(folder, {"--clip-plane", "-1,0,0,0", "--scheduler", "unkeyed"}) == cut);
        CHECK(hash_of(folder, {"--clip-plane", "-1,0,0,0", "--clip-plane", "0,-1,0,1"}) != cut);
        CHECK(hash_of(folder, {"--clip-plane", "0,1,0,100"}) == whole);
        // Light from outside makes the cap visible.
        const std::vector<std::string> open = {
            "--clip-plane", "0,0,-1,0.1", "--environment-color", "1,1,1"};
        std::vector<std::string> capped = open;
        capped.push_back("--clip-cap");
        CHECK(hash_of(folder, capped) != hash_of(folder, open));
    }

    TEST_CASE("pixelbounds render the same pixels as the whole picture") {
        const TestFolder folder;
        REQUIRE(run_weft(render_of(folder.file("whole.exr"), {"--exr-type", "float"})).exit_code ==
                kExitDone);
        REQUIRE(run_weft(render_of(folder.file("crop.exr"),
                                   {"--exr-type", "float", "--pixelbounds", "3,9,5,20"}))
                    .exit_code == kExitDone);
        const film::Picture whole = picture_of(folder.file("whole.exr"));
        const film::Picture crop = picture_of(folder.file("crop.exr"));
        REQUIRE(crop.width == 6);
        REQUIRE(crop.height == 15);
        CHECK(crop.x0 == 3);
        CHECK(crop.y0 == 5);
        u32 differing = 0;
        for (u32 y = 0; y < crop.height; ++y) {
            for (u32 x = 0; x < crop.width; ++x) {
                for (u32 c = 0; c < 3; ++c) {
                    differing += crop.at(x, y, c) != whole.at(x + 3, y + 5, c) ? 1U : 0U;
                }
            }
        }
        CHECK(differing == 0);
    }

    TEST_CASE("debug-pixel prints the events of the sample that is in the picture") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        REQUIRE(run_weft(render_of(path, {"--spp", "1", "--exr-type", "float"})).exit_code ==
                kExitDone);
        const film::Picture picture = picture_of(path);
        const Ended told = run_weft({"render",
                                     "cornell",
                                     "--width",
                                     std::to_string(kCommandSide),
                                     "--debug-pixel",
                                     "2,3",
                                     "-q"});
        CHECK(told.exit_code == kExitDone);
        const std::vector<std::string> lines = lines_of(told.out);
        REQUIRE(lines.size() >= 3);
        CHECK(lines.front().starts_with("Camera ray from (0, 1, 3.9)"));
        CHECK(told.out.find("Hit 0: instance") != std::string::npos);
        REQUIRE(lines.back().starts_with("radiance "));
        CHECK(std::stod(lines.back().substr(9)) ==
              doctest::Approx(picture.at(2, 3, 0)).epsilon(1e-3));
    }

    TEST_CASE("a time limit ends early with 0 and reports the samples that every pixel has") {
        const TestFolder folder;
        const json stats = command_stats(folder, {"--spp", "1000000", "--time-limit", "0.2"});
        const u64 spp = stats.at("samples").at("spp");
        const u64 total = stats.at("samples").at("total");
        CHECK(spp < 1'000'000);
        // A slow machine may end in the middle of a wave.
        CHECK(total > 0);
        CHECK(total >= kCommandSide * kCommandSide * spp);
        CHECK(attribute_of(folder.file("stats.exr"), "weft:samples_per_pixel") ==
              std::to_string(spp));
    }

    TEST_CASE("a time limit can end the first wave of samples of a large picture") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        const Ended ended = run_weft({"render",
                                      "cornell",
                                      "--width",
                                      "1024",
                                      "--height",
                                      "1024",
                                      "--max-bounces",
                                      "40",
                                      "--time-limit",
                                      "0.05",
                                      "-t",
                                      "2",
                                      "-o",
                                      path,
                                      "--stats",
                                      folder.file("a.json")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        const json stats = json::parse(film::bytes_of(folder.file("a.json")));
        const u64 samples = stats.at("samples").at("total");
        const u64 empty = stats.at("samples").at("empty_pixels");
        CHECK(samples > 0);
        CHECK(samples < u64{1024} * 1024);
        CHECK(samples + empty == u64{1024} * 1024);
        CHECK(stats.at("samples").at("spp") == 0);
        CHECK(attribute_of(path, "weft:samples_per_pixel") == "0");
        CHECK(attribute_of(path, "weft:pixels_without_samples") == std::to_string(empty));
        CHECK(ended.err.find("have no sample") != std::string::npos);
        CHECK(is_verified(path));
    }
}

}  // namespace weft::app::testing
