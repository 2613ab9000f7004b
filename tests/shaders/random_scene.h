// random_scene.h — a scene of random numbers that reaches every branch of the shading kernels.
//
// Not a meaningful picture: each mesh lacks a different optional array, materials have every flag,
// textures have every format and wrap mode, and there is a light of each kind. All is derived from
// the seed.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/spectrum.h"
#include "shaders/surface/texel_layout.h"
#include "tests/shaders/statistics.h"

namespace weft::tests {

using namespace shaders;  // the tables' names; this header is for tests of shaders alone

class RandomScene {
public:
    explicit RandomScene(u64 seed) : random_(seed) {
        add_textures();
        add_materials();
        add_meshes();
        add_lights();
        add_light_tree();
        add_environment();
        connect();
    }

    RandomScene(const RandomScene&) = delete;
    RandomScene& operator=(const RandomScene&) = delete;

    SceneView view{};

    // Words of view.texels.
    [[nodiscard]] u64 texel_words() const { return texels_.size(); }

    static constexpr u32 kMeshes = 6;
    static constexpr u32 kTriangles = 20;
    static constexpr u32 kVertices = 30;
    static constexpr u32 kMaterials = 24;
    static constexpr u32 kInstances = 24;

private:
    u32 random_word(TexelFormat format) {
        if (format == kGreyFloat) {
            return std::bit_cast<u32>(random_.unit());
        }
        switch (format) {
            case TexelFormat::Float:
                return std::bit_cast<u32>(random_.unit());
            case TexelFormat::Half:
                return float_to_half(random_.unit()) | float_to_half(random_.unit()) << 16;
            default:
                return static_cast<u32>(random_.next());
        }
    }

    void add_textures() {
        for (u32 k = 0; k < 8; ++k) {
            TextureRecord t{};
            t.width = 1 + random_.below(9);
            t.height = 1 + random_.below(9);
            t.format = k % 7;
            t.mip_count = static_cast<u32>(std::bit_width(std::max(t.width, t.height)));
            const auto format = static_cast<TexelFormat>(t.format);
            for (u32 l = 0; l < t.mip_count; ++l) {
                t.mip_offset[l] = static_cast<u32>(texels_.size());
                const u64 words =
                    words_of_level(std::max(1u, t.width >> l), std::max(1u, t.height >> l), format);
                for (u64 i = 0; i < words; ++i) {
                    texels_.push_back(random_word(format));
                }
            }
            textures_.push_back(t);
        }
        for (u32 k = 0; k < 24; ++k) {
            TextureSlot s{};
            s.texture = random_.below(8);
            s.uv_set = random_.below(2);
            for (float& m : s.uv_transform) {
                m = random_.between(-2, 2);
            }
            s.wrap_u = random_.below(3);
            s.wrap_v = random_.below(3);
            s.is_nearest = random_.below(4) == 0 ? 1 : 0;
            slots_.push_back(s);
        }
        for (u32 i = 0; i < 256; ++i) {
            curve_.push_back(static_cast<float>(i * i) / (255.0f * 255.0f));
        }
    }

    u32 maybe_slot() { return random_.below(2) == 0 ? kNone : random_.below(24); }

    // A parameter without its flag is 0, as in scene tables.
    static void make_consistent(MaterialRecord& m) {
        const auto has = [&](u32 flag) { return (m.flags & flag) != 0; };
        const auto clear = [](float* first, u32 count) { std::fill(first, first + count, 0.0f); };
        clear(&m.transmission, has(kMaterialTransmission) ? 0 : 1);
        clear(&m.coat, has(kMaterialCoat) ? 0 : 1);
        clear(m.sheen_color, has(kMaterialSheen) ? 0 : 3);
        clear(&m.iridescence, has(kMaterialIridescence) ? 0 : 1);
        clear(&m.anisotropy, has(kMaterialAnisotropy) ? 0 : 1);
        clear(&m.dispersion, has(kMaterialDispersion) ? 0 : 1);
        m.flags &= has(kMaterialBoundary) ? ~(kMaterialEmissive | kMaterialUnlit) : ~0u;
        clear(m.emissive, has(kMaterialEmissive) ? 0 : 3);
        clear(m.sigma_s, has(kMaterialScattering) ? 0 : 3);
        m.ior = has(kMaterialBoundary) ? 1 : m.ior;
        m.flags &= has(kMaterialTransmission) ? ~0u : ~(kMaterialSolid | kMaterialStraight);
        m.flags &= has(kMaterialSolid) ? ~kMaterialStraight : ~0u;
        m.roughness *= has(kMaterialStraight) ? 0.05f : 1.0f;
    }

    void add_materials() {
        for (u32 k = 0; k < kMaterials; ++k) {
            // Random numbers in every field first; then fields with a limited range.
            MaterialRecord m{};
            std::array<float, 36> numbers{};
            for (float& x : numbers) {
                x = random_.unit();
            }
            static_assert(offsetof(MaterialRecord, sigma_s) == sizeof(numbers));
            std::memcpy(&m, numbers.data(), sizeof(numbers));
            m.ior = k % 7 == 0 ? 0.0f : 1.0f + random_.unit();
            m.iridescence_ior = 1.3f;
            m.iridescence_max_nm = 600 * random_.unit();
            m.medium_priority = static_cast<float>(random_.below(3));
            m.anisotropy_cos = std::cos(static_cast<float>(k));
            m.anisotropy_sin = std::sin(static_cast<float>(k));
            m.alpha_mode = random_.below(3);
            m.flags = static_cast<u32>(random_.next()) & 0xfffu;
            m.flags &= k % 5 == 0 ? ~0u : ~kMaterialUnlit;
            m.flags |= k % 3 == 0 ? kMaterialTransmission | kMaterialSolid : 0;
            m.flags |= k % 6 == 0 ? kMaterialDispersion : 0;
            // Media: some scatter, some are bounded by no surface.
            m.flags |= k % 9 == 0 ? kMaterialScattering : 0;
            m.flags |= k % 12 == 6 ? kMaterialBoundary : 0;
            for (u32 c = 0; c < 3; ++c) {
                m.sigma_s[c] = 0.1f * static_cast<float>((k + 5 * c) % 7);
            }
            m.phase_g = k % 18 == 0 ? -0.4f : 0.7f;
            make_consistent(m);
            for (u32* slot = &m.base_color_slot; slot <= &m.anisotropy_slot; ++slot) {
                *slot = maybe_slot();
            }
            materials_.push_back(m);
        }
    }

    void add_meshes() {
        const auto fill = [&](std::vector<float>& arena, u32 count, float low = -1) {
            for (u32 i = 0; i < count; ++i) {
                arena.push_back(random_.between(low, 1));
            }
        };
        for (u32 k = 0; k < kMeshes; ++k) {
            const auto first = [&](const std::vector<float>& arena, u32 width, u32 missing) {
                return k == missing ? kNone : static_cast<u32>(arena.size()) / width;
            };
            meshes_.push_back({static_cast<u32>(indices_.size()) / 3,
                               kTriangles,
                               k * kVertices,
                               first(normals_, 3, 1),
                               first(tangents_, 4, 2),
                               2 * k * kVertices,
                               k == 3 ? kNone : (2 * k + 1) * kVertices,
                               first(colors_, 4, 4)});
            for (u32 i = 0; i < kTriangles; ++i) {
                const u32 corner = random_.below(kVertices - 2);
                indices_.insert(indices_.end(), {corner, corner + 1, corner + 2});
            }
            fill(positions_, 3 * kVertices);
            fill(normals_, 3 * kVertices);
            fill(tangents_, 4 * kVertices);
            fill(uvs_, 4 * kVertices);
            fill(colors_, 4 * kVertices, 0);
        }
        meshes_[5].first_uv0 = kNone;
        for (u32 k = 0; k < kInstances; ++k) {
            InstanceRecord r{};
            for (u32 i = 0; i < 12; ++i) {
                r.object_to_world[i] = random_.between(-2, 2);
                r.world_to_object[i] = random_.between(-2, 2);
            }
            r.mesh = k % kMeshes;
            r.material = k % kMaterials;
            r.first_light = k == 1 ? 8 : kNone;
            r.light_group = k % 3;
            r.flags = random_.below(2) * kInstanceMirrored;
            instances_.push_back(r);
        }
    }

    // By hand, because shaders and their tests know no vector of host code.
    [[nodiscard]] float world_area(const InstanceRecord& instance, u32 primitive) const {
        const MeshRecord& mesh = meshes_[instance.mesh];
        std::array<std::array<double, 3>, 3> corner{};
        for (std::size_t k = 0; k < 3; ++k) {
            const u32 vertex = indices_[3 * (mesh.first_triangle + primitive) + k];
            const float* p = &positions_[3 * std::size_t{mesh.first_position + vertex}];
            for (std::size_t row = 0; row < 3; ++row) {
                const float* m = instance.object_to_world + 4 * row;
                for (std::size_t c = 0; c < 3; ++c) {
                    corner[k][row] += static_cast<double>(m[c]) * static_cast<double>(p[c]);
                }
            }
        }
        double length2 = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const std::size_t b = (a + 1) % 3;
            const std::size_t c = (a + 2) % 3;
            const double cross = (corner[1][b] - corner[0][b]) * (corner[2][c] - corner[0][c]) -
                                 (corner[1][c] - corner[0][c]) * (corner[2][b] - corner[0][b]);
            length2 += cross * cross;
        }
        return static_cast<float>(0.5 * std::sqrt(length2));
    }

    void add_lights() {
        const u32 count = 8 + kTriangles;
        for (u32 k = 0; k < count; ++k) {
            LightRecord l{};
            l.kind = k < 8 ? k % 5 : static_cast<u32>(LightKind::Triangle);
            l.choice_pdf = 1.0f / static_cast<float>(count);
            l.alias_threshold = random_.unit();
            l.alias = random_.below(count);
            for (u32 c = 0; c < 3; ++c) {
                l.position[c] = random_.between(-3, 3);
                l.intensity[c] = random_.between(0, 10);
            }
            l.direction[1] = -1;
            // The second light of each kind has a size: balls that contain some hits, a wide sun.
            l.size = k < 5 || k > 7 ? 0.0f : k == 7 ? 0.05f : 2.5f;
            l.spot_cos_inner = 0.9f;
            l.spot_cos_outer = -0.5f;
            l.instance = 1;
            l.primitive = k < 8 ? k : k - 8;
            l.area = world_area(instances_[1], l.primitive);
            l.light_group = k % 7;
            lights_.push_back(l);
        }
    }

    // A tree over the lights, cut apart in their order. Boxes and cones are random, and any branch
    // may be one of suns or of the environment: a tree chooses with the probabilities that it
    // claims, whatever its bounds.
    void add_light_tree() {
        std::vector<u32> all(lights_.size());
        std::iota(all.begin(), all.end(), 0U);
        light_nodes_.resize(1);
        add_light_node(0, all, 0, 0);
        // Every second tree has families at its root: lights around all points, and a sky.
        if (random_.below(2) == 0) {
            for (LightNode& node : light_nodes_) {
                for (LightBranch& branch : node.branches) {
                    branch.radius = std::fabs(branch.radius);
                }
            }
            light_nodes_[0].branches[0].radius = 100;
            light_nodes_[0].branches[1].radius = kSkyBranch;
            light_nodes_[0].branches[1].middle[0] = 0.5f;
        }
        for (float& term : sky_.terms) {
            term = random_.between(-0.05f, 0.1f);
        }
        sky_.least = 0.01f;
        sky_.around = 0.3f;
    }

    void add_light_node(u32 at, std::span<const u32> lights, u32 depth, u32 path) {
        u32 first = 0;
        for (u32 k = 0; k < kLightBranches; ++k) {
            // Below the root the last branch has no lights.
            const u32 parts = depth == 0 ? kLightBranches : kLightBranches - 1;
            const u32 rest = static_cast<u32>(lights.size()) - first;
            const u32 count = k < parts ? (rest + parts - k - 1) / (parts - k) : 0;
            LightBranch branch = random_branch();
            const u32 way = path | k << 2 * depth;
            if (count == 0) {
                branch.cos_reach = kNoReach;
                branch.radius = 0;
            } else if (count == 1) {
                branch.child = kLightLeaf | lights[first];
                lights_[lights[first]].tree_path = way;
            } else {
                branch.child = static_cast<u32>(light_nodes_.size());
                light_nodes_.emplace_back();
                add_light_node(branch.child, lights.subspan(first, count), depth + 1, way);
            }
            light_nodes_[at].branches[k] = branch;
            first += count;
        }
    }

    LightBranch random_branch() {
        LightBranch branch{};
        float length2 = 0;
        for (u32 c = 0; c < 3; ++c) {
            branch.middle[c] = random_.between(-4, 4);
            branch.axis[c] = random_.between(-1, 1);
            length2 += branch.axis[c] * branch.axis[c];
        }
        for (float& component : branch.axis) {
            component /= std::sqrt(length2);
        }
        branch.intensity = random_.between(0.1f, 1);
        branch.cos_spread = random_.between(-1, 0.2f);
        branch.sin_spread = std::sqrt(1 - branch.cos_spread * branch.cos_spread);
        branch.cos_reach = random_.below(2) != 0 ? random_.between(0, 1) : -1;
        branch.radius = random_.between(0, 2);
        if (random_.below(3) == 0) {
            branch.radius = random_.below(2) == 0 ? kSunBranch : kSkyBranch;
            branch.middle[0] = random_.between(0.1f, 1);
        }
        return branch;
    }

    void add_environment() {
        for (u32 k = 0; k < 3 * 16 * 8; ++k) {
            environment_.push_back(random_.between(0, 5));
        }
        for (u32 row = 0; row < 8; ++row) {
            add_cells(16, 1.0f / 8);
        }
        add_cells(8, 1);
    }

    // Cells of random steps, every fifth of none. Guides lead to the first cell: the search goes
    // over all of them.
    void add_cells(u32 count, float pdf) {
        u32 begin = 0;
        for (u32 k = 0; k < count; ++k) {
            const u32 rest = kMostStride - begin;
            const u32 drawn = k % 5 == 4 ? 0 : random_.below(2 * kMostStride / count);
            const u32 steps = k + 1 == count ? rest : std::min(rest, drawn);
            cells_.push_back({static_cast<float>(begin),
                              static_cast<float>(steps),
                              pdf * static_cast<float>(steps) * 0x1p-24f,
                              (kNoStride - static_cast<u32>(std::bit_width(count - 1))) << 24});
            begin += steps;
        }
    }

    void connect() {
        view = {indices_.data(),
                positions_.data(),
                normals_.data(),
                tangents_.data(),
                uvs_.data(),
                colors_.data(),
                meshes_.data(),
                instances_.data(),
                nullptr,
                0,
                materials_.data(),
                1,
                slots_.data(),
                textures_.data(),
                texels_.data(),
                curve_.data(),
                lights_.data(),
                static_cast<u32>(lights_.size()),
                light_nodes_.data(),
                0.5f,
                sky_,
                4,
                environment_.data(),
                cells_.data(),
                16,
                8,
                1.5f,
                0.6f,
                0.8f,
                1,
                9,
                ggx_albedo().data(),
                albedo_tables().sheen.data(),
                glass_losses().loss.data(),
                glass_losses().mean.data(),
                glass_anisotropy().data(),
                anisotropic_albedo().data(),
                spectrum_table().data(),
                nullptr,
                nullptr,
                0,
                {},
                0,
                nullptr,
                nullptr,
                nullptr};
    }

    Random random_;
    std::vector<u32> indices_, texels_;
    std::vector<float> positions_, normals_, tangents_, uvs_, colors_, curve_, environment_;
    std::vector<MeshRecord> meshes_;
    std::vector<InstanceRecord> instances_;
    std::vector<MaterialRecord> materials_;
    std::vector<TextureSlot> slots_;
    std::vector<TextureRecord> textures_;
    std::vector<LightRecord> lights_;
    std::vector<LightNode> light_nodes_;
    SkyLight sky_{};
    std::vector<EnvironmentCell> cells_;
};

}  // namespace weft::tests
