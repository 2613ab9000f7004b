// small_scenes.cpp — shapes, materials and pictures of small_scenes.h; the ten scenes are in
// ten_scenes.cpp.
#include "tests/engine/trace/small_scenes.h"

#include <algorithm>
#include <cmath>

#include "engine/scene/model/texture.h"

namespace weft::tests {

namespace {

constexpr double kPi = 3.14159265358979323846;

template <typename Values, std::size_t N>
void append(Values& values, std::array<float, N> more) {
    values.insert(values.end(), more.begin(), more.end());
}

template <typename Values>
void append(Values& values, const Float3& more) {
    values.insert(values.end(), &more.x, &more.x + 3);
}

void append_shape(Shape& shape, const Shape& more) {
    const auto first = static_cast<u32>(shape.positions.size() / 3);
    const auto join = [](std::vector<float>& to, const std::vector<float>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    join(shape.positions, more.positions);
    join(shape.normals, more.normals);
    join(shape.tangents, more.tangents);
    join(shape.uvs, more.uvs);
    for (const u32 index : more.indices) {
        shape.indices.push_back(first + index);
    }
}

// Appends an attribute to its arena; its first element, or kNone where there is none.
u32 append_attribute(scene::GeometryArena<float>& arena,
                     const std::vector<float>& values,
                     u32 width) {
    if (values.empty()) {
        return kNone;
    }
    const auto first = static_cast<u32>(arena.size() / width);
    arena.insert(arena.end(), values.begin(), values.end());
    return first;
}

}  // namespace

Shape quad(Float3 corner, Float3 across, Float3 up) {
    Shape shape;
    const Float3 normal = math::normalize(cross(across, up));
    const Float3 tangent = math::normalize(across);
    const std::array<std::array<float, 2>, 4> corners = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    for (const auto& uv : corners) {
        append(shape.positions, corner + uv[0] * across + uv[1] * up);
        append(shape.normals, normal);
        append(shape.tangents, std::array<float, 4>{tangent[0], tangent[1], tangent[2], 1});
        append(shape.uvs, uv);
    }
    shape.indices = {0, 1, 2, 0, 2, 3};
    return shape;
}

Shape box(Float3 low, Float3 high, Facing facing) {
    Shape shape;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t next = (axis + 1) % 3;
        const std::size_t last = (axis + 2) % 3;
        Float3 across{};
        Float3 up{};
        across[next] = high[next] - low[next];
        up[last] = high[last] - low[last];
        Float3 far_corner = low;
        far_corner[axis] = high[axis];
        const bool is_out = facing == Facing::Out;
        append_shape(shape, is_out ? quad(far_corner, across, up) : quad(far_corner, up, across));
        append_shape(shape, is_out ? quad(low, up, across) : quad(low, across, up));
    }
    return shape;
}

Shape uv_sphere(Float3 center, float radius, u32 slices, u32 stacks, Shading shading) {
    Shape shape;
    for (u32 stack = 0; stack <= stacks; ++stack) {
        const double polar = kPi * stack / stacks;
        for (u32 slice = 0; slice <= slices; ++slice) {
            const double around = 2 * kPi * (slice % slices) / slices;
            const Float3 normal = {static_cast<float>(std::sin(polar) * std::cos(around)),
                                   static_cast<float>(std::cos(polar)),
                                   static_cast<float>(-std::sin(polar) * std::sin(around))};
            append(shape.positions, center + radius * normal);
            if (shading == Shading::Smooth) {
                append(shape.normals, normal);
            }
            append(shape.uvs,
                   std::array<float, 2>{static_cast<float>(slice) / static_cast<float>(slices),
                                        static_cast<float>(stack) / static_cast<float>(stacks)});
        }
    }
    const auto vertex = [slices](u32 stack, u32 slice) { return stack * (slices + 1) + slice; };
    for (u32 stack = 0; stack < stacks; ++stack) {
        for (u32 slice = 0; slice < slices; ++slice) {
            if (stack > 0) {
                shape.indices.insert(
                    shape.indices.end(),
                    {vertex(stack, slice), vertex(stack + 1, slice), vertex(stack, slice + 1)});
            }
            if (stack + 1 < stacks) {
                shape.indices.insert(shape.indices.end(),
                                     {vertex(stack, slice + 1),
                                      vertex(stack + 1, slice),
                                      vertex(stack + 1, slice + 1)});
            }
        }
    }
    return shape;
}

shaders::MaterialRecord plastic(Float3 base_color, float roughness) {
    shaders::MaterialRecord record = scene::default_material();
    std::copy_n(&base_color.x, 3, record.base_color);
    record.metallic = 0;
    record.roughness = roughness;
    record.flags = 0;
    return record;
}

shaders::MaterialRecord lambert(Float3 albedo) {
    shaders::MaterialRecord record = plastic(albedo, 1);
    record.specular = 0;
    return record;
}

shaders::MaterialRecord emitter(Float3 radiance) {
    shaders::MaterialRecord record = lambert({0, 0, 0});
    std::copy_n(&radiance.x, 3, record.emissive);
    return record;
}

shaders::MaterialRecord metal(Float3 base_color, float roughness) {
    shaders::MaterialRecord record = plastic(base_color, roughness);
    record.metallic = 1;
    return record;
}

shaders::MaterialRecord glass(float ior, float roughness) {
    shaders::MaterialRecord record = plastic({1, 1, 1}, roughness);
    record.ior = ior;
    record.transmission = 1;
    record.flags |= shaders::kMaterialSolid;
    return record;
}

shaders::MaterialRecord window(Float3 base_color, float roughness) {
    shaders::MaterialRecord record = plastic(base_color, roughness);
    record.transmission = 1;
    return record;
}

u32 add_material(scene::Scene& scene, const shaders::MaterialRecord& record) {
    scene.materials.push_back({"material " + std::to_string(scene.materials.size()), record});
    return static_cast<u32>(scene.materials.size() - 1);
}

u32 add_mesh(scene::Scene& scene, const Shape& shape, u32 material) {
    scene::Mesh mesh;
    mesh.name = "mesh " + std::to_string(scene.meshes.size());
    mesh.material = material;
    mesh.record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    mesh.record.triangle_count = static_cast<u32>(shape.indices.size() / 3);
    mesh.record.first_position = append_attribute(scene.positions, shape.positions, 3);
    mesh.record.first_normal = append_attribute(scene.normals, shape.normals, 3);
    mesh.record.first_tangent = append_attribute(scene.tangents, shape.tangents, 4);
    mesh.record.first_uv0 = append_attribute(scene.uvs, shape.uvs, 2);
    mesh.record.first_uv1 = append_attribute(scene.uvs, shape.second_uvs, 2);
    mesh.record.first_color = append_attribute(scene.colors, shape.colors, 4);
    scene.indices.insert(scene.indices.end(), shape.indices.begin(), shape.indices.end());
    scene.meshes.push_back(mesh);
    return static_cast<u32>(scene.meshes.size() - 1);
}

void add_instance(scene::Scene& scene, u32 mesh, const math::Affine& object_to_world) {
    const std::string node = "node " + std::to_string(scene.instances.size());
    scene.instances.push_back({mesh, scene.meshes[mesh].material, object_to_world, node});
}

void add_object(scene::Scene& scene, const Shape& shape, const shaders::MaterialRecord& record) {
    add_instance(scene, add_mesh(scene, shape, add_material(scene, record)), math::kIdentity);
}

u32 add_slot(scene::Scene& scene, u32 size, Meaning meaning, const PixelFunction& pixel) {
    scene::DecodedImage image;
    image.width = size;
    image.height = size;
    for (u32 y = 0; y < size; ++y) {
        for (u32 x = 0; x < size; ++x) {
            const Byte4 rgba = pixel(x, y);
            image.bytes.insert(image.bytes.end(), rgba.begin(), rgba.end());
        }
    }
    const auto texels =
        meaning == Meaning::Color ? scene::TexelMeaning::Color : scene::TexelMeaning::Linear;
    shaders::TextureSlot slot{};
    slot.texture = scene::append_texture(scene, image, texels, "made in code").value();
    slot.uv_transform[0] = 1;
    slot.uv_transform[4] = 1;
    scene.slots.push_back(slot);
    return static_cast<u32>(scene.slots.size() - 1);
}

math::Affine placed(Float3 scale, Float3 by) {
    return {scale[0], 0, 0, by[0], 0, scale[1], 0, by[1], 0, 0, scale[2], by[2]};
}

scene::Light point_light(Float3 position, Float3 candela) {
    scene::Light light;
    light.name = "point";
    light.position = position;
    light.intensity = candela;
    return light;
}

scene::Light directional_light(Float3 direction, Float3 lux) {
    scene::Light light;
    light.name = "directional";
    light.kind = shaders::LightKind::Directional;
    light.direction = math::normalize(direction);
    light.intensity = lux;
    return light;
}

scene::Light spot_light(
    Float3 position, Float3 direction, Float3 candela, float cos_inner, float cos_outer) {
    scene::Light light = point_light(position, candela);
    light.name = "spot";
    light.kind = shaders::LightKind::Spot;
    light.direction = math::normalize(direction);
    light.cos_inner = cos_inner;
    light.cos_outer = cos_outer;
    return light;
}

void set_constant_environment(scene::Scene& scene, Float3 radiance) {
    scene.environment.name = "constant";
    scene.environment.width = 1;
    scene.environment.height = 1;
    scene.environment.pixels.assign(&radiance.x, &radiance.x + 3);
}

void set_sky(scene::Scene& scene, u32 width, u32 height) {
    scene::Environment& sky = scene.environment;
    sky = {};
    sky.name = "sky";
    sky.width = width;
    sky.height = height;
    sky.rotation_rad = 0.7f;
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            const float up = 1 - static_cast<float>(y) / static_cast<float>(height);
            const bool is_sun = x == width / 3 && y == height / 4;
            const float sun = is_sun ? 40.0f : 0.0f;
            append(
                sky.pixels,
                Float3{
                    0.2f + 0.3f * up + sun, 0.2f + 0.5f * up + sun, 0.3f + 0.7f * up + 0.7f * sun});
        }
    }
}

void set_camera(scene::Scene& scene, Float3 eye, Float3 target, float yfov_rad) {
    const Float3 backward = math::normalize(eye - target);
    const bool is_steep = std::fabs(backward[1]) > 0.99f;
    const Float3 right =
        math::normalize(cross(is_steep ? Float3{0, 0, -1} : Float3{0, 1, 0}, backward));
    const Float3 up = cross(backward, right);
    scene::Camera camera;
    camera.name = "camera";
    camera.to_world = math::from_columns(right, up, backward, eye);
    camera.yfov_rad = yfov_rad;
    scene.cameras = {camera};
}

}  // namespace weft::tests
