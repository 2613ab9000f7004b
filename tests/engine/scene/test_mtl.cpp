// test_mtl.cpp — material libraries: the mapping of each key, each illumination model and each
// option of a map, and broken text.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/assimp/mtl_file.h"
#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr const char* kTriangle =
    "mtllib one.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\n"
    "f 1/1 2/2 3/3\n";

// The scene of one triangle whose material `m` has these lines.
Scene scene_of(const Folder& folder, const std::string& lines, const std::string& head = "") {
    folder.write("one.mtl", head + "newmtl m\n" + lines);
    return read({folder.write("one.obj", kTriangle)});
}

shaders::MaterialRecord material_from(const std::string& lines, const std::string& head = "") {
    const Folder folder("mtl_lines");
    const Scene scene = scene_of(folder, lines, head);
    REQUIRE(scene.materials.back().name == "m");
    return scene.materials.back().record;
}

// The reflectance of the dielectric at normal incidence: f0d of shaders/bsdf.md section 4.
float reflectance(const shaders::MaterialRecord& material, u32 channel = 0) {
    const float step = (material.ior - 1) / (material.ior + 1);
    return std::fmin(step * step * material.specular_color[channel], 1.0f) * material.specular;
}

const MtlMaterial& first_of(MtlLibrary& library, const std::string& text) {
    library.append(text);
    const MtlMaterial* material = library.find("m");
    REQUIRE(material != nullptr);
    return *material;
}

// A texture of four by four texels at most, which is one tile: rows of four.
struct Tile {
    shaders::TextureSlot slot{};
    u32 width = 0;
    u32 height = 0;
    std::vector<u32> words;

    u32 at(u32 x, u32 y) const { return words[4 * std::size_t{y} + x]; }
};

Tile tile_of(const Scene& scene, u32 slot) {
    REQUIRE(slot != kNone);
    Tile tile;
    tile.slot = scene.slots[slot];
    const auto& texture = scene.textures[tile.slot.texture].record;
    tile.width = texture.width;
    tile.height = texture.height;
    const u32* const first = scene.texels.data() + texture.mip_offset[0];
    tile.words.assign(first, first + 16);
    return tile;
}

// White and black texels.
void write_mask(const Folder& folder, const std::string& name, int width, const std::string& rows) {
    std::vector<u8> pixels;
    for (const char row : rows) {
        const u8 value = row == '1' ? 255 : 0;
        pixels.insert(pixels.end(), {value, value, value, 255});
    }
    write_picture<u8>(folder.file(name), width, static_cast<int>(rows.size()) / width, pixels);
}

}  // namespace

TEST_SUITE("engine/scene/mtl") {
    TEST_CASE("Ks scales the specular lobe and 0.5 is the reflectance of the index") {
        CHECK(material_from("Kd .1 .1 .1\nKs 0 0 0\nNs 1000\n").specular == 0);
        CHECK(reflectance(material_from("Ks .5 .5 .5\n")) == doctest::Approx(0.04));
        CHECK(reflectance(material_from("Ks .5 .5 .5\nNi 2\n")) == doctest::Approx(1.0 / 9));
        const auto weak = material_from("Ks .1 .1 .1\n");
        CHECK(weak.specular == doctest::Approx(0.2));
        CHECK(reflectance(weak) == doctest::Approx(0.008));
        const auto strong = material_from("Ks 1 1 1\n");
        CHECK(strong.specular == 1);
        CHECK(reflectance(strong) == doctest::Approx(0.08));
        const auto colored = material_from("Ks .4 .2 0\n");
        CHECK(colored.specular == doctest::Approx(0.8));
        CHECK(reflectance(colored, 0) == doctest::Approx(0.032));
        CHECK(reflectance(colored, 1) == doctest::Approx(0.016));
        CHECK(reflectance(colored, 2) == 0);
    }

    TEST_CASE("without Ks a surface is matte unless illum 2 or a PBR key asks for highlights") {
        CHECK(material_from("Kd .5 .5 .5\n").specular == 0);
        CHECK(material_from("Kd .5 .5 .5\nillum 4\nTf 1 1 1\nNi 1\n").specular == 0);
        CHECK(material_from("illum 2\n").specular == 1);
        CHECK(material_from("Pr .4\n").specular == 1);
        CHECK(material_from("Pm 1\nillum 1\n").specular == 1);
    }

    TEST_CASE("illum selects highlights and mirrors and glass") {
        CHECK(material_from("Ks .5 .5 .5\nillum 0\n").specular == 0);
        CHECK(material_from("Ks .5 .5 .5\nillum 1\n").specular == 0);
        CHECK(material_from("Ks .5 .5 .5\nillum 2\n").specular == 1);
        const auto mirror = material_from("Kd 0 0 0\nKs .9 .9 .6\nillum 3\n");
        CHECK(reflectance(mirror, 0) == doctest::Approx(0.9));
        CHECK(reflectance(mirror, 2) == doctest::Approx(0.6));
        CHECK(mirror.specular == doctest::Approx(0.9));  // F90: the same at every angle
        CHECK(mirror.roughness == 0);
        const auto fresnel = material_from("Ks .3 .3 .3\nillum 5\nNs 6\n");
        CHECK(reflectance(fresnel) == doctest::Approx(0.3));
        CHECK(fresnel.specular == 1);
        CHECK(fresnel.roughness == doctest::Approx(0.70710678));
        for (const char* glassy : {"illum 6\n", "illum 7\n"}) {
            const auto glass =
                material_from(std::string("Kd 0 0 0\nNi 1.33\nTf .4 .8 .4\n") + glassy);
            CHECK((glass.flags & shaders::kMaterialSolid) != 0);
            CHECK(glass.transmission == 1);
            CHECK(glass.ior == 1.33f);
            CHECK(glass.base_color[0] == 0.4f);
            CHECK(glass.base_color[1] == 0.8f);
            CHECK(glass.roughness == 0);
            const auto tinted =
                material_from(std::string("Kd .5 .5 .5\nTf .25 .25 .25\n") + glassy);
            CHECK(tinted.transmission == 0.25f);
            CHECK(tinted.base_color[0] == 0.5f);
            CHECK(material_from(std::string("Kd 0 0 0\nTf 0 0 0\n") + glassy).transmission == 0);
        }
        CHECK(material_from("illum 4\nTf 1 1 1\n").transmission == 0);
    }

    TEST_CASE("keys of the PBR extension decide over the old ones") {
        const auto metal = material_from(
            "Kd .9 .6 .2\nKs 1 1 1\nNs 5\nillum 3\nPr .25\nPm 1\nPs .5\nPc .75\n"
            "Pcr .125\naniso .5\nanisor .25\n");
        CHECK(metal.roughness == 0.25f);
        CHECK(metal.metallic == 1);
        CHECK(reflectance(metal) == doctest::Approx(0.08));
        CHECK(metal.sheen_color[1] == 0.5f);
        CHECK(metal.coat == 0.75f);
        CHECK(metal.coat_roughness == 0.125f);
        CHECK(metal.anisotropy == 0.5f);
        CHECK(metal.anisotropy_cos == doctest::Approx(0).epsilon(1e-6));
        CHECK(metal.anisotropy_sin == doctest::Approx(1));
        CHECK(material_from("Pr 7\nPm -3\n").roughness == 1);
    }

    TEST_CASE("an anisotropic surface has tangents") {
        const Folder folder("mtl_aniso");
        const Scene scene = scene_of(folder, "Pr .3\nPm 1\naniso .8\n");
        CHECK(scene.meshes.at(0).record.first_tangent != kNone);
    }

    TEST_CASE("a library that Blender wrote gives the numbers of its principled BSDF") {
        const std::string head = "# Blender 3.4.1 MTL File: 'None'\n# www.blender.org\n\n";
        const auto plain = material_from(
            "Ns 250\nKa 1 1 1\nKd .8 .8 .8\nKs .5 .5 .5\nKe 0 0 0\nNi 1.5\nd 1\nillum 2\n", head);
        CHECK(plain.roughness == doctest::Approx(0.5));
        CHECK(plain.metallic == 0);
        CHECK(plain.specular == 1);
        const auto metal = material_from("Ns 810\nKa .75 .75 .75\nKs .5 .5 .5\nillum 3\n", head);
        CHECK(metal.metallic == 0.75f);
        CHECK(metal.roughness == doctest::Approx(0.1));
        CHECK(reflectance(metal) == doctest::Approx(0.04));
        const auto glass = material_from("Kd .5 1 .5\nPr 0\nTf .5 .5 .5\n", head);
        CHECK(glass.transmission == 0.5f);
        CHECK(glass.base_color[0] == 0.5f);
        CHECK(material_from("Tf 0 0 0\nPr 0\n", head).transmission == 0);
    }

    TEST_CASE("d counts before Tr and a halo is read as its number") {
        CHECK(material_from("Tr .25\n").base_color[3] == 0.75f);
        CHECK(material_from("Tr 1\nd .5\n").base_color[3] == 0.5f);
        CHECK(material_from("d .5\nTr 1\n").base_color[3] == 0.5f);
        CHECK(material_from("d -halo .5\n").base_color[3] == 0.5f);
    }

    TEST_CASE("options of a map place it and the rest of the line is its file") {
        const Folder folder("mtl_options");
        write_picture<u8>(folder.file("my weave.png"), 1, 1, {10, 20, 30, 255});
        const Scene scene = scene_of(
            folder, "map_Kd -s 2 4 1 -o .25 .5 -blendu off -clamp on -mm 0 1 my weave.png\n");
        const auto& slot = scene.slots[scene.materials.back().record.base_color_slot];
        CHECK(slot.uv_transform[0] == 2);
        CHECK(slot.uv_transform[2] == 0.25f);
        CHECK(slot.uv_transform[4] == 4);
        // v = 0.25 from the bottom goes to 1.5; from the top 0.75 goes to −0.5.
        CHECK(slot.uv_transform[4] * 0.75f + slot.uv_transform[5] == -0.5f);
        CHECK(slot.wrap_u == static_cast<u32>(shaders::Wrap::Clamp));
    }

    TEST_CASE("-imfchan selects the channel of a picture") {
        const Folder folder("mtl_channel");
        write_picture<u8>(folder.file("packed.png"), 1, 1, {255, 51, 102, 255});
        const Scene scene =
            scene_of(folder, "map_Pr -imfchan g packed.png\nmap_Pm -imfchan b packed.png\n");
        const auto& material = scene.materials.back().record;
        const auto& texture = scene.textures[scene.slots[material.metallic_roughness_slot].texture];
        CHECK((scene.texels[texture.record.mip_offset[0]] >> 8 & 0xffffU) == (51U | 102U << 8));
        CHECK(material.roughness == 1);
        CHECK(material.metallic == 1);
    }

    TEST_CASE(
        "-imfchan selects the channel of a coat, its roughness and a sheen but of no colour") {
        const Folder folder("mtl_layers");
        write_picture<u8>(folder.file("packed.png"), 1, 1, {255, 51, 102, 204});
        const Scene scene = scene_of(folder,
                                     "Pr 1\nmap_Pc -imfchan g packed.png\n"
                                     "map_Pcr -imfchan m packed.png\nmap_Ps -imfchan b packed.png\n"
                                     "map_Kd -imfchan b packed.png\n");
        const auto& material = scene.materials.back().record;
        const auto texture = [&](u32 slot) {
            return scene.textures[scene.slots[slot].texture].record;
        };
        const auto texel = [&](u32 slot) { return scene.texels[texture(slot).mip_offset[0]]; };
        CHECK(texel(material.coat_slot) == 0xff333333u);
        CHECK(texel(material.coat_roughness_slot) == 0xffccccccu);
        CHECK(texel(material.sheen_color_slot) == 0xff666666u);
        const u32 linear = static_cast<u32>(shaders::TexelFormat::Linear8);
        CHECK(texture(material.sheen_color_slot).format == linear);
        CHECK(texel(material.base_color_slot) == 0xcc6633ffu);
        CHECK(material.coat == 1);
        CHECK(material.sheen_color[1] == 1);
    }

    TEST_CASE("two maps of one texture keep the larger size of each axis") {
        const Folder folder("mtl_sizes");
        write_picture<u8>(folder.file("one.png"), 1, 1, {10, 20, 30, 255});
        write_mask(folder, "mask.png", 2, "1001");
        write_mask(folder, "tall.png", 1, "1011");
        const Scene scene =
            scene_of(folder, "map_Kd one.png\nmap_d mask.png\nmap_Pr mask.png\nmap_Pm tall.png\n");
        const auto& material = scene.materials.back().record;
        const Tile color = tile_of(scene, material.base_color_slot);
        CHECK(color.width == 2);
        CHECK(color.height == 2);
        CHECK(color.at(0, 0) == 0xff1e140au);
        CHECK(color.at(1, 0) == 0x001e140au);
        CHECK(color.at(1, 1) == 0xff1e140au);
        const Tile both = tile_of(scene, material.metallic_roughness_slot);
        CHECK(both.width == 2);
        CHECK(both.height == 4);
        for (u32 y = 0; y < 4; ++y) {
            for (u32 x = 0; x < 2; ++x) {
                const u32 rough = (y < 2) == (x == 0) ? 0xff00u : 0;
                const u32 metal = y == 1 ? 0 : 0xff0000u;
                CHECK(both.at(x, y) == (0xff0000ffu | rough | metal));
            }
        }
    }

    TEST_CASE("two maps of one texture lie where each of them places itself") {
        const Folder folder("mtl_places");
        write_picture<u8>(folder.file("q.png"),
                          2,
                          2,
                          {10, 0, 0, 255, 20, 0, 0, 255, 30, 0, 0, 255, 40, 0, 0, 255});
        write_mask(folder, "mask.png", 2, "1001");
        const auto color_of = [&](const std::string& lines) {
            const Scene scene = scene_of(folder, lines);
            CHECK(scene.materials.back().record.alpha_mode ==
                  static_cast<u32>(shaders::AlphaMode::Blend));
            return tile_of(scene, scene.materials.back().record.base_color_slot);
        };
        // Two copies of the colours to one mask.
        const Tile wide = color_of("map_Kd -s 2 2 2 q.png\nmap_d mask.png\n");
        REQUIRE(wide.width == 4);
        REQUIRE(wide.height == 4);
        CHECK(wide.slot.uv_transform[0] == 1);
        CHECK(wide.slot.uv_transform[5] == 0);
        for (u32 y = 0; y < 4; ++y) {
            for (u32 x = 0; x < 4; ++x) {
                const u32 red = 10 + 10 * (x % 2) + 20 * (y % 2);
                CHECK(wide.at(x, y) == ((x / 2 == y / 2 ? 0xff000000u : 0) | red));
            }
        }
        // Two copies of a mask, mirrored and moved by a texel, to one of the colours.
        const Tile moved = color_of("map_Kd q.png\nmap_d -s -2 1 1 -o .5 0 0 mask.png\n");
        REQUIRE(moved.width == 4);
        REQUIRE(moved.height == 2);
        CHECK(moved.slot.uv_transform[0] == 1);
        for (u32 x = 0; x < 4; ++x) {
            // Texel x spans u from x / 4; half of the mask's period on, backwards.
            const u32 of_mask = x % 2 == 0 ? 0 : 1;
            CHECK(moved.at(x, 0) == ((of_mask == 0 ? 0xff000000u : 0) | (10 + 10 * (x / 2))));
        }
    }

    TEST_CASE("a map that cannot share the texture of another is left out with a note") {
        const Folder folder("mtl_apart");
        write_mask(folder, "mask.png", 2, "1001");
        write_picture<u8>(folder.file("q.png"), 1, 1, {10, 0, 0, 255});
        const Scene scene = scene_of(folder,
                                     "map_Kd -clamp on q.png\nmap_d -s 2 2 2 mask.png\n"
                                     "map_Pr -s 2 2 2 mask.png\nmap_Pm -s 1.37 1 1 mask.png\n");
        const auto& material = scene.materials.back().record;
        CHECK(material.alpha_mode == static_cast<u32>(shaders::AlphaMode::Opaque));
        CHECK(tile_of(scene, material.base_color_slot).width == 1);
        CHECK(material.roughness == 1);
        CHECK(material.metallic == 0);
        CHECK(has_note(scene,
                       Note::Kind::Ignored,
                       "mask.png is not used; it would share a texture with q.png"));
        CHECK(has_note(scene,
                       Note::Kind::Ignored,
                       "mask.png is not used; it would share a texture with mask.png"));
    }

    TEST_CASE("a picture of Ks scales the lobe by its largest channel and colours it") {
        const Folder folder("mtl_ks");
        write_picture<u8>(folder.file("ks.png"), 2, 1, {128, 128, 128, 255, 255, 128, 0, 255});
        const Scene scene = scene_of(folder, "Ks .5 .5 .5\nmap_Ks ks.png\n");
        const auto& material = scene.materials.back().record;
        CHECK(material.specular_slot == material.specular_color_slot);
        const auto& texture = scene.textures[scene.slots[material.specular_slot].texture].record;
        CHECK(texture.format == static_cast<u32>(shaders::TexelFormat::Srgb8));
        // 128 is 0.2158 linear, 55 of 255.
        CHECK(scene.texels[texture.mip_offset[0]] == 0x37ffffffu);
        CHECK(scene.texels[texture.mip_offset[0] + 1] == 0xff0080ffu);
        const Scene black = scene_of(folder, "Ks 0 0 0\nmap_Ks ks.png\n");
        CHECK(black.materials.back().record.specular == 1);
    }

    TEST_CASE("a picture of Ns scales the exponent and one of Blender is the roughness") {
        const Folder folder("mtl_ns");
        write_picture<u8>(folder.file("ns.png"), 1, 1, {51, 51, 51, 255});
        const auto green = [](const Scene& scene) {
            const u32 slot = scene.materials.back().record.metallic_roughness_slot;
            const auto& texture = scene.textures[scene.slots[slot].texture].record;
            return scene.texels[texture.mip_offset[0]] >> 8 & 255U;
        };
        // 30 · 0.2 = 6: roughness √½.
        CHECK(green(scene_of(folder, "Ks 1 1 1\nNs 30\nmap_Ns ns.png\n")) == 180);
        CHECK(green(scene_of(folder, "Ks 1 1 1\nmap_Ns ns.png\n", "# Blender MTL File\n")) == 51);
    }

    TEST_CASE("-bm is the scale of a normal map and maps that nobody uses leave a note") {
        const Folder folder("mtl_bump");
        write_picture<u8>(folder.file("n.png"), 1, 1, {200, 128, 230, 255});
        const Scene scene =
            scene_of(folder, "map_Bump -bm .5 n.png\ndisp n.png\nrefl -type sphere n.png\n");
        CHECK(scene.materials.back().record.normal_slot != kNone);
        CHECK(scene.materials.back().record.normal_scale == 0.5f);
        CHECK(has_note(scene, Note::Kind::Ignored, "its disp is not used"));
        CHECK(has_note(scene, Note::Kind::Ignored, "its refl is not used"));
    }

    TEST_CASE("a second newmtl of a name continues the material and names keep their blanks") {
        MtlLibrary library;
        CHECK(library.append("newmtl old  oak \r\nKd 1 0 0\nnewmtl m\n").size() == 2);
        CHECK(library.append("newmtl old  oak\nKs .25\n").empty());
        const MtlMaterial* oak = library.find("old  oak");
        REQUIRE(oak != nullptr);
        CHECK(oak->diffuse->at(0) == 1);
        CHECK(oak->specular->at(2) == 0.25f);
    }

    TEST_CASE("broken lines are skipped and the others count") {
        MtlLibrary library;
        const MtlMaterial& material =
            first_of(library,
                     "\xef\xbb\xbf"
                     "Kd 1 1 1\nnewmtl m\nKd\nKd nan 1 1\nKs 1e999 0 0\nKe inf\nNs x\nNi \n"
                     "d\nPr .5.5\nillum\nTf spectral a.rfl\nmap_Kd\nmap_Ks -s\nmap_d -o 1 2 3\n"
                     "aniso\naniso .5\n\\\nPm \\\n 1\n\tPc\t.5\nKd .1 .2\n-\n#\n\0\n\\");
        CHECK_FALSE(material.specular);
        CHECK_FALSE(material.emissive);
        CHECK_FALSE(material.exponent);
        CHECK_FALSE(material.opacity);
        CHECK_FALSE(material.roughness);
        CHECK_FALSE(material.filter);
        CHECK(material.anisotropy == 0.5f);
        CHECK(material.metallic == 1.0f);
        CHECK(material.coat == 0.5f);
        CHECK(material.diffuse->at(2) == 0.2f);
        CHECK(material.map(MtlMapKind::Diffuse).file.empty());
        CHECK(material.map(MtlMapKind::Opacity).file.empty());
        library.append("newmtl");
        library.append("");
        library.append("newmtl m\nmap_Kd -");
        library.append("newmtl m\nmap_Kd -s -s -s -s");
    }
}
