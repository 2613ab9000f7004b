// test_gltf_variants.cpp — a variant gives primitives the materials that it maps them to.
#include "tests/engine/scene/gltf_writer.h"

namespace weft::scene::testing {

namespace {

// Two triangles of the first material; the first has a material in variants red (1) and "0" (2).
Writer shoe() {
    Writer writer;
    writer.json["materials"] = {{{"name", "plain"}}, {{"name", "red"}}, {{"name", "blue"}}};
    writer.json["extensionsUsed"] = {"KHR_materials_variants"};
    writer.json["extensions"]["KHR_materials_variants"]["variants"] = {
        {{"name", "none"}}, {{"name", "Red"}}, {{"name", "0"}}};
    const std::size_t corners = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
    const Json own = {{"attributes", {{"POSITION", corners}}}, {"material", 0}};
    Json mapped = own;
    mapped["extensions"]["KHR_materials_variants"]["mappings"] = {
        {{"material", 1}, {"variants", {1}}}, {{"material", 2}, {"variants", {2}}}};
    writer.json["meshes"] = {{{"primitives", {mapped, own}}}};
    writer.json["nodes"] = {{{"mesh", 0}}};
    return writer;
}

std::vector<std::string> materials_of(const Scene& scene) {
    std::vector<std::string> names;
    for (const Instance& instance : scene.instances) {
        names.push_back(scene.materials[instance.material].name);
    }
    return names;
}

std::vector<std::string> shown(const std::string& variant) {
    ImportConfig config;
    config.variant = variant;
    return materials_of(import_ok(shoe(), "shoe", config));
}

}  // namespace

TEST_SUITE("engine/scene/gltf/variants") {
    using Names = std::vector<std::string>;

    TEST_CASE("a variant is chosen by its name, else by its index") {
        CHECK(shown("") == Names{"plain", "plain"});
        CHECK(shown("Red") == Names{"red", "plain"});
        CHECK(shown("none") == Names{"plain", "plain"});
        CHECK(shown("0") == Names{"blue", "plain"});
        CHECK(shown("1") == Names{"red", "plain"});
    }

    TEST_CASE("notes list variants and say which is shown") {
        CHECK(has_note(import_ok(shoe(), "listed"), Note::Kind::Found, "(none, Red, 0): the def"));
        ImportConfig config;
        config.variant = "Red";
        CHECK(has_note(import_ok(shoe(), "red", config), Note::Kind::Found, "Red is shown"));
        Writer plain;
        plain.add_triangle();
        CHECK(has_note(import_ok(plain, "plain", config), Note::Kind::Ignored, "--variant"));
    }

    TEST_CASE("a posed document keeps its variant") {
        Writer writer = shoe();
        const std::size_t times = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
        writer.json["accessors"][times]["min"] = {0};
        writer.json["accessors"][times]["max"] = {1};
        const std::size_t places = writer.add_vec3({0, 0, 0, 1, 0, 0});
        writer.json["animations"] = {
            {{"samplers", {{{"input", times}, {"output", places}}}},
             {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}}};
        ImportConfig config;
        config.variant = "Red";
        config.pose = Pose{.time_s = 0.5};
        const Scene scene = import_ok(writer, "posed", config);
        CHECK(materials_of(scene) == Names{"red", "plain"});
        CHECK(scene.instances[0].object_to_world[3] == doctest::Approx(0.5));
    }

    TEST_CASE("a document without meshes stays as it is") {
        Writer writer = shoe();
        writer.json.erase("meshes");
        writer.json["nodes"] = {{{"name", "empty"}}};
        ImportConfig config;
        config.variant = "Red";
        const Scene scene = import_ok(writer, "bare", config);
        CHECK(scene.instances.empty());
    }

    TEST_CASE("unknown variants and mappings that lead nowhere are refused") {
        ImportConfig config;
        config.variant = "Green";
        Scene scene;
        const std::string path = shoe().write("green.gltf");
        const base::Status status = import_gltf(path, config, scene);
        REQUIRE(!status.is_ok());
        CHECK(status.error().kind == base::ErrorKind::Usage);
        CHECK(contains(status.error().sentence, "--variant Green: " + path));
        CHECK(contains(status.error().sentence, "has none, Red, 0; expected one of these"));
        Writer broken = shoe();
        broken.json["meshes"][0]["primitives"][0]["extensions"]["KHR_materials_variants"]
                   ["mappings"][0]["material"] = 3;
        config.variant = "Red";
        CHECK(contains(import_error(broken.write("far.gltf"), config),
                       "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0/"
                       "material is 3, a whole number below 3 expected"));
    }
}

}  // namespace weft::scene::testing
