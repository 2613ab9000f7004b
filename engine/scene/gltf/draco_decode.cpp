// draco_decode.cpp — calls libdraco and checks every result.
#include "engine/scene/gltf/draco_decode.h"

#include <array>
#include <draco/compression/decode.h>
#include <exception>
#include <memory>

namespace weft::scene {

namespace {

using base::Error;
using base::ErrorKind;

bool read_attribute(const draco::PointAttribute& from, u32 vertex_count, DracoAttribute& to) {
    const int components = from.num_components();
    if (components < 1 || components > 4) {
        return false;
    }
    to.components = static_cast<u32>(components);
    // Draco divides normalised integers itself.
    to.is_integer = draco::IsDataTypeIntegral(from.data_type()) && !from.normalized();
    to.values.resize(std::size_t{vertex_count} * to.components);
    for (u32 vertex = 0; vertex < vertex_count; ++vertex) {
        const draco::AttributeValueIndex index = from.mapped_index(draco::PointIndex(vertex));
        std::array<float, 4> value{};
        if (index.value() >= from.size() ||
            !from.ConvertValue<float>(index, static_cast<std::int8_t>(components), value.data())) {
            return false;
        }
        for (u32 c = 0; c < to.components; ++c) {
            to.values[std::size_t{vertex} * to.components + c] = value[c];
        }
    }
    return true;
}

base::Result<DracoMesh> decode(std::span<const u8> packed,
                               std::span<const u32> ids,
                               const std::string& place) {
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char*>(packed.data()), packed.size());
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) {
        return Error{
            ErrorKind::Scene,
            place + " cannot be unpacked (Draco: " + decoded.status().error_msg_string() + ")"};
    }
    const std::unique_ptr<draco::Mesh> from = std::move(decoded).value();
    DracoMesh mesh;
    mesh.vertex_count = from->num_points();
    mesh.indices.reserve(std::size_t{from->num_faces()} * 3);
    for (u32 f = 0; f < from->num_faces(); ++f) {
        for (const draco::PointIndex& corner : from->face(draco::FaceIndex(f))) {
            if (corner.value() >= mesh.vertex_count) {
                return Error{ErrorKind::Scene,
                             place + " unpacks to a triangle whose vertex does not exist"};
            }
            mesh.indices.push_back(corner.value());
        }
    }
    for (const u32 id : ids) {
        const draco::PointAttribute* attribute = from->GetAttributeByUniqueId(id);
        mesh.attributes.emplace_back();
        if (attribute == nullptr ||
            !read_attribute(*attribute, mesh.vertex_count, mesh.attributes.back())) {
            return Error{ErrorKind::Scene,
                         place + " has no readable attribute with the id " + std::to_string(id) +
                             " that glTF names"};
        }
    }
    return mesh;
}

}  // namespace

base::Result<DracoMesh> decode_draco(std::span<const u8> packed,
                                     std::span<const u32> ids,
                                     const std::string& place) {
    try {
        return decode(packed, ids, place);
    } catch (const std::exception& error) {
        return Error{ErrorKind::Scene,
                     place + " cannot be unpacked (Draco: " + std::string(error.what()) + ")"};
    }
}

}  // namespace weft::scene
