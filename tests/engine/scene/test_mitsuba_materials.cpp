// test_mitsuba_materials.cpp — BSDFs, textures, spectra and media of Mitsuba scenes.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/mitsuba_text.h"
#include "tests/engine/scene/picture_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

std::string bsdf(const std::string& type, const std::string& inside = "") {
    return "<bsdf type=\"" + type + "\">" + inside + "</bsdf>";
}

std::string number(const char* name, const char* value) {
    return std::string("<float name=\"") + name + "\" value=\"" + value + "\"/>";
}

std::string text(const char* name, const char* value) {
    return std::string("<string name=\"") + name + "\" value=\"" + value + "\"/>";
}

std::string rgb(const char* name, const char* value) {
    return std::string("<rgb name=\"") + name + "\" value=\"" + value + "\"/>";
}

shaders::MaterialRecord record_of(const std::string& material) {
    const Scene scene = read_mitsuba(rectangle_of(material));
    REQUIRE(scene.instances.size() == 1);
    return material_of(scene, 0);
}

std::string bitmap(const char* name, const char* file, const std::string& inside = "") {
    return std::string("<texture type=\"bitmap\" name=\"") + name + "\">" + text("filename", file) +
           inside + "</texture>";
}

}  // namespace

TEST_SUITE("engine/scene/mitsuba") {
    TEST_CASE("diffuse and plastic keep their colours and indices") {
        const auto grey = record_of("");
        CHECK(grey.base_color[0] == 0.5F);
        CHECK(grey.specular == 0);
        const auto wall = record_of(bsdf("diffuse", rgb("reflectance", "0.57, 0.04, 0.05")));
        CHECK(wall.base_color[1] == 0.04F);
        const auto plastic =
            record_of(bsdf("roughplastic",
                           rgb("diffuse_reflectance", "0.4") + text("int_ior", "water") +
                               number("alpha", "0.25")));
        CHECK(plastic.base_color[2] == 0.4F);
        CHECK(plastic.ior == 1.333F);
        CHECK(plastic.roughness == 0.5F);
        CHECK(plastic.specular == 1);
        // What a boundary of index 1.49 holds back of diffuse light: 0.5906.
        const auto nonlinear = record_of(bsdf(
            "plastic",
            rgb("diffuse_reflectance", "0.5") + "<boolean name=\"nonlinear\" value=\"true\"/>"));
        CHECK(nonlinear.base_color[0] ==
              doctest::Approx(0.4094 * 0.5 / (1 - 0.5906 * 0.5)).epsilon(0.001));
        CHECK(record_of(bsdf("plastic",
                             "<boolean name=\"nonlinear\" value=\"true\"/>" +
                                 rgb("diffuse_reflectance", "1")))
                  .base_color[0] == doctest::Approx(1));
    }

    TEST_CASE("the highlight of phong has the width of its exponent about the reflected ray") {
        const auto shiny = record_of(bsdf("phong", number("exponent", "30")));
        CHECK(shiny.roughness == doctest::Approx(std::pow(2.0 / 122, 0.25)));
        CHECK(record_of(bsdf("phong", number("exponent", "0"))).roughness == 1);
        CHECK(shiny.specular_color[0] == doctest::Approx(5));
    }

    TEST_CASE("words have letters of either size, and masks multiply") {
        const auto glass = record_of(bsdf("dielectric", text("int_ior", "BK7")));
        CHECK(glass.ior == record_of(bsdf("dielectric", text("int_ior", "bk7"))).ior);
        const std::string diffuse = rgb("diffuse_reflectance", "0.5");
        CHECK(record_of(bsdf("plastic", diffuse + "<boolean name=\"nonlinear\" value=\"True\"/>"))
                  .base_color[0] ==
              record_of(bsdf("plastic", diffuse + "<boolean name=\"nonlinear\" value=\"true\"/>"))
                  .base_color[0]);
        const std::string half = number("opacity", "0.5");
        CHECK(record_of(bsdf("mask", half + bsdf("mask", half + bsdf("diffuse")))).base_color[3] ==
              0.25F);
    }

    TEST_CASE("conductors have the colour of their metal or their spectra") {
        CHECK(record_of(bsdf("conductor")).base_color[0] == 1);
        const auto gold = record_of(bsdf("roughconductor", text("material", "Au")));
        CHECK(gold.metallic == 1);
        CHECK(gold.base_color[0] > 0.9F);
        CHECK(gold.base_color[2] < 0.5F);
        CHECK(gold.roughness == doctest::Approx(std::sqrt(0.1)));
        const auto numbers =
            record_of(bsdf("conductor", rgb("eta", "0.2 0.9 1.1") + rgb("k", "3.9 2.4 2.2")));
        CHECK(numbers.base_color[0] == doctest::Approx((0.64 + 15.21) / (1.44 + 15.21)));
        const auto spectra = record_of(
            bsdf("conductor",
                 "<spectrum name=\"eta\" value=\"400:1.5, 700:1.5\"/><spectrum name=\"k\" "
                 "value=\"400:2, 700:2\"/>" +
                     rgb("specular_reflectance", "0.5")));
        CHECK(spectra.base_color[1] == doctest::Approx(0.5 * 4.25 / 10.25));
        // The other one is 0 or 1.
        CHECK(record_of(bsdf("conductor", rgb("eta", "2"))).base_color[0] ==
              doctest::Approx(2.0 / 10));
        CHECK(record_of(bsdf("conductor", rgb("k", "3"))).base_color[0] == 1);
        const auto brushed =
            record_of(bsdf("roughconductor", number("alpha_u", "0.4") + number("alpha_v", "0.1")));
        CHECK(brushed.roughness == doctest::Approx(std::sqrt(0.1)));
        // The wide direction: 0.1 + 0.9 s² is 0.4.
        CHECK(brushed.anisotropy == doctest::Approx(std::sqrt(0.3 / 0.9)));
        CHECK(brushed.anisotropy_cos == 1);
    }

    TEST_CASE("conductors of version 0.6 are copper by default") {
        const auto color_of = [](const std::string& material) {
            const Scene scene = read_mitsuba(rectangle_of(material), "0.6.0");
            return math::vec3_at(material_of(scene, 0).base_color);
        };
        const math::Vec3 copper =
            math::vec3_at(record_of(bsdf("conductor", text("material", "Cu"))).base_color);
        CHECK(copper.x > copper.z);
        CHECK(is_near(color_of(bsdf("conductor")), copper));
        CHECK(is_near(color_of(bsdf("roughconductor")), copper));
        CHECK(is_near(color_of(bsdf("conductor", text("material", "none"))), math::Vec3(1)));
        CHECK(is_near(color_of(bsdf("conductor", rgb("eta", "1") + rgb("k", "0"))), {0, 0, 0}));
        // Copper absorbs about 3 to 4 at the red end.
        const math::Vec3 shiny = color_of(bsdf("conductor", rgb("eta", "1")));
        CHECK(shiny.x > 9.0F / 13);
        CHECK(shiny.x < 16.0F / 20);
    }

    TEST_CASE("anisotropic shapes have tangents along u") {
        const Scene scene = read_mitsuba(rectangle_of(
            bsdf("roughconductor", number("alpha_u", "0.4") + number("alpha_v", "0.1"))));
        const u32 tangent = scene.meshes[scene.instances[0].mesh].record.first_tangent;
        REQUIRE(tangent != kNone);
        CHECK(scene.tangents[std::size_t{4} * tangent] == 1);
    }

    TEST_CASE("dielectrics refract, thin ones do not") {
        const auto glass = record_of(bsdf("dielectric"));
        CHECK(glass.transmission == 1);
        CHECK(glass.ior == 1.5046F);
        CHECK(glass.roughness == 0);
        CHECK((glass.flags & shaders::kMaterialSolid) != 0);
        const auto frosted =
            record_of(bsdf("roughdielectric", number("int_ior", "1.7") + number("alpha", "0.04")));
        CHECK(frosted.ior == 1.7F);
        CHECK(frosted.roughness == doctest::Approx(0.2));
        const auto pane = record_of(bsdf("thindielectric"));
        CHECK(pane.transmission == 1);
        CHECK((pane.flags & shaders::kMaterialSolid) == 0);
        // One face of index 1.5 reflects R = 0.04, both 2 R / (1 + R) with what goes to and fro.
        const double index =
            static_cast<double>(record_of(bsdf("thindielectric", number("int_ior", "1.5"))).ior);
        CHECK(std::pow((index - 1) / (index + 1), 2) == doctest::Approx(0.08 / 1.04));
    }

    TEST_CASE("principled parameters go over as they are") {
        const auto record =
            record_of(bsdf("principled",
                           rgb("base_color", "0.8 0.4 0.2") + number("roughness", "0.3") +
                               number("metallic", "0.7") + number("eta", "1.4") +
                               number("clearcoat", "0.8") + number("clearcoat_gloss", "1") +
                               number("spec_trans", "0.25") + number("anisotropic", "0.5")));
        CHECK(record.base_color[1] == 0.4F);
        CHECK(record.metallic == 0.7F);
        CHECK(record.ior == 1.4F);
        CHECK(record.coat == doctest::Approx(0.2));
        CHECK(record.coat_roughness == doctest::Approx(std::sqrt(0.001)));
        CHECK(record.transmission == 0.25F);
        const double aspect = std::sqrt(0.55);
        CHECK(record.roughness == doctest::Approx(std::sqrt(0.09 * aspect)));
        const double narrow = 0.09 * aspect;
        const double strength = static_cast<double>(record.anisotropy);
        CHECK(narrow + (1 - narrow) * strength * strength == doctest::Approx(0.09 / aspect));
        CHECK(record_of(bsdf("principled")).ior == doctest::Approx(1.5));
        const auto thin = record_of(bsdf("principledthin", number("spec_trans", "1")));
        CHECK((thin.flags & shaders::kMaterialSolid) == 0);
        CHECK(thin.transmission == 1);
    }

    TEST_CASE("BSDFs that hold others pass on what is inside") {
        const std::string red = bsdf("diffuse", rgb("reflectance", "1 0 0"));
        const std::string blue = bsdf("diffuse", rgb("reflectance", "0 0 1"));
        CHECK(record_of(bsdf("twosided", red)).base_color[0] == 1);
        CHECK(record_of(bsdf("blendbsdf", red + blue + number("weight", "0.2"))).base_color[0] ==
              1);
        CHECK(record_of(bsdf("blendbsdf", red + blue + number("weight", "0.7"))).base_color[2] ==
              1);
        const auto mask = record_of(bsdf("mask", number("opacity", "0.25") + red));
        CHECK(mask.base_color[3] == 0.25F);
        CHECK(mask.alpha_mode == static_cast<u32>(shaders::AlphaMode::Blend));
        const auto coat = record_of(bsdf("roughcoating", red + number("alpha", "0.25")));
        CHECK(coat.coat == 1);
        CHECK(coat.coat_roughness == 0.5F);
        CHECK(read_mitsuba(rectangle_of(bsdf("null"))).instances.empty());
    }

    TEST_CASE("colours are read in every form that Mitsuba writes") {
        const auto color = [](const std::string& element) {
            const auto record = record_of(bsdf("diffuse", element));
            return math::vec3_at(record.base_color);
        };
        CHECK(is_near(color("<rgb name=\"reflectance\" value=\"0.25\"/>"), math::Vec3(0.25F)));
        CHECK(is_near(color("<srgb name=\"reflectance\" value=\"0.5 0.5 0.5\"/>"),
                      math::Vec3(0.214041F)));
        CHECK(is_near(color("<srgb name=\"reflectance\" value=\"#ff0080\"/>"), {1, 0, 0.215861F}));
        CHECK(is_near(color("<spectrum name=\"reflectance\" value=\"0.3\"/>"), math::Vec3(0.3F)));
        CHECK(is_near(color("<spectrum name=\"reflectance\" value=\"400:0.3 700:0.3\"/>"),
                      math::Vec3(0.3F),
                      1e-4F));
        CHECK(is_near(color("<spectrum type=\"uniform\" name=\"reflectance\"><float "
                            "name=\"value\" value=\"0.6\"/></spectrum>"),
                      math::Vec3(0.6F)));
        CHECK(is_near(color("<spectrum type=\"irregular\" name=\"reflectance\"><string "
                            "name=\"wavelengths\" value=\"400, 700\"/><string name=\"values\" "
                            "value=\"0.2, 0.2\"/></spectrum>"),
                      math::Vec3(0.2F),
                      1e-4F));
    }

    TEST_CASE("spectra of light keep their luminance and black bodies their hue") {
        const auto radiance = [](const std::string& element) {
            const Scene scene = read_mitsuba(
                shape_text("rectangle", "<emitter type=\"area\">" + element + "</emitter>"));
            return math::vec3_at(material_of(scene, 0).emissive);
        };
        const auto luminance = [](const math::Vec3& c) {
            return 0.2126F * c.x + 0.7152F * c.y + 0.0722F * c.z;
        };
        CHECK(is_near(radiance("<spectrum name=\"radiance\" value=\"5\"/>"), math::Vec3(5)));
        CHECK(luminance(radiance("<spectrum name=\"radiance\" value=\"400:3 700:3\"/>")) ==
              doctest::Approx(3));
        const math::Vec3 warm = radiance(
            "<blackbody name=\"radiance\" temperature=\"2700K\" "
            "scale=\"4\"/>");
        CHECK(luminance(warm) == doctest::Approx(4));
        CHECK(warm.x > 1.5F * warm.z);
        const math::Vec3 same = radiance(
            "<spectrum type=\"blackbody\" name=\"radiance\"><float name=\"temperature\" "
            "value=\"2700\"/><float name=\"scale\" value=\"4\"/></spectrum>");
        CHECK(is_near(warm, same));
    }

    TEST_CASE("pictures are mapped and shared and joined with their opacity") {
        const Folder folder("mitsuba_pictures");
        write_picture<u8>(folder.file("a.png"), 1, 1, {255, 0, 0, 255});
        write_picture<u8>(folder.file("b.png"), 1, 1, {64, 64, 64, 255});
        const std::string mapping =
            "<string name=\"wrap_mode\" value=\"clamp\"/><string name=\"filter_type\" "
            "value=\"nearest\"/><transform name=\"to_uv\"><scale x=\"3\" y=\"2\"/>"
            "<translate x=\"0.5\"/></transform>";
        const Scene scene = read({folder.write(
            "s.xml",
            mitsuba_text(
                rectangle_of(bsdf("diffuse", bitmap("reflectance", "a.png", mapping))) +
                rectangle_of(bsdf(
                    "mask",
                    bitmap("opacity", "b.png") + bsdf("diffuse", bitmap("reflectance", "a.png")))) +
                rectangle_of(
                    bsdf("roughconductor",
                         bitmap("alpha", "b.png", "<boolean name=\"raw\" value=\"true\"/>"))) +
                rectangle_of(
                    bsdf("normalmap",
                         bitmap("normalmap", "b.png", "<boolean name=\"raw\" value=\"true\"/>") +
                             bsdf("diffuse", bitmap("reflectance", "a.png"))))))});
        const shaders::TextureSlot& slot = scene.slots[material_of(scene, 0).base_color_slot];
        CHECK(slot.uv_transform[0] == 3);
        CHECK(slot.uv_transform[2] == 0.5F);
        CHECK(slot.uv_transform[4] == 2);
        CHECK(slot.wrap_u == static_cast<u32>(shaders::Wrap::Clamp));
        CHECK(slot.is_nearest == 1);
        const auto texel = [&](u32 slot_index) {
            const shaders::TextureRecord& record =
                scene.textures[scene.slots[slot_index].texture].record;
            return scene.texels[record.mip_offset[0]];
        };
        // RGBA from the lowest byte on: red with the opacity of 64 through the sRGB curve, 0.0513.
        CHECK(texel(material_of(scene, 1).base_color_slot) == 0x0d0000ffU);
        // The roughness is the root of α = 64 / 255, in the second byte.
        CHECK((texel(material_of(scene, 2).metallic_roughness_slot) >> 8U & 255U) == 128);
        CHECK(material_of(scene, 3).normal_slot != kNone);
        CHECK(scene.meshes[scene.instances[3].mesh].record.first_tangent != kNone);
        CHECK(material_of(scene, 3).base_color_slot != kNone);
        // a.png, b.png as numbers, and the two that are put together.
        CHECK(scene.textures.size() == 4);
    }

    TEST_CASE("pictures of what a highlight reflects tint it") {
        const Folder folder("mitsuba_highlights");
        write_picture<u8>(folder.file("a.png"), 1, 1, {255, 0, 0, 255});
        std::string body;
        for (const char* const type : {"plastic", "roughplastic", "phong"}) {
            body += rectangle_of(bsdf(type, bitmap("specular_reflectance", "a.png")));
        }
        body += rectangle_of(
            bsdf("phong", "<texture type=\"checkerboard\" name=\"specular_reflectance\"/>"));
        const Scene scene = read({folder.write("s.xml", mitsuba_text(body))});
        for (std::size_t k = 0; k < 4; ++k) {
            const auto record = material_of(scene, k);
            CHECK(record.base_color_slot == kNone);
            REQUIRE(record.specular_color_slot != kNone);
            // A dielectric of index 1.5 reflects 0.04 at normal incidence: 25 of it are all.
            CHECK(record.specular_color[1] == doctest::Approx(k < 2 ? 1 : 25));
            const shaders::TextureRecord& picture =
                scene.textures[scene.slots[record.specular_color_slot].texture].record;
            CHECK(picture.width == (k < 3 ? 1 : 2));
        }
    }

    TEST_CASE("a checkerboard begins with its first colour") {
        const Scene scene = read_mitsuba(rectangle_of(
            bsdf("diffuse",
                 "<texture type=\"checkerboard\" name=\"reflectance\">" + rgb("color0", "1 0 0") +
                     rgb("color1", "0 0 1") +
                     "<transform name=\"to_uv\"><scale x=\"4\" y=\"4\"/></transform></texture>")));
        const shaders::TextureSlot& slot = scene.slots[material_of(scene, 0).base_color_slot];
        CHECK(slot.is_nearest == 1);
        CHECK(slot.uv_transform[0] == 4);
        CHECK(scene.textures[slot.texture].record.width == 2);
        CHECK(material_of(scene, 0).base_color[0] == 1);
    }

    TEST_CASE("homogeneous media in dielectrics absorb what they do not scatter") {
        const Scene scene = read_mitsuba(
            shape_text("cube",
                       bsdf("dielectric") + "<medium type=\"homogeneous\" name=\"interior\">" +
                           rgb("sigma_t", "1 2 4") + number("albedo", "0.5") +
                           number("scale", "3") + "</medium>"));
        CHECK(material_of(scene, 0).sigma_a[0] == 1.5F);
        CHECK(material_of(scene, 0).sigma_a[2] == 6);
        CHECK(material_of(scene, 0).sigma_s[2] == 6);
        CHECK(material_of(scene, 0).phase_g == 0);
    }

    TEST_CASE("homogeneous media scatter within shapes without a surface") {
        const auto fog = [](const std::string& phase) {
            return "<medium type=\"homogeneous\" name=\"interior\">" + rgb("sigma_t", "1 2 4") +
                   rgb("albedo", "0.5 0.25 1") + phase + "</medium>";
        };
        const Scene scene =
            read_mitsuba(shape_text("cube",
                                    bsdf("null") + fog("<phase type=\"hg\">" + number("g", "0.6") +
                                                       "</phase>")) +
                         shape_text("cube", bsdf("null") + fog("<phase type=\"rayleigh\"/>")) +
                         shape_text("cube", bsdf("null")));
        REQUIRE(scene.instances.size() == 2);
        const shaders::MaterialRecord& record = material_of(scene, 0);
        CHECK((record.flags & shaders::kMaterialBoundary) != 0);
        CHECK(record.sigma_s[1] == 0.5F);
        CHECK(record.sigma_a[1] == 1.5F);
        CHECK(record.phase_g == 0.6F);
        CHECK(material_of(scene, 1).phase_g == 0);
        CHECK(has_note(scene, Note::Kind::Replaced, "\"rayleigh\" are isotropic"));
        CHECK(has_note(scene, Note::Kind::Ignored, "bound no medium"));
    }

    TEST_CASE("emitters without a surface shine and hide nothing") {
        const std::string light =
            "<emitter type=\"area\">" + rgb("radiance", "3 2 1") + "</emitter>";
        const std::string mask = bsdf("mask", number("opacity", "0") + bsdf("diffuse"));
        const Scene scene = read_mitsuba(shape_text("rectangle", bsdf("null") + light) +
                                         shape_text("rectangle", mask + light));
        REQUIRE(scene.instances.size() == 2);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto record = material_of(scene, k);
            CHECK(record.emissive[1] == 2);
            CHECK((record.flags & shaders::kMaterialFrontEmission) != 0);
            // A thin wall of index 1 without a highlight: all light goes straight on.
            CHECK(record.transmission == 1);
            CHECK(record.roughness == 0);
            CHECK(record.specular == 0);
            CHECK(record.ior == 1);
            CHECK(record.base_color[0] == 1);
            CHECK((record.flags & shaders::kMaterialSolid) == 0);
        }
        const std::string fog = "<medium type=\"homogeneous\" name=\"interior\"/>";
        const Scene dark = read_mitsuba(shape_text("cube", bsdf("null") + light + fog));
        CHECK(material_of(dark, 0).emissive[1] == 0);
        CHECK(has_note(dark, Note::Kind::Ignored, "do not shine"));
    }

    TEST_CASE("what is not carried over is named once") {
        const Scene scene = read_mitsuba(
            rectangle_of(bsdf("hair")) + rectangle_of(bsdf("hair")) +
            shape_text("bsplinecurve", "") + shape_text("bsplinecurve", "") +
            "<emitter type=\"projector\"/>" + rectangle_of(bsdf("diffuse", number("glow", "1"))) +
            rectangle_of(bsdf("diffuse", number("glow", "1"))));
        const auto count = [&](const std::string& part) {
            u32 notes = 0;
            for (const Note& note : scene.notes) {
                notes += note.sentence.find(part) != std::string::npos ? 1U : 0U;
            }
            return notes;
        };
        CHECK(count("\"hair\"") == 1);
        CHECK(count("\"bsplinecurve\"") == 1);
        CHECK(count("\"projector\"") == 1);
        CHECK(count("\"glow\"") == 1);
    }
}
