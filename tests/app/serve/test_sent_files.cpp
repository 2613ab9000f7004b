// test_sent_files.cpp — a session whose client sends meshes, and has pictures and edits saved.
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "app/command/edit_file.h"
#include "engine/film/exr_parts.h"
#include "engine/film/image_file.h"
#include "engine/frame/film_origin.h"
#include "engine/trace/sample_version.h"
#include "tests/app/serve/host.h"
#include "tests/engine/scene/scene_files.h"

namespace {

using namespace weft;
using app::serve::testing::Host;
using app::serve::testing::Json;
using app::serve::testing::kCornell;
using scene::testing::Folder;

constexpr const char* kBox = "short box";

const Json kSettings = {{"do", "settings"},
                        {"options", {"--width", "48", "--height", "32", "--spp", "2"}},
                        {"pixels", "linear"}};

// The Cornell box with two triangles of its short box.
Json cut_cornell() {
    std::ifstream file(kCornell);
    Json cornell = Json::parse(file);
    for (const Json& mesh : cornell.at("meshes")) {
        if (mesh.at("name") == kBox) {
            Json& indices = cornell["accessors"][mesh["primitives"][0]["indices"].get<u32>()];
            indices["count"] = 6;
        }
    }
    return cornell;
}

// Its short box alone.
Json cut_box() {
    Json box = cut_cornell();
    for (u32 mesh = 0; mesh < box["meshes"].size(); ++mesh) {
        if (box["meshes"][mesh]["name"] == kBox) {
            box["nodes"] = {{{"mesh", mesh}}};
        }
    }
    box["scenes"] = {{{"nodes", {0}}}};
    for (const char* rest : {"cameras", "extensions", "extensionsRequired"}) {
        box.erase(rest);
    }
    return box;
}

void begin(Host& host) {
    host.do_well({{"do", "hello"}, {"version", 1}});
    host.do_well(kSettings);
}

u64 load(Host& host, const std::string& path) {
    return host.do_well({{"do", "load"}, {"scenes", {path}}}).at("job");
}

Json mesh_message(const std::string& path, const std::string& name = kBox) {
    return {{"do", "mesh"}, {"mesh", name}, {"file", path}};
}

}  // namespace

TEST_SUITE("app/serve/sent_files") {
    TEST_CASE("a mesh that is sent shows what a scene that holds it shows") {
        const Folder folder("sent_mesh");
        Host whole;
        begin(whole);
        const u64 job = load(whole, folder.write("cut.gltf", cut_cornell().dump()));
        const std::vector<float> expected = whole.await_picture(job, 2).floats;
        Host host;
        begin(host);
        const std::vector<float> before = host.await_picture(load(host, kCornell), 2).floats;
        CHECK(before != expected);
        const Json reply = host.do_well(mesh_message(folder.write("box.gltf", cut_box().dump())));
        CHECK(host.await_picture(reply.at("job"), 2).floats == expected);
    }

    TEST_CASE("a mesh that does not fit is refused and changes nothing") {
        const Folder folder("wrong_mesh");
        const std::string box = folder.write("box.gltf", cut_box().dump());
        Host host;
        begin(host);
        CHECK(host.refusal_of(mesh_message(box)) ==
              "mesh: no scene is loaded; expected load before it");
        const u64 job = load(host, kCornell);
        CHECK(host.refusal_of(mesh_message(box, "round box")) ==
              "mesh \"round box\": the scene has none of this name");
        CHECK(host.refusal_of(mesh_message("/no/such.glb")).find("/no/such.glb") == 0);
        CHECK(host.refusal_of(mesh_message(kCornell)).find("has 9 parts with triangles") !=
              std::string::npos);
        CHECK(host.await_picture(job, 2).header.job == job);
        CHECK(host.do_well({{"do", "status"}}).at("job") == job);
    }

    TEST_CASE("a picture is saved with the samples and the layers of its settings") {
        const Folder folder("saved_picture");
        Host host(folder.file(""));
        begin(host);
        CHECK(host.refusal_of({{"do", "save"}, {"file", "early.exr"}}).find("no picture") !=
              std::string::npos);
        const u64 job = load(host, kCornell);
        const std::vector<float> shown = host.await_picture(job, 2).floats;
        host.do_well({{"do", "save"}, {"file", "saved.exr"}});
        const base::Result<film::Picture> read = film::read_picture(folder.file("saved.exr"));
        REQUIRE(read.is_ok());
        REQUIRE(read.value().pixels.size() == shown.size());
        for (std::size_t k = 0; k < shown.size(); ++k) {
            CHECK(read.value().pixels[k] ==
                  doctest::Approx(shown[k]).epsilon(1e-3));  // half floats
        }
        CHECK(host.refusal_of({{"do", "save"}, {"file", "saved.txt"}}).find("saved.txt") !=
              std::string::npos);
        host.do_well({{"do", "pause"}, {"paused", true}});
        host.do_well({{"do", "save"}, {"file", "paused.exr"}});
        CHECK(std::filesystem::exists(folder.file("paused.exr")));
    }

    TEST_CASE(
        "a picture that its noise ends tells the fewest samples of a pixel, as its file does") {
        const Folder folder("saved_noise");
        Host host(folder.file(""));
        begin(host);
        host.do_well(
            {{"do", "settings"},
             {"options",
              {"--width", "40", "--height", "40", "--spp", "256", "--noise-threshold", "0.2"}},
             {"pixels", "linear"}});
        const u64 job = load(host, kCornell);
        while (host.do_well({{"do", "status"}}).at("state") != "done") {
        }
        host.do_well({{"do", "save"}, {"file", "saved.exr"}});
        const auto stated = [path = folder.file("saved.exr")](const std::string& name) {
            return film::stated_attribute(path, "weft:" + name).value();
        };
        const u32 shown = host.await_picture(job, 1).header.samples;
        CHECK(shown < 256);
        CHECK(stated("samples_per_pixel") == std::to_string(shown));
        CHECK(std::stod(stated("samples_per_pixel_mean")) > shown);
        CHECK(stated("noise_threshold") == "0.2");
        // The rest of what a render writes.
        CHECK(stated("command_line") == "weft serve");
        CHECK(stated("seed") == "0");
        CHECK(stated("sample_version") == std::to_string(trace::kSampleVersion));
        CHECK(stated("arithmetic_class") == frame::arithmetic_class(shaders::best_isa()));
        CHECK(stated("camera_name") == "camera");
        CHECK(stated("camera_to_world") == "1 0 0 0 0 1 0 1 0 0 1 3.9");
        CHECK(!stated("camera_yfov_rad").empty());
        CHECK(stated("dropped_samples") == "0");
        CHECK(stated("pixels_without_samples") == "0");
    }

    TEST_CASE("a picture that is saved at once has the newest job's first samples") {
        const Folder folder("saved_at_once");
        Host host(folder.file(""));
        begin(host);
        load(host, kCornell);
        host.do_well({{"do", "save"}, {"file", "loaded.exr"}});
        const u64 job = host.do_well({{"do", "edit"},
                                      {"edits", {{{"path", "camera/yfov_deg"}, {"value", 50}}}}})
                            .at("job");
        host.do_well({{"do", "save"}, {"file", "edited.exr"}});
        const base::Result<film::Picture> loaded = film::read_picture(folder.file("loaded.exr"));
        const base::Result<film::Picture> edited = film::read_picture(folder.file("edited.exr"));
        REQUIRE(loaded.is_ok());
        REQUIRE(edited.is_ok());
        CHECK(loaded.value().pixels != edited.value().pixels);
        CHECK(host.await_picture(job, 2).header.job == job);
    }

    TEST_CASE("an edit that changes nothing that is shown names the job that is shown") {
        Host host;
        begin(host);
        const u64 job = load(host, kCornell);
        host.await_picture(job, 2);
        CHECK(host.do_well({{"do", "edit"}, {"edits", Json::array()}}).at("job") == job);
        CHECK(host.do_well({{"do", "status"}}).at("job") == job);
        const Json rise = {{"path", "camera/yfov_deg"}, {"value", 50}};
        const u64 next = host.do_well({{"do", "edit"}, {"edits", {rise}}}).at("job");
        CHECK(next == job + 1);
        CHECK(host.await_picture(next, 2).header.job == next);
    }

    TEST_CASE("saved edits lead from the file to what is shown") {
        const Folder folder("saved_edits");
        Host host(folder.file(""));
        begin(host);
        CHECK(host.refusal_of({{"do", "save"}, {"file", "a.json"}}).find("no scene is loaded") !=
              std::string::npos);
        load(host, kCornell);
        const auto edit = [&](const std::string& path, const Json& value) {
            return host.do_well({{"do", "edit"}, {"edits", {{{"path", path}, {"value", value}}}}})
                .at("job");
        };
        for (const double side : {0.1, 0.2, 0.3}) {
            edit("nodes/short box/transform", {1, 0, 0, side, 0, 1, 0, 0, 0, 0, 1, 0});
            edit("camera", {{"yfov_deg", 20 + side}});
        }
        const u64 job = edit("environment/color", {0.1, 0.1, 0.2});
        const std::vector<float> shown = host.await_picture(job, 2).floats;
        host.do_well({{"do", "save"}, {"file", "a.json"}});
        const base::Result<app::EditFile> file = app::read_edit_file(folder.file("a.json"));
        REQUIRE(file.is_ok());
        CHECK(file.value().edits.size() == 3);  // the move, the colour, the camera
        CHECK(file.value().scene.ends_with("cornell.gltf"));
        Host other;
        begin(other);
        load(other, kCornell);
        Json edits = Json::array();
        for (const scene::Edit& made : file.value().edits) {
            edits.push_back({{"path", made.path}, {"value", Json::parse(made.value)}});
        }
        const u64 again = other.do_well({{"do", "edit"}, {"edits", edits}}).at("job");
        CHECK(other.await_picture(again, 2).floats == shown);
    }

    TEST_CASE("without a folder nothing is saved and a sent mesh is in no file of edits") {
        const Folder folder("unsaved");
        Host host;
        begin(host);
        CHECK(host.refusal_of({{"do", "save"}, {"file", "a.exr"}}).find("--save-folder") !=
              std::string::npos);
        Host sending(folder.file(""));
        begin(sending);
        load(sending, kCornell);
        sending.do_well(mesh_message(folder.write("box.gltf", cut_box().dump())));
        CHECK(sending.refusal_of({{"do", "save"}, {"file", "a.json"}}).find("expected load") !=
              std::string::npos);
        CHECK(!std::filesystem::exists(folder.file("a.json")));
    }
}
