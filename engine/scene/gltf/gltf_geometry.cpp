// gltf_geometry.cpp — makes a Shape of a primitive's attributes: checks components, lists
// triangles, applies morph targets.
#include "engine/scene/gltf/gltf_geometry.h"

#include "engine/scene/gltf/gltf_attributes.h"

namespace weft::scene::gltf {

namespace {

using base::Result;

std::string name_of(const Document& document, const ShapeRequest& request) {
    const std::string& mesh = document.model.meshes[request.mesh].name;
    return "mesh " + std::to_string(request.mesh) + (mesh.empty() ? "" : " \"" + mesh + "\"") +
           " primitive " + std::to_string(request.primitive);
}

// The values of an attribute; empty where it is missing, or (with a note) of the wrong type or
// length.
std::vector<float> take(Attributes& attributes,
                        const char* attribute,
                        u32 components,
                        std::size_t count,
                        const std::string& name,
                        Notes& notes) {
    const auto found = attributes.arrays.find(attribute);
    if (found == attributes.arrays.end()) {
        return {};
    }
    FloatArray& array = found->second;
    if (array.components != components || array.count != count) {
        notes.add(Note::Kind::Repaired,
                  name + ": " + attribute + " left out, it has " + std::to_string(array.count) +
                      " elements of " + std::to_string(array.components) + " components, " +
                      std::to_string(count) + " of " + std::to_string(components) + " expected");
        return {};
    }
    return std::move(array.values);
}

std::vector<float> take_colors(Attributes& attributes,
                               std::size_t count,
                               const std::string& name,
                               Notes& notes) {
    const auto found = attributes.arrays.find("COLOR_0");
    if (found == attributes.arrays.end() || found->second.components != 3) {
        return take(attributes, "COLOR_0", 4, count, name, notes);
    }
    const std::vector<float> rgb = take(attributes, "COLOR_0", 3, count, name, notes);
    std::vector<float> rgba;
    rgba.reserve(rgb.size() / 3 * 4);
    for (std::size_t i = 0; i < rgb.size(); i += 3) {
        rgba.insert(rgba.end(), {rgb[i], rgb[i + 1], rgb[i + 2], 1.0f});
    }
    return rgba;
}

// base += weight · delta, in the order of targets.
void add_scaled(std::vector<float>& base, const FloatArray& delta, u32 components, float weight) {
    // Tangents have four components and their deltas three: the handedness does not morph.
    for (std::size_t i = 0; i < delta.count; ++i) {
        for (u32 c = 0; c < delta.components; ++c) {
            base[i * components + c] += weight * delta.values[i * delta.components + c];
        }
    }
}

void note_still_colors(const Document& document, const ShapeRequest& request, Notes& notes) {
    const auto& targets = document.model.meshes[request.mesh].primitives[request.primitive].targets;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        if (targets[t].count("COLOR_0") != 0) {
            notes.add(Note::Kind::Ignored,
                      name_of(document, request) + ": morph target " + std::to_string(t) +
                          "'s COLOR_0 left out, colours do not morph");
        }
    }
}

base::Status apply_morphs(const Document& document,
                          const ShapeRequest& request,
                          Shape& shape,
                          Notes& notes) {
    struct Morphed {
        const char* attribute;
        std::vector<float>* values;
        u32 components;
        u32 delta_components;
    };

    const auto& targets = document.model.meshes[request.mesh].primitives[request.primitive].targets;
    const std::array<Morphed, 5> morphed = {{{"POSITION", &shape.positions, 3, 3},
                                             {"NORMAL", &shape.normals, 3, 3},
                                             {"TANGENT", &shape.tangents, 4, 3},
                                             {"TEXCOORD_0", &shape.uv0, 2, 2},
                                             {"TEXCOORD_1", &shape.uv1, 2, 2}}};
    for (std::size_t t = 0; t < targets.size() && t < request.morph_weights.size(); ++t) {
        const auto weight = static_cast<float>(request.morph_weights[t]);
        for (const Morphed& row : morphed) {
            const auto accessor = targets[t].find(row.attribute);
            if (weight == 0 || row.values->empty() || accessor == targets[t].end()) {
                continue;
            }
            const Result<FloatArray> delta = read_floats(document, accessor->second);
            WEFT_TRY(delta);
            if (delta.value().count != shape.vertex_count ||
                delta.value().components != row.delta_components) {
                notes.add(Note::Kind::Repaired,
                          name_of(document, request) + ": morph target " + std::to_string(t) +
                              "'s " + row.attribute + " left out, it does not match the base");
                continue;
            }
            add_scaled(*row.values, delta.value(), row.components, weight);
        }
    }
    return base::Done{};
}

void take_influences(Attributes& attributes, const std::string& name, Shape& shape, Notes& notes) {
    for (u32 set = 0; attributes.arrays.count("JOINTS_" + std::to_string(set)) != 0; ++set) {
        const std::string suffix = std::to_string(set);
        std::vector<float> joints =
            take(attributes, ("JOINTS_" + suffix).c_str(), 4, shape.vertex_count, name, notes);
        std::vector<float> weights =
            take(attributes, ("WEIGHTS_" + suffix).c_str(), 4, shape.vertex_count, name, notes);
        if (!joints.empty() && !weights.empty()) {
            shape.joints.push_back(std::move(joints));
            shape.weights.push_back(std::move(weights));
        }
    }
}

}  // namespace

Result<std::optional<Shape>> read_shape(const Document& document,
                                        const ShapeRequest& request,
                                        Notes& notes) {
    // Skip points and lines.
    const tinygltf::Primitive& primitive =
        document.model.meshes[request.mesh].primitives[request.primitive];
    const std::string name = name_of(document, request);
    if (primitive.mode < TINYGLTF_MODE_TRIANGLES || primitive.mode > TINYGLTF_MODE_TRIANGLE_FAN) {
        const bool is_known = primitive.mode < TINYGLTF_MODE_TRIANGLES;
        notes.add(Note::Kind::Ignored,
                  name +
                      (is_known ? " draws points or lines (mode "
                                : " is left out, its mode is unknown (mode ") +
                      std::to_string(primitive.mode) + ")");
        return std::optional<Shape>();
    }
    // Read the attributes; skip shapes without positions.
    Result<Attributes> read =
        read_attributes(document, request.mesh, request.primitive, request.is_skinned);
    WEFT_TRY(read);
    Attributes& attributes = read.value();
    const auto positions = attributes.arrays.find("POSITION");
    if (positions == attributes.arrays.end()) {
        notes.add(Note::Kind::Ignored, name + " has no positions");
        return std::optional<Shape>();
    }
    // Check the positions.
    Shape shape;
    shape.vertex_count = positions->second.count;
    if (positions->second.components != 3 || shape.vertex_count >= kNone) {
        return scene_error(document.path(),
                           "/meshes/" + std::to_string(request.mesh) + "/primitives/" +
                               std::to_string(request.primitive) + "/attributes/POSITION",
                           "has " + std::to_string(shape.vertex_count) + " elements of " +
                               std::to_string(positions->second.components) +
                               " components, 3 expected");
    }
    // Take the attributes that fit.
    const std::size_t count = shape.vertex_count;
    shape.positions = std::move(positions->second.values);
    shape.normals = take(attributes, "NORMAL", 3, count, name, notes);
    shape.tangents = take(attributes, "TANGENT", 4, count, name, notes);
    shape.uv0 = take(attributes, "TEXCOORD_0", 2, count, name, notes);
    shape.uv1 = take(attributes, "TEXCOORD_1", 2, count, name, notes);
    shape.colors = take_colors(attributes, count, name, notes);
    if (shape.normals.empty()) {
        shape.tangents.clear();  // as the specification asks
    }
    take_influences(attributes, name, shape, notes);
    // Turn the indices into corners of triangles; compressed attributes bring their own.
    IndexSource source = request.source;
    if (attributes.is_indexed) {
        source.is_indexed = true;
        source.index_size = command::IndexSize::Bits32;
        source.bytes = {reinterpret_cast<const u8*>(attributes.indices.data()),
                        attributes.indices.size() * sizeof(u32)};
    }
    shape.indices = triangle_corners(source, count);
    // Apply morph targets.
    WEFT_TRY(apply_morphs(document, request, shape, notes));
    note_still_colors(document, request, notes);
    return std::optional<Shape>(std::move(shape));
}

}  // namespace weft::scene::gltf
