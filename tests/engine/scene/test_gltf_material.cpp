// test_gltf_material.cpp — every field of a material record from the property that sets it.
#include <cmath>

#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

Scene import_material(const Json& material, const std::string& name) {
    Writer writer;
    writer.add_triangle();
    writer.json["meshes"][0]["primitives"][0]["material"] = 0;
    writer.json["materials"] = Json::array({material});
    return import_ok(writer, name);
}

// The record of the material that the triangle has.
shaders::MaterialRecord record_of(const Json& material) {
    const Scene scene = import_material(material, "material");
    REQUIRE(scene.materials.size() == 2);
    REQUIRE(scene.instances[0].material == 1);
    return scene.materials[1].record;
}

shaders::MaterialRecord record_of_extension(const char* name, const Json& extension) {
    return record_of({{"extensions", {{name, extension}}}});
}

}  // namespace

TEST_SUITE("engine/scene/gltf_material") {
    TEST_CASE("a primitive without material has glTF's default one") {
        Writer writer;
        writer.add_triangle();
        const Scene scene = import_ok(writer, "default_material");
        const shaders::MaterialRecord& record = scene.materials[scene.instances[0].material].record;
        CHECK(record.base_color[0] == 1);
        CHECK(record.metallic == 1);
        CHECK(record.roughness == 1);
        CHECK(record.ior == 1.5f);
        CHECK(record.specular == 1);
        CHECK(record.base_color_slot == kNone);
        CHECK(record.anisotropy_slot == kNone);
    }

    TEST_CASE("metallic-roughness factors and emission and alpha are read") {
        const shaders::MaterialRecord record = record_of(
            {{"pbrMetallicRoughness",
              {{"baseColorFactor", {0.1, 0.2, 0.3, 0.4}},
               {"metallicFactor", 0.5},
               {"roughnessFactor", 0.6}}},
             {"emissiveFactor", {1, 0.5, 0}},
             {"alphaMode", "MASK"},
             {"alphaCutoff", 0.25},
             {"extensions", {{"KHR_materials_emissive_strength", {{"emissiveStrength", 8}}}}}});
        CHECK(record.base_color[3] == 0.4f);
        CHECK(record.metallic == 0.5f);
        CHECK(record.roughness == 0.6f);
        CHECK(record.emissive[0] == 8);
        CHECK(record.emissive[1] == 4);
        CHECK(record.alpha_mode == static_cast<u32>(shaders::AlphaMode::Mask));
        CHECK(record.alpha_cutoff == 0.25f);
    }

    TEST_CASE("sides and unlit are flags") {
        CHECK((record_of({{"doubleSided", true}}).flags & shaders::kMaterialSingleSided) == 0);
        CHECK((record_of({{"doubleSided", false}}).flags & shaders::kMaterialSingleSided) != 0);
        CHECK((record_of({{"alphaMode", "BLEND"}}).flags & shaders::kMaterialSingleSided) != 0);
        CHECK((record_of_extension("KHR_materials_unlit", Json::object()).flags &
               shaders::kMaterialUnlit) != 0);
        CHECK(record_of({{"alphaMode", "BLEND"}}).alpha_mode ==
              static_cast<u32>(shaders::AlphaMode::Blend));
    }

    TEST_CASE("ior and specular are read and an ior between 0 and 1 becomes 1") {
        CHECK(record_of_extension("KHR_materials_ior", {{"ior", 1.33}}).ior == 1.33f);
        CHECK(record_of_extension("KHR_materials_ior", {{"ior", 0}}).ior == 0);
        CHECK(record_of_extension("KHR_materials_ior", {{"ior", 0.7}}).ior == 1);
        const auto record =
            record_of_extension("KHR_materials_specular",
                                {{"specularFactor", 0.25}, {"specularColorFactor", {0.5, 1, 2}}});
        CHECK(record.specular == 0.25f);
        CHECK(record.specular_color[2] == 2);
    }

    TEST_CASE("transmission with thickness is a solid that absorbs and without it is thin") {
        const Json transmission = {{"transmissionFactor", 0.75}};
        const auto solid = record_of({{"extensions",
                                       {{"KHR_materials_transmission", transmission},
                                        {"KHR_materials_volume",
                                         {{"thicknessFactor", 0.1},
                                          {"attenuationDistance", 2},
                                          {"attenuationColor", {0.5, 1, 0.25}}}}}}});
        CHECK((solid.flags & shaders::kMaterialSolid) != 0);
        CHECK(solid.transmission == 0.75f);
        CHECK(static_cast<double>(solid.sigma_a[0]) == doctest::Approx(std::log(2.0) / 2));
        CHECK(solid.sigma_a[1] == 0);
        CHECK(static_cast<double>(solid.sigma_a[2]) == doctest::Approx(std::log(4.0) / 2));
        const auto thin =
            record_of({{"extensions",
                        {{"KHR_materials_transmission", transmission},
                         {"KHR_materials_volume",
                          {{"attenuationDistance", 2}, {"attenuationColor", {0, 0, 0}}}}}}});
        CHECK((thin.flags & shaders::kMaterialSolid) == 0);
        CHECK(thin.sigma_a[0] == 0);
    }

    TEST_CASE("what glass with a volume does not show is noted and the index 0 makes a mirror") {
        Json extensions = {{"KHR_materials_transmission", {{"transmissionFactor", 1}}},
                           {"KHR_materials_volume", {{"thicknessFactor", 1}}},
                           {"KHR_materials_specular", {{"specularFactor", 0.5}}},
                           {"KHR_materials_iridescence", {{"iridescenceFactor", 1}}}};
        const Scene glass = import_material({{"extensions", extensions}}, "glass");
        CHECK(has_note(glass, Note::Kind::Ignored, "KHR_materials_specular does not change it"));
        CHECK(has_note(glass, Note::Kind::Ignored, "KHR_materials_iridescence does not change"));
        extensions.erase("KHR_materials_volume");
        const Scene wall = import_material({{"extensions", extensions}}, "wall");
        CHECK(!has_note(wall, Note::Kind::Ignored, "does not change"));
        const Json mirror = {{"KHR_materials_transmission", {{"transmissionFactor", 1}}},
                             {"KHR_materials_volume", {{"thicknessFactor", 1}}},
                             {"KHR_materials_ior", {{"ior", 0}}}};
        CHECK((record_of({{"extensions", mirror}}).flags & shaders::kMaterialSolid) == 0);
    }

    TEST_CASE("clearcoat and sheen and iridescence and anisotropy are read") {
        const auto coat =
            record_of_extension("KHR_materials_clearcoat",
                                {{"clearcoatFactor", 0.5}, {"clearcoatRoughnessFactor", 0.25}});
        CHECK(coat.coat == 0.5f);
        CHECK(coat.coat_roughness == 0.25f);
        const auto sheen =
            record_of_extension("KHR_materials_sheen",
                                {{"sheenColorFactor", {1, 0.5, 0}}, {"sheenRoughnessFactor", 0.3}});
        CHECK(sheen.sheen_color[1] == 0.5f);
        CHECK(sheen.sheen_roughness == 0.3f);
        const auto film =
            record_of_extension("KHR_materials_iridescence",
                                {{"iridescenceFactor", 1}, {"iridescenceThicknessMaximum", 500}});
        CHECK(film.iridescence == 1);
        CHECK(film.iridescence_ior == 1.3f);
        CHECK(film.iridescence_min_nm == 100);
        CHECK(film.iridescence_max_nm == 500);
        const auto brushed = record_of_extension(
            "KHR_materials_anisotropy",
            {{"anisotropyStrength", 0.5}, {"anisotropyRotation", 0.5235987755982988}});
        CHECK(brushed.anisotropy == 0.5f);
        CHECK(static_cast<double>(brushed.anisotropy_cos) == doctest::Approx(std::sqrt(0.75)));
        CHECK(static_cast<double>(brushed.anisotropy_sin) == doctest::Approx(0.5));
    }

    TEST_CASE("specular-glossiness replaces the core workflow") {
        const auto record = record_of(
            {{"pbrMetallicRoughness", {{"baseColorFactor", {0, 0, 0, 1}}, {"metallicFactor", 1}}},
             {"extensions",
              {{"KHR_materials_pbrSpecularGlossiness",
                {{"diffuseFactor", {0.5, 0.25, 1, 1}},
                 {"specularFactor", {0.1, 0.2, 0.3}},
                 {"glossinessFactor", 0.75}}}}}});
        CHECK((record.flags & shaders::kMaterialSpecGloss) != 0);
        CHECK(record.base_color[0] == 0.5f);
        CHECK(record.specular_color[2] == 0.3f);
        CHECK(record.metallic == 0);
        CHECK(record.roughness == 0.25f);
    }

    TEST_CASE("factors beyond their range are clamped with a note that names them") {
        const Scene scene = import_material(
            {{"pbrMetallicRoughness", {{"roughnessFactor", 7}}}, {"alphaMode", "GLASS"}},
            "clamped");
        CHECK(scene.materials[1].record.roughness == 1);
        CHECK(scene.materials[1].record.alpha_mode == static_cast<u32>(shaders::AlphaMode::Opaque));
        CHECK(has_note(
            scene, Note::Kind::Repaired, "/materials/0/pbrMetallicRoughness/roughnessFactor"));
        CHECK(has_note(scene, Note::Kind::Repaired, "/materials/0/alphaMode"));
    }

    TEST_CASE("our own extras give a medium its priority") {
        CHECK(record_of({{"extras", {{"weft_medium_priority", 3}}}}).medium_priority == 3);
        CHECK(record_of({{"extras", {{"weft_medium_priority", "high"}}}}).medium_priority == 0);
        CHECK(record_of({{"extras", "none"}}).medium_priority == 0);
    }

    TEST_CASE("our own extras make a lamp") {
        const auto is_lamp = [](const Json& value) {
            return (record_of({{"extras", {{"weft_lamp", value}}}}).flags &
                    shaders::kMaterialUnseen) != 0;
        };
        CHECK(is_lamp(1));
        CHECK(!is_lamp(0));
        CHECK(!is_lamp("yes"));
    }

    TEST_CASE("dispersion is read and what lies out of its range is clamped with a note") {
        CHECK(record_of_extension("KHR_materials_dispersion", {{"dispersion", 0.36}}).dispersion ==
              0.36f);
        CHECK(record_of_extension("KHR_materials_dispersion", Json::object()).dispersion == 0);
        CHECK(record_of_extension("KHR_materials_dispersion", {{"dispersion", 2.04}}).dispersion ==
              2.04f);
        const Scene scene = import_material(
            {{"extensions", {{"KHR_materials_dispersion", {{"dispersion", -1}}}}}}, "negative");
        CHECK(scene.materials[1].record.dispersion == 0);
        CHECK(has_note(scene,
                       Note::Kind::Repaired,
                       "/materials/0/extensions/KHR_materials_dispersion/dispersion"));
        CHECK(!has_note(scene, Note::Kind::Ignored, "dispersion"));
    }

    TEST_CASE("unknown extensions are noted") {
        Writer writer;
        writer.add_triangle();
        writer.json["extensionsUsed"] = {"ACME_glow"};
        const Scene scene = import_ok(writer, "ignored");
        CHECK(has_note(scene, Note::Kind::Ignored, "ACME_glow"));
    }
}
