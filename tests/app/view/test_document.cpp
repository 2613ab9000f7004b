// test_document.cpp — undo and redo of edits, the least list of edits, and the file of edits.
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/view/session/document.h"
#include "app/view/session/document_file.h"
#include "engine/frame/renderer.h"
#include "tests/app/view/edited_room.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::Edit;

std::string hash_of(const Document& document) {
    frame::RenderSettings settings;
    settings.width = 24;
    settings.height = 16;
    settings.samples_per_pixel = 2;
    settings.thread_count = 2;
    settings.integrator.path_count = 512;
    settings.integrator.trace_batch = 512;
    settings.clip_planes = document.context().clip_planes;
    auto renderer =
        frame::Renderer::prepare(document.scene(),
                                 document.context().camera,
                                 settings,
                                 scene::hidden_names(document.scene(), document.context()));
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    return renderer.value()->film().film_hash();
}

class Random {
public:
    u32 below(u32 count) { return static_cast<u32>(engine_() % count); }

    std::string number(double low, double high) {
        const double unit = static_cast<double>(engine_() >> 8U) / 16777216.0;
        return std::to_string(low + (high - low) * unit);
    }

private:
    std::mt19937 engine_{7};  // the standard fixes its numbers
};

std::string some_value(const scene::EditField& field, Random& random) {
    switch (field.kind) {
        case scene::EditKind::Flag:
            return random.below(2) == 0 ? "true" : "false";
        case scene::EditKind::Choice:
            return "\"" + field.choices[random.below(static_cast<u32>(field.choices.size()))] +
                   "\"";
        case scene::EditKind::Texture:
            return random.below(2) == 0 ? "null" : "\"made in code\"";
        case scene::EditKind::File:
            return random.below(2) == 0 ? "\"clear sky\"" : "\"soft default environment\"";
        case scene::EditKind::Materials:
            return random.below(2) == 0
                       ? "\"materials/new " + std::to_string(random.below(9)) + "\""
                       : "\"materials/material " + std::to_string(1 + random.below(3)) + "\"";
        case scene::EditKind::Name:
            return random.below(3) == 0 ? "null"
                                        : "\"name " + std::to_string(random.below(9)) + "\"";
        case scene::EditKind::PlaneList:
            return random.below(2) == 0 ? "[]" : "[[0, 1, 0.5, " + random.number(-1, 1) + "]]";
        default:
            break;
    }
    const double low = std::max(field.low, -5.0);
    const double high = std::min(field.high, 5.0);
    if (field.count == 1) {
        return random.number(std::max(low, field.path.ends_with("/ior") ? 1.0 : low), high);
    }
    if (field.count == 12) {
        const std::string x = random.number(0.5, 1.5);
        return "[" + x + ", 0, 0, " + random.number(-1, 1) + ", 0, 1, 0.25, 1, 0, 0, 1, 2]";
    }
    return "[" + random.number(low, high) + ", " + random.number(low, high) + ", " +
           random.number(low, high) + "]";
}

std::string lines_of(const std::vector<Edit>& edits) {
    std::string lines;
    for (const Edit& edit : edits) {
        lines += edit.path + " = " + edit.value + "\n";
    }
    return lines;
}

// An edit that makes, changes, shows, hides or deletes a collection; valid where it fits.
Edit some_collection(const Document& document, Random& random) {
    const std::string path = "collections/set " + std::to_string(random.below(3));
    const auto nodes = scene::object_paths(document.scene(), "nodes");
    const std::string node = nodes[random.below(static_cast<u32>(nodes.size()))];
    switch (random.below(4)) {
        case 0:
            return {path, "null"};
        case 1:
            return {path + "/visible", random.below(2) == 0 ? "true" : "false"};
        case 2:
            return {path + "/members", "[\"" + node + "\", \"groups/shelf\"]"};
        default:
            return {path, "{\"members\": [\"" + node + "\"]}"};
    }
}

// A random edit: mostly of a field, sometimes one that adds or deletes a light, a material or a
// node.
Edit some_edit(const Document& document, Random& random) {
    const std::vector<std::string> families = {
        "materials", "nodes", "groups", "lights", "cameras", "environment", "camera", "view"};
    if (random.below(10) == 0) {
        return some_collection(document, random);
    }
    const std::string family = families[random.below(8)];
    std::string object = family;
    if (const auto paths = scene::object_paths(document.scene(), family); !paths.empty()) {
        object = paths[random.below(static_cast<u32>(paths.size()))];
        const u32 turn = random.below(6);
        if (family == "lights" && turn == 0 && paths.size() > 1) {
            return {object, "null"};
        }
        if (family == "lights" && turn == 1) {
            return {"lights/new " + std::to_string(random.below(3)),
                    scene::read_value(document.scene(), document.context(), object).value()};
        }
        if (family == "materials" && turn == 0) {
            return {object, "null"};  // valid only for a free path
        }
        if (family == "materials" && turn < 3) {
            return {"materials/new " + std::to_string(random.below(9)),
                    "{\"copy_of\": \"" + object + "\"}"};
        }
        if (family == "nodes" && turn == 0 && paths.size() > 1) {
            return {object, "null"};
        }
        if (family == "nodes" && turn < 3) {
            return {"nodes/new " + std::to_string(random.below(9)),
                    "{\"copy_of\": \"" + object + "\"}"};
        }
    }
    const auto fields = scene::editable_fields(document.scene(), document.context(), object);
    const scene::EditField& field = fields[random.below(static_cast<u32>(fields.size()))];
    return {field.path, some_value(field, random)};
}

// Makes `count` valid random edits; skips those that the document refuses.
void edit_at_random(Document& document, Random& random, u32 count) {
    for (u32 taken = 0; taken < count;) {
        const Edit edit = some_edit(document, random);
        const base::Status done = document.edit(edit);
        INFO(edit.path << " = " << edit.value);
        taken += done.is_ok() ? 1U : 0U;
    }
}

}  // namespace

TEST_SUITE("app/view/document") {
    TEST_CASE("two hundred edits and as many undos restore the scene and the film") {
        Document document = opened(room());
        const std::string start = everything(document);
        const std::string start_hash = hash_of(document);
        Random random;
        edit_at_random(document, random, 200);
        const std::string end = everything(document);
        const std::string end_hash = hash_of(document);
        CHECK(end != start);
        CHECK(end_hash != start_hash);
        u32 steps = 0;
        while (document.undo()) {
            ++steps;
        }
        CHECK(steps == 200);
        CHECK(everything(document) == start);
        CHECK(hash_of(document) == start_hash);
        while (document.redo()) {
            --steps;
        }
        CHECK(steps == 0);
        CHECK(everything(document) == end);
        CHECK(hash_of(document) == end_hash);
    }

    TEST_CASE(
        "the least list of edits makes the same scene and film and is no longer than needed") {
        const auto scene = room();
        Document document = opened(scene);
        CHECK(document.edits().empty());
        Random random;
        for (u32 turn = 0; turn < 5; ++turn) {
            edit_at_random(document, random, 40);
            const std::vector<Edit> edits = document.edits();
            Document other = opened(scene);
            const base::Status done = other.edit_all(edits);
            REQUIRE_MESSAGE(done.is_ok(), done.error().sentence);
            CHECK(everything(other) == everything(document));
            CHECK(hash_of(other) == hash_of(document));
            CHECK(lines_of(other.edits()) == lines_of(edits));
        }
        while (document.undo()) {
        }
        CHECK(document.edits().empty());
        REQUIRE(document.edit({"materials/material 1/roughness", "0.5"}).is_ok());
        REQUIRE(document.edit({"materials/material 1/roughness", "0.75"}).is_ok());
        REQUIRE(document.edit({"view/exposure", "1"}).is_ok());
        REQUIRE(document.edit({"view/exposure", "0"}).is_ok());
        CHECK(document.edits() == std::vector<Edit>{{"materials/material 1/roughness", "0.75"}});
    }

    TEST_CASE("an added and deleted object leaves no edit and a copy leaves one") {
        Document document = opened(room());
        const std::string copy = R"({"copy_of": "nodes/node 3"})";
        REQUIRE(document.edit({"nodes/copy", copy}).is_ok());
        REQUIRE(document.edit({"nodes/copy/visible", "false"}).is_ok());
        REQUIRE(document.edit({"nodes/other", R"({"copy_of": "nodes/node 4"})"}).is_ok());
        REQUIRE(document.edit({"nodes/node 4", "null"}).is_ok());
        REQUIRE(document.edit({"nodes/copy", "null"}).is_ok());
        CHECK(document.edits() ==
              std::vector<Edit>{{"nodes/other", R"({"copy_of": "nodes/node 4"})"},
                                {"nodes/node 4", "null"}});
        // An object that was copied stays until the copy is made.
        REQUIRE(document.edit({"nodes/copy", copy}).is_ok());
        REQUIRE(document.edit({"nodes/twin", R"({"copy_of": "nodes/copy"})"}).is_ok());
        REQUIRE(document.edit({"nodes/copy", "null"}).is_ok());
        CHECK(document.edits().size() == 5);
        const std::string end = everything(document);
        Document other = opened(room());
        REQUIRE(other.edit_all(document.edits()).is_ok());
        CHECK(everything(other) == end);
    }

    TEST_CASE("a copy of an object that moved later stands where it was made") {
        const auto scene = room();
        Document document = opened(scene);
        const std::string moved = "[1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0]";
        REQUIRE(document.edit({"nodes/node 3/transform", moved}).is_ok());
        REQUIRE(document.edit({"nodes/copy", R"({"copy_of": "nodes/node 3"})"}).is_ok());
        REQUIRE(document.edit({"nodes/node 3", "null"}).is_ok());
        Document other = opened(scene);
        REQUIRE(other.edit_all(document.edits()).is_ok());
        CHECK(everything(other) == everything(document));
        CHECK(other.edits() == document.edits());
    }

    TEST_CASE("a scene without objects renders and undo restores them") {
        Document document = opened(room());
        const std::string start_hash = hash_of(document);
        for (const std::string& path : scene::object_paths(document.scene(), "nodes")) {
            REQUIRE(document.edit({path, "null"}).is_ok());
        }
        CHECK(document.scene().instances.empty());
        CHECK(hash_of(document) != start_hash);
        while (document.undo()) {
        }
        CHECK(hash_of(document) == start_hash);
    }

    TEST_CASE("a drag is one step and undo restores the state before it") {
        Document document = opened(room());
        const std::string start = everything(document);
        for (u32 k = 0; k < 10; ++k) {
            const Edit edit = {"environment/rotation_deg", std::to_string(10 + k)};
            REQUIRE(document.edit(edit, k > 0).is_ok());
        }
        CHECK(document.done().size() == 1);
        CHECK(document.undo());
        CHECK(everything(document) == start);
        CHECK(!document.can_undo());
        CHECK(document.redo());
        CHECK(document.context().hidden.empty());
        CHECK(document.edits() == std::vector<Edit>{{"environment/rotation_deg", "19"}});
        CHECK(!document.can_redo());
    }

    TEST_CASE("intermediate values of a drag leave no trace") {
        Document document = opened(room());
        REQUIRE(document.edit({"lights/lamp#2/inner_deg", "30"}).is_ok());
        const auto angle = [&](const std::string& field) {
            return scene::read_value(document.scene(), document.context(), "lights/lamp#2/" + field)
                .value();
        };
        // The outer angle goes below the inner one, which follows, and comes back.
        for (const char* const outer : {"40", "20", "10", "50"}) {
            REQUIRE(document
                        .edit({"lights/lamp#2/outer_deg", outer},
                              std::string(outer) != std::string("40"))
                        .is_ok());
            CHECK(angle("inner_deg") == (std::stoi(outer) < 30 ? outer : "30"));
        }
        CHECK(document.done().size() == 2);
        const std::string end = everything(document);
        CHECK(document.undo());
        CHECK(document.redo());
        CHECK(everything(document) == end);
    }

    TEST_CASE("a camera gesture is one step and keeps the steps to redo") {
        Document document = opened(room());
        scene::Camera camera = document.context().camera;
        const scene::Camera start = camera;
        for (u32 k = 0; k < 5; ++k) {
            camera.to_world[3] += 0.1F;
            document.move_camera(camera, 7);
        }
        camera.to_world[7] += 0.3F;
        document.move_camera(camera, 8);
        CHECK(document.done().size() == 2);
        CHECK(!document.is_changed());
        CHECK(document.undo());
        CHECK(document.undo());
        CHECK(document.context().camera.to_world == start.to_world);
        scene::Camera aside = start;
        aside.to_world[11] -= 1;
        document.move_camera(aside, 9);
        CHECK(document.context().camera.to_world == aside.to_world);
        CHECK(document.redo());
        CHECK(document.redo());
        CHECK(document.context().camera.to_world == camera.to_world);
        CHECK(!document.can_redo());
        REQUIRE(document.edit({"view/exposure", "1"}, true).is_ok());
        CHECK(document.done().size() == 3);
        CHECK(document.is_changed());
    }

    TEST_CASE("replacing the camera with its lens is a step even after an undo") {
        Document document = opened(room());
        REQUIRE(document.edit({"camera/lens_radius_m", "0.05"}).is_ok());
        REQUIRE(document.edit({"view/exposure", "1"}).is_ok());
        CHECK(document.undo());
        const scene::Camera before = document.context().camera;
        scene::Camera other = before;
        other.to_world[3] += 2;
        other.lens_radius_m = 0;
        other.yfov_rad = 0.5F;
        REQUIRE(document.replace_camera(other).is_ok());
        CHECK(document.context().camera.lens_radius_m == 0);
        CHECK(document.context().camera.to_world == other.to_world);
        CHECK(document.done().size() == 2);
        CHECK(document.is_changed());
        CHECK(document.undo());
        CHECK(document.context().camera.to_world == before.to_world);
        CHECK(document.context().camera.lens_radius_m == before.lens_radius_m);
        CHECK(document.context().camera.yfov_rad == before.yfov_rad);
        REQUIRE(document.replace_camera(before).is_ok());
        CHECK(document.done().size() == 1);  // the same camera makes no step
    }

    TEST_CASE("a change that was changed back needs no saving") {
        Document document = opened(room());
        const std::string node = scene::object_paths(document.scene(), "nodes").front();
        REQUIRE(document.edit({node + "/visible", "false"}).is_ok());
        CHECK(document.is_changed());
        REQUIRE(document.edit({node + "/visible", "true"}).is_ok());
        CHECK(!document.is_changed());
        REQUIRE(document.edit({"view/exposure", "1"}).is_ok());
        document.mark_saved();
        REQUIRE(document.edit({"view/exposure", "0"}).is_ok());
        CHECK(document.is_changed());  // the file has 1
        scene::Camera moved = document.context().camera;
        moved.to_world[3] += 1;
        document.move_camera(moved, 3);
        REQUIRE(document.edit({"view/exposure", "1"}).is_ok());
        CHECK(!document.is_changed());
    }

    TEST_CASE("an edit makes another scene and an edit of the context keeps the scene") {
        Document document = opened(room());
        const auto before = document.shared_scene();
        CHECK(document.take_effect() == scene::kEffectAll);
        REQUIRE(document.edit({"view/exposure", "2"}).is_ok());
        CHECK(document.shared_scene() == before);
        CHECK(document.take_effect() == scene::kEffectView);
        REQUIRE(document.edit({"materials/material 0/metallic", "1"}).is_ok());
        CHECK(document.take_effect() == scene::kEffectShading);
        CHECK(document.shared_scene() != before);
        REQUIRE(!document.edit({"materials/material 0/metallic", "2"}).is_ok());
        CHECK(document.done().size() == 2);
        CHECK(document.take_effect() == scene::kEffectNone);
    }

    TEST_CASE("a saved file read again makes the same scene and the document counts as saved") {
        const TestFolder folder;
        const auto scene = room();
        Document document = opened(scene);
        Random random;
        edit_at_random(document, random, 60);
        // End with an edit that changes something; a random one may set the present value.
        REQUIRE(document.edit({"materials/material 2/roughness", "0.0625"}).is_ok());
        CHECK(document.is_changed());
        const std::string path = folder.file("room.glb.weft-edits.json");
        REQUIRE(save_edits(document, "room.glb", path).is_ok());
        CHECK(!document.is_changed());
        Document other = opened(scene);
        const base::Status loaded = load_edits(other, path);
        REQUIRE_MESSAGE(loaded.is_ok(), loaded.error().sentence);
        CHECK(everything(other) == everything(document));
        CHECK(hash_of(other) == hash_of(document));
        CHECK(other.done().size() == 1);
        CHECK(document.undo());
        CHECK(document.is_changed());
        CHECK(document.redo());
        CHECK(!document.is_changed());
    }

    TEST_CASE("a damaged file of edits is refused with its place and changes nothing") {
        const TestFolder folder;
        Document document = opened(room());
        const std::string start = everything(document);
        const std::string path = folder.file("bad.json");
        std::ofstream(path) << R"({"weft_edits": 1, "edits": [
            {"path": "view/exposure", "value": 1}, {"path": "nodes/none/visible", "value": true}]})";
        const base::Status loaded = load_edits(document, path);
        REQUIRE(!loaded.is_ok());
        CHECK(loaded.error().sentence.starts_with(path + ": nodes/none/visible: "));
        CHECK(everything(document) == start);
        CHECK(!document.can_undo());
    }
}

}  // namespace weft::app::testing
