#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/texel_layout.h"
#include "shaders/surface/texel_lookup.h"
#include "shaders/surface/thin_film.h"
#include "tests/shaders/tiled_texels.h"

using namespace weft;
using namespace weft::shaders;

namespace {

MaterialRecord plain_material() {
    MaterialRecord material{};
    material.base_color[0] = material.base_color[1] = material.base_color[2] =
        material.base_color[3] = 1;
    material.specular_color[0] = material.specular_color[1] = material.specular_color[2] = 1;
    material.ior = 1;  // no reflection of its own
    for (u32* slot : {&material.base_color_slot,
                      &material.metallic_roughness_slot,
                      &material.specular_slot,
                      &material.specular_color_slot,
                      &material.transmission_slot,
                      &material.iridescence_slot,
                      &material.iridescence_thickness_slot,
                      &material.anisotropy_slot}) {
        *slot = kNone;
    }
    return material;
}

// One triangle (0,0,0) (1,0,0) (0,1,0), uv = its xy; one material; textures by the test.
struct Stage {
    std::vector<u32> indices = {0, 1, 2};
    std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    std::vector<float> uvs = {0, 0, 1, 0, 0, 1};
    std::vector<float> colors = {1, 1, 1, 1, 1, 1, 1, 0.5f, 1, 1, 1, 0};
    std::vector<MeshRecord> meshes = {{0, 1, 0, kNone, kNone, 0, kNone, kNone}};
    std::vector<InstanceRecord> instances = {
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {}, 0, 0, kNone, 0, 0, 0, {}}};
    std::vector<MaterialRecord> materials = {plain_material()};
    std::vector<TextureSlot> slots;
    std::vector<TextureRecord> textures;
    std::vector<u32> texels;
    std::vector<float> curve = std::vector<float>(256);
    SceneView view{};

    Stage() {
        for (u32 i = 0; i < 256; ++i) {
            curve[i] = static_cast<float>(i * i) / (255.0f * 255.0f);  // not the sRGB curve
        }
    }

    // `words`: row by row.
    u32 add_texture(u32 width, u32 height, TexelFormat format, const std::vector<u32>& words) {
        TextureRecord texture{};
        texture.width = width;
        texture.height = height;
        texture.format = static_cast<u32>(format);
        texture.mip_count = 1;
        texture.mip_offset[0] = static_cast<u32>(texels.size());
        const std::vector<u32> tiles = tests::tiled(width, height, format, words);
        texels.insert(texels.end(), tiles.begin(), tiles.end());
        textures.push_back(texture);
        slots.push_back(
            {static_cast<u32>(textures.size() - 1), 0, {1, 0, 0, 0, 1, 0}, 0, 0, 0, {}});
        return static_cast<u32>(slots.size() - 1);
    }

    const SceneView& seen() {
        view.indices = indices.data();
        view.positions = positions.data();
        view.uvs = uvs.data();
        view.colors = colors.data();
        view.meshes = meshes.data();
        view.instances = instances.data();
        view.materials = materials.data();
        view.slots = slots.data();
        view.textures = textures.data();
        view.texels = texels.data();
        view.srgb_to_linear = curve.data();
        view.ggx_albedo = ggx_albedo().data();
        return view;
    }
};

u32 texel(u32 r, u32 g, u32 b, u32 a) {
    return r | g << 8 | b << 16 | a << 24;
}

// Straight from bsdf.md section 1.
u32 spec_hash(u32 x) {
    x ^= x >> 16;
    x *= 0x21f0aaad;
    x ^= x >> 15;
    x *= 0x735a2d97;
    return x ^ x >> 15;
}

u32 spec_combine(u32 a, u32 b) {
    return spec_hash(a ^ (spec_hash(b) + 0x9e3779b9 + (a << 6) + (a >> 2)));
}

// Decodes a fixed-point logarithm to a weight.
double weight_of(u32 tint) {
    return std::exp2(-static_cast<double>(tint) * 0x1p-20);
}

constexpr float kStraightDown[3] = {0, 0, -2};  // any length

}  // namespace

TEST_SUITE("shaders/texel_lookup") {
    TEST_CASE("nearest reads the texel that the point lies in under every wrap mode") {
        // Texel k of four has red 10 k; read at the middle of cells −5 … 8.
        const int repeated[] = {3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0};
        const int clamped[] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3};
        const int mirrored[] = {3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0};
        Stage stage;
        const u32 slot = stage.add_texture(4,
                                           1,
                                           TexelFormat::Linear8,
                                           {texel(0, 0, 0, 255),
                                            texel(10, 0, 0, 255),
                                            texel(20, 0, 0, 255),
                                            texel(30, 0, 0, 255)});
        stage.slots[slot].is_nearest = 1;
        for (u32 wrap = 0; wrap < 3; ++wrap) {
            stage.slots[slot].wrap_u = wrap;
            const int* expected = wrap == 0 ? repeated : (wrap == 1 ? clamped : mirrored);
            for (int cell = -5; cell <= 8; ++cell) {
                CAPTURE(wrap);
                CAPTURE(cell);
                const float u = (static_cast<float>(cell) + 0.5f) / 4;
                const float red = lookup_level0(stage.seen(), slot, u, 0.5f)[0];
                CHECK(red == static_cast<float>(10 * expected[cell + 5]) / 255.0f);
            }
        }
    }

    TEST_CASE("linear reads are exact on texel centres and halfway means between them") {
        Stage stage;
        const u32 slot = stage.add_texture(2,
                                           2,
                                           TexelFormat::Linear8,
                                           {texel(255, 0, 0, 255),
                                            texel(0, 255, 0, 255),
                                            texel(0, 0, 255, 255),
                                            texel(0, 0, 0, 51)});
        stage.slots[slot].wrap_u = stage.slots[slot].wrap_v = static_cast<u32>(Wrap::Clamp);
        CHECK(lookup_level0(stage.seen(), slot, 0.25f, 0.25f) == std::array<float, 4>{1, 0, 0, 1});
        CHECK(lookup_level0(stage.seen(), slot, 0.25f, 0.75f) == std::array<float, 4>{0, 0, 1, 1});
        const auto middle = lookup_level0(stage.seen(), slot, 0.5f, 0.5f);
        for (u32 k = 0; k < 3; ++k) {
            CHECK(middle[k] == doctest::Approx(0.25));
        }
        CHECK(middle[3] == doctest::Approx(0.8));
        // Beyond the outer centres a clamped texture is constant; a repeated one blends with the
        // other side.
        CHECK(lookup_level0(stage.seen(), slot, 0.0f, 0.25f)[0] == 1);
        stage.slots[slot].wrap_u = static_cast<u32>(Wrap::Repeat);
        CHECK(lookup_level0(stage.seen(), slot, 0.0f, 0.25f)[0] == doctest::Approx(0.5));
        CHECK(lookup_level0(stage.seen(), slot, -7.0f, 0.25f)[0] == doctest::Approx(0.5));
        stage.slots[slot].wrap_u = static_cast<u32>(Wrap::Mirror);
        CHECK(lookup_level0(stage.seen(), slot, 0.0f, 0.25f)[0] == 1);
        CHECK(lookup_level0(stage.seen(), slot, 1.25f, 0.25f)[1] == 1);
    }

    TEST_CASE("coordinates that are not numbers read some texel of the image") {
        Stage stage;
        const u32 slot = stage.add_texture(
            2, 1, TexelFormat::Linear8, {texel(51, 0, 0, 255), texel(51, 0, 0, 255)});
        for (const float bad : {NAN, INFINITY, -INFINITY, 1e30f}) {
            CHECK(lookup_level0(stage.seen(), slot, bad, bad)[0] == doctest::Approx(0.2));
        }
    }

    TEST_CASE("colour goes through the scene's curve and alpha does not") {
        Stage stage;
        const u32 slot = stage.add_texture(1, 1, TexelFormat::Srgb8, {texel(51, 102, 255, 51)});
        const auto rgba = lookup_level0(stage.seen(), slot, 0.3f, 0.9f);
        CHECK(rgba[0] == doctest::Approx(0.04));
        CHECK(rgba[1] == doctest::Approx(0.16));
        CHECK(rgba[2] == 1);
        CHECK(rgba[3] == doctest::Approx(0.2));
    }

    TEST_CASE("float texels are read as they are stored") {
        Stage stage;
        std::vector<u32> words;
        for (const float value : {0.0f, 1000.5f, -2.0f, 0.25f}) {
            words.push_back(std::bit_cast<u32>(value));
        }
        const u32 slot = stage.add_texture(1, 1, TexelFormat::Float, words);
        CHECK(lookup_level0(stage.seen(), slot, 0, 0) ==
              std::array<float, 4>{0, 1000.5f, -2, 0.25f});
    }

    TEST_CASE("half texels are read as they are stored") {
        Stage stage;
        const u32 slot = stage.add_texture(1,
                                           1,
                                           TexelFormat::Half,
                                           {float_to_half(0) | float_to_half(1000.5f) << 16,
                                            float_to_half(-2) | float_to_half(0x1p-24f) << 16});
        CHECK(lookup_level0(stage.seen(), slot, 0, 0) ==
              std::array<float, 4>{0, 1000.5f, -2, 0x1p-24f});
    }

    TEST_CASE("every finite half survives conversion to float and back") {
        for (u32 code = 0; code < 0x10000; ++code) {
            if ((code >> 10 & 31) == 31) {
                continue;
            }
            const float value = half_to_float(code);
            const u32 exponent = code >> 10 & 31;
            const double mantissa = (exponent == 0 ? 0 : 1024) + (code & 1023);
            const double size = std::ldexp(mantissa, static_cast<int>(std::max(exponent, 1U)) - 25);
            CHECK(static_cast<double>(value) == ((code & 0x8000) != 0 ? -size : size));
            CHECK(float_to_half(value) == code);
        }
    }

    TEST_CASE("a float rounds to the nearest half with ties to even and never to infinity") {
        for (u32 code = 0; code < 0x7bff; ++code) {
            const float low = half_to_float(code);
            const float high = half_to_float(code + 1);
            const float middle = low + (high - low) / 2;
            CHECK(float_to_half(middle) == code + code % 2);
            CHECK(float_to_half(std::nextafter(middle, low)) == code);
            CHECK(float_to_half(std::nextafter(middle, high)) == code + 1);
        }
        CHECK(float_to_half(1e30f) == 0x7bff);
        CHECK(float_to_half(-std::numeric_limits<float>::infinity()) == 0xfbff);
    }

    TEST_CASE("each texel of a level has its own index within the level") {
        for (const u32 width : {1U, 3U, 4U, 9U}) {
            for (const u32 height : {1U, 5U, 8U}) {
                std::set<u64> places;
                for (u32 i = 0; i < width * height; ++i) {
                    places.insert(texel_index(i % width, i / width, width));
                }
                CHECK(places.size() == width * height);
                CHECK(*places.rbegin() < texels_of_level(width, height));
            }
        }
        // A tile's rows lie together.
        CHECK(texel_index(3, 3, 9) == 15);
        CHECK(texel_index(4, 0, 9) == 16);
        CHECK(texel_index(0, 4, 9) == 48);
    }

    TEST_CASE("the slot transforms coordinates before they are wrapped") {
        Stage stage;
        const u32 slot = stage.add_texture(
            2,
            2,
            TexelFormat::Linear8,
            {texel(0, 0, 0, 0), texel(1, 0, 0, 0), texel(2, 0, 0, 0), texel(3, 0, 0, 0)});
        stage.slots[slot].is_nearest = 1;
        // u' = 2 v + 0.5, v' = −u: (0.1, 0.6) goes to (1.7, −0.1), which repeats to (0.7, 0.9):
        // texel 3.
        const float transform[6] = {0, 2, 0.5f, -1, 0, 0};
        std::copy(transform, transform + 6, stage.slots[slot].uv_transform);
        CHECK(lookup_level0(stage.seen(), slot, 0.1f, 0.6f)[0] == 3.0f / 255);
    }

    TEST_CASE("no slot reads white and no coordinates read the origin") {
        Stage stage;
        CHECK(lookup_level0(stage.seen(), kNone, 3, 4) == std::array<float, 4>{1, 1, 1, 1});
        CHECK(interpolate_uv(stage.seen(), stage.meshes[0], 0, 1, 0.2f, 0.3f) ==
              std::array<float, 2>{0, 0});
        const auto uv = interpolate_uv(stage.seen(), stage.meshes[0], 0, 0, 0.25f, 0.5f);
        CHECK(uv == std::array<float, 2>{0.25f, 0.5f});
    }

    TEST_CASE("alpha is the product of factor and texture and vertex colour") {
        Stage stage;
        stage.materials[0].alpha_mode = static_cast<u32>(AlphaMode::Blend);
        stage.materials[0].base_color[3] = 0.5f;
        stage.materials[0].base_color_slot =
            stage.add_texture(1, 1, TexelFormat::Srgb8, {texel(0, 0, 0, 51)});
        CHECK(hit_alpha(stage.seen(), 0, 0, 0.25f, 0.25f) == doctest::Approx(0.1));
        stage.meshes[0].first_color = 0;  // alpha 1, 0.5, 0 at the corners
        CHECK(hit_alpha(stage.seen(), 0, 0, 0.5f, 0.25f) == doctest::Approx(0.05));
        CHECK(hit_alpha(stage.seen(), 0, 0, 0, 1) == 0);
        stage.materials[0].alpha_mode = static_cast<u32>(AlphaMode::Opaque);
        CHECK(hit_alpha(stage.seen(), 0, 0, 0, 1) == 1);
    }

    TEST_CASE("a mask is hit from its cutoff on and not below") {
        Stage stage;
        stage.materials[0].alpha_mode = static_cast<u32>(AlphaMode::Mask);
        stage.materials[0].alpha_cutoff = 0.5f;
        stage.materials[0].base_color[3] = 0.5f;
        CHECK(hit_alpha(stage.seen(), 0, 0, 0.1f, 0.1f) == 1);
        stage.materials[0].base_color[3] = 0.49999f;
        CHECK(hit_alpha(stage.seen(), 0, 0, 0.1f, 0.1f) == 0);
        for (u32 key = 0; key < 100; ++key) {
            CHECK_FALSE(is_present(stage.seen(), key, false, 0, 0, 0.1f, 0.1f));
        }
    }

    TEST_CASE("a blended surface is hit for a share alpha of the keys") {
        Stage stage;
        stage.materials[0].alpha_mode = static_cast<u32>(AlphaMode::Blend);
        stage.materials[0].base_color[3] = 0.3f;
        constexpr int kKeys = 100000;
        int present = 0;
        int differ = 0;
        for (u32 key = 0; key < kKeys; ++key) {
            const bool camera = is_present(stage.seen(), key, false, 0, 0, 0.1f, 0.1f);
            const bool shadow = is_present(stage.seen(), key, true, 0, 0, 0.1f, 0.1f);
            present += camera ? 1 : 0;
            differ += camera != shadow ? 1 : 0;
        }
        // Five standard deviations of a binomial count.
        CHECK(std::abs(present - 30000) < 725);
        CHECK(std::abs(differ - 42000) < 780);
    }

    TEST_CASE("the alpha decision is the hash of key and ray kind and instance and primitive") {
        Stage stage;
        stage.materials[0].alpha_mode = static_cast<u32>(AlphaMode::Blend);
        stage.materials[0].base_color[3] = 0.5f;
        stage.instances.push_back(stage.instances[0]);
        for (u32 key = 1; key < 2000; key += 7) {
            for (const bool is_shadow : {false, true}) {
                const u32 h =
                    spec_combine(spec_combine(key ^ (is_shadow ? 0x5bd1e995u : 0u), 1), 0);
                CHECK(is_present(stage.seen(), key, is_shadow, 1, 0, 0.1f, 0.1f) == (h >> 31 == 0));
            }
        }
    }
}

TEST_SUITE("shaders/shadow_tint") {
    TEST_CASE("a pane without reflection tints by transmission times colour") {
        Stage stage;
        stage.materials[0].flags = kMaterialTransmission | kMaterialStraight;
        stage.materials[0].transmission = 0.5f;
        stage.materials[0].base_color[0] = 1;
        stage.materials[0].base_color[1] = 0.25f;
        stage.materials[0].base_color[2] = 0;
        u32 tint[3] = {0, 5, 0xfffffff0u};
        CHECK(tint_shadow(stage.seen(), 0, 0, 0.2f, 0.2f, kStraightDown, tint));
        CHECK(tint[0] == 1u << 20);
        CHECK(tint[1] == 5 + (3u << 20));
        CHECK(tint[2] == 0xffffffffu);  // the sum saturates
        u32 dark[3] = {};
        CHECK(tint_shadow(stage.seen(), 0, 0, 0.2f, 0.2f, kStraightDown, dark));
        CHECK(dark[2] == 30u << 20);  // black in one channel counts as 2⁻³⁰
    }

    TEST_CASE("surfaces other than clear thin panes block") {
        Stage stage;
        MaterialRecord& material = stage.materials[0];
        u32 tint[3] = {};
        const auto passes = [&] {
            return tint_shadow(stage.seen(), 0, 0, 0.2f, 0.2f, kStraightDown, tint);
        };
        CHECK_FALSE(passes());
        material.flags = kMaterialTransmission | kMaterialStraight;
        material.transmission = 1;
        CHECK(passes());
        material.flags |= kMaterialSolid;
        CHECK_FALSE(passes());
        material.flags = kMaterialTransmission;
        CHECK_FALSE(passes());
        material.flags = kMaterialTransmission | kMaterialStraight;
        material.metallic = 1;
        CHECK_FALSE(passes());
        material.metallic = 0;
        material.base_color[0] = material.base_color[1] = material.base_color[2] = 0;
        CHECK_FALSE(passes());
        CHECK(tint[0] == 0);
    }

    TEST_CASE(
        "a window of index 1.5 loses 4 percent straight on and most of the light when grazed") {
        Stage stage;
        stage.materials[0].flags = kMaterialTransmission | kMaterialStraight;
        stage.materials[0].transmission = 1;
        stage.materials[0].ior = 1.5f;
        stage.materials[0].specular = 1;
        const auto passed = [&](float x, float z) {
            const float direction[3] = {x, 0, z};
            u32 tint[3] = {};
            REQUIRE(tint_shadow(stage.seen(), 0, 0, 0.2f, 0.2f, direction, tint));
            CHECK(tint[0] == tint[2]);
            return weight_of(tint[0]);
        };
        CHECK(passed(0, -1) == doctest::Approx(0.96).epsilon(0.001));
        CHECK(passed(0, 1) == passed(0, -1));
        CHECK(passed(1, 1) < passed(0, 1));
        CHECK(passed(1, 0.02f) < 0.25);
    }

    TEST_CASE("specular glossiness panes transmit the rest of their specular colour") {
        Stage stage;
        MaterialRecord& material = stage.materials[0];
        material.flags = kMaterialTransmission | kMaterialStraight | kMaterialSpecGloss;
        material.transmission = 1;
        material.specular_color[0] = material.specular_color[1] = material.specular_color[2] = 0.5f;
        u32 tint[3] = {};
        REQUIRE(tint_shadow(stage.seen(), 0, 0, 0.2f, 0.2f, kStraightDown, tint));
        // base (1 − 0.5) times the transmittance of a smooth interface with F0 = 0.5.
        CHECK(weight_of(tint[0]) == doctest::Approx(0.25).epsilon(0.002));
    }

    TEST_CASE("a film of vacuum changes no reflection and a film of soap colours it") {
        const auto none = thin_film_reflectance(1, 1, 400, {0.04, 0.3, 0.9});
        CHECK(std::fabs(none[0] - 0.04) < 0.01);
        CHECK(std::fabs(none[1] - 0.3) < 0.01);
        CHECK(std::fabs(none[2] - 0.9) < 0.01);
        const auto soap = thin_film_reflectance(1.33, 1, 300, {0, 0, 0});
        CHECK(std::fabs(soap[0] - soap[2]) > 0.005);
        for (const double channel : soap) {
            CHECK(channel >= 0);
            CHECK(channel < 0.15);  // two interfaces of 2 % each reflect at most (2 · √0.02)² = 8 %
                                    // of a wavelength
        }
    }

    TEST_CASE("an iridescent pane tints its shadow by the colour of its film") {
        Stage stage;
        MaterialRecord& material = stage.materials[0];
        material.flags = kMaterialTransmission | kMaterialStraight | kMaterialIridescence;
        material.transmission = 1;
        material.ior = 1.5f;
        material.specular = 1;
        material.iridescence = 1;
        material.iridescence_ior = 1.8f;
        material.iridescence_max_nm = 350;
        u32 tint[3] = {};
        REQUIRE(tint_shadow(stage.seen(), 0, 0, 0.2f, 0.2f, kStraightDown, tint));
        const auto film =
            thin_film_reflectance(static_cast<double>(1.8f), 1, 350, {0.04, 0.04, 0.04});
        for (u32 k = 0; k < 3; ++k) {
            CHECK(weight_of(tint[k]) == doctest::Approx(1 - film[k]).epsilon(0.002));
        }
    }
}
