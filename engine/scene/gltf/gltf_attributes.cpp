// gltf_attributes.cpp — reads Draco's attributes first, then the accessors of all others.
#include "engine/scene/gltf/gltf_attributes.h"

#include "engine/scene/gltf/draco_decode.h"
#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

using base::Result;

bool is_wanted(const std::string& name, bool with_joints) {
    if (name.rfind("JOINTS_", 0) == 0 || name.rfind("WEIGHTS_", 0) == 0) {
        return with_joints;
    }
    return name == "POSITION" || name == "NORMAL" || name == "TANGENT" || name == "TEXCOORD_0" ||
           name == "TEXCOORD_1" || name == "COLOR_0";
}

std::string pointer_to(std::size_t mesh, std::size_t primitive) {
    return "/meshes/" + std::to_string(mesh) + "/primitives/" + std::to_string(primitive);
}

// Names and Draco ids of the attributes that the extension lists and the importer reads.
struct DracoRequest {
    std::vector<std::string> names;
    std::vector<u32> ids;
};

Result<DracoRequest> ask_draco(const Document& document,
                               const Json& extension,
                               const tinygltf::Primitive& primitive,
                               const std::string& pointer,
                               bool with_joints) {
    DracoRequest request;
    for (const auto& [name, id] : members(*find(extension, "attributes"))) {
        if (!is_count(id) || count_of(id) > kNone || primitive.attributes.count(name) == 0) {
            return scene_error(document.path(),
                               pointer + "/attributes/" + name,
                               "is no Draco id of an attribute that the primitive has");
        }
        if (is_wanted(name, with_joints)) {
            request.names.push_back(name);
            request.ids.push_back(static_cast<u32>(count_of(id)));
        }
    }
    return request;
}

Result<Attributes> read_draco(const Document& document,
                              const Json& extension,
                              const tinygltf::Primitive& primitive,
                              const std::string& pointer,
                              bool with_joints) {
    const Result<DracoRequest> request =
        ask_draco(document, extension, primitive, pointer, with_joints);
    WEFT_TRY(request);
    const View& view = document.views[count_of(*find(extension, "bufferView"))];
    if (!view.fault.empty()) {
        return base::Error{base::ErrorKind::Scene, view.fault};
    }
    Result<DracoMesh> mesh =
        decode_draco(view.bytes, request.value().ids, document.path() + ": " + pointer);
    WEFT_TRY(mesh);
    Attributes attributes;
    attributes.is_indexed = true;
    attributes.indices = std::move(mesh.value().indices);
    for (std::size_t i = 0; i < request.value().names.size(); ++i) {
        const std::string& name = request.value().names[i];
        DracoAttribute& from = mesh.value().attributes[i];
        const auto& accessor =
            document.model.accessors[static_cast<std::size_t>(primitive.attributes.at(name))];
        if (from.is_integer && (accessor.normalized || is_always_normalized(name))) {
            for (float& value : from.values) {
                value = normalize_component(value, accessor.componentType);
            }
        }
        attributes.arrays[name] = {
            from.components, mesh.value().vertex_count, std::move(from.values)};
    }
    return attributes;
}

}  // namespace

bool is_always_normalized(const std::string& attribute) {
    return attribute == "COLOR_0" || attribute.rfind("WEIGHTS_", 0) == 0;
}

Result<Attributes> read_attributes(const Document& document,
                                   std::size_t mesh,
                                   std::size_t index,
                                   bool with_joints) {
    const tinygltf::Primitive& primitive = document.model.meshes[mesh].primitives[index];
    const Json* draco =
        find_extension(primitive_json(document, mesh, index), "KHR_draco_mesh_compression");
    Attributes attributes;
    if (draco != nullptr) {
        Result<Attributes> unpacked =
            read_draco(document,
                       *draco,
                       primitive,
                       pointer_to(mesh, index) + "/extensions/KHR_draco_mesh_compression",
                       with_joints);
        WEFT_TRY(unpacked);
        attributes = std::move(unpacked.value());
    }
    for (const auto& [name, accessor] : primitive.attributes) {
        if (!is_wanted(name, with_joints) || attributes.arrays.count(name) != 0) {
            continue;
        }
        Result<FloatArray> array = read_floats(document, accessor, is_always_normalized(name));
        WEFT_TRY(array);
        attributes.arrays[name] = std::move(array.value());
    }
    return attributes;
}

}  // namespace weft::scene::gltf
