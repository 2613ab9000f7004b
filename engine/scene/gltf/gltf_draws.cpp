#include "engine/scene/gltf/gltf_draws.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <tbb/parallel_for.h>

#include "engine/scene/gltf/gltf_accessor.h"
#include "engine/scene/gltf/gltf_check.h"
#include "scheduler/command/recorder.h"
#include "scheduler/command/submitter.h"

namespace weft::scene::gltf {

namespace {

using base::Result;
using base::Status;
using command::IndexSize;
using command::Topology;

constexpr u32 kGroupSize = 32;       // primitives of a list
constexpr u32 kCommandsPerDraw = 3;  // index buffer, topology, draw
constexpr u32 kDrawGeometry = 0;     // one operand: the number of the primitive

const command::Vocabulary& vocabulary() {
    static const command::Vocabulary kept(
        command::StateShape({}), {{"geometry", {command::kTopology}, 1}}, {});
    return kept;
}

// One primitive's index buffer while lists are recorded and executed.
struct IndexBuffer {
    IndexBytes bytes;
    std::optional<base::Error> error;
};

bool has_triangles(const tinygltf::Primitive& primitive) {
    return primitive.mode >= TINYGLTF_MODE_TRIANGLES &&
           primitive.mode <= TINYGLTF_MODE_TRIANGLE_FAN;
}

Topology topology_of(int mode) {
    return mode == TINYGLTF_MODE_TRIANGLE_STRIP ? Topology::TriangleStrip
           : mode == TINYGLTF_MODE_TRIANGLE_FAN ? Topology::TriangleFan
                                                : Topology::TriangleList;
}

class DrawBook {
public:
    DrawBook(const Document& document, const std::vector<PrimitiveName>& primitives)
        : document_(document), primitives_(primitives), buffers_(primitives.size()) {}

    // Any thread, with its own recorder; a group touches its own primitives only.
    Result<command::ListPtr> record(command::Recorder& recorder, u32 group) {
        const std::size_t begin = std::size_t{group} * kGroupSize;
        const std::size_t end = std::min(begin + kGroupSize, primitives_.size());
        for (std::size_t k = begin; k < end; ++k) {
            const tinygltf::Primitive& primitive = primitive_at(k);
            recorder.set_primitive_topology(topology_of(primitive.mode));
            const std::optional<IndexSize> size = read_buffer(k, primitive);
            if (size) {
                recorder.set_index_buffer(static_cast<u32>(k), *size);
            } else {
                recorder.reset(command::kIndexBuffer);
            }
            const u64 operand = k;
            recorder.draw(kDrawGeometry, {&operand, 1});
        }
        return recorder.finish("geometry " + std::to_string(group));
    }

    [[nodiscard]] std::optional<base::Error> first_error() const {
        const auto found = std::find_if(buffers_.begin(), buffers_.end(), [](const auto& buffer) {
            return buffer.error.has_value();
        });
        return found == buffers_.end() ? std::nullopt : found->error;
    }

    // The indices in the state of a draw.
    [[nodiscard]] IndexSource source_of(const command::Call& call) const {
        IndexSource source;
        source.topology = call.topology();
        const u64 buffer = call.resource(command::kIndexBuffer);
        source.is_indexed = buffer != command::kUnbound;
        if (source.is_indexed) {
            source.index_size = call.index_size();
            source.bytes = buffers_[buffer].bytes.bytes;
        }
        return source;
    }

    [[nodiscard]] std::size_t size() const { return buffers_.size(); }

private:
    [[nodiscard]] const tinygltf::Primitive& primitive_at(std::size_t k) const {
        return document_.model.meshes[primitives_[k].mesh].primitives[primitives_[k].primitive];
    }

    // Empty where the accessor gives no indices: there are none, Draco has them, or the primitive
    // draws no triangles.
    std::optional<IndexSize> read_buffer(std::size_t k, const tinygltf::Primitive& primitive) {
        const Json* draco =
            find_extension(primitive_json(document_, primitives_[k].mesh, primitives_[k].primitive),
                           "KHR_draco_mesh_compression");
        if (primitive.indices < 0 || draco != nullptr || !has_triangles(primitive)) {
            return std::nullopt;
        }
        Result<IndexBytes> bytes = read_index_bytes(document_, primitive.indices);
        if (!bytes.is_ok()) {
            buffers_[k].error = bytes.error();
            return std::nullopt;
        }
        buffers_[k].bytes = std::move(bytes.value());
        return buffers_[k].bytes.index_size;
    }

    const Document& document_;
    const std::vector<PrimitiveName>& primitives_;
    std::vector<IndexBuffer> buffers_;
};

u32 index_at(const IndexSource& source, std::size_t place) {
    u32 index = 0;
    const std::size_t size = static_cast<std::size_t>(source.index_size);
    std::memcpy(&index, source.bytes.data() + place * size, size);  // little-endian, as glTF is
    return index;
}

}  // namespace

std::vector<u32> triangle_corners(const IndexSource& source, std::size_t vertex_count) {
    const std::size_t count =
        source.is_indexed ? source.bytes.size() / static_cast<std::size_t>(source.index_size)
                          : vertex_count;
    const u32 triangles = command::primitive_count(
        source.topology, static_cast<u32>(std::min<std::size_t>(count, kNone)));
    std::vector<u32> corners;
    corners.reserve(std::size_t{3} * triangles);
    for (u32 triangle = 0; triangle < triangles; ++triangle) {
        const command::Corners places = command::primitive_corners(source.topology, triangle);
        for (const u32 place : {places.first, places.second, places.third}) {
            corners.push_back(source.is_indexed ? index_at(source, place) : place);
        }
    }
    return corners;
}

Status draw_geometry(const Document& document,
                     const ImportConfig& config,
                     const std::vector<PrimitiveName>& primitives,
                     const std::function<Status(u32, const IndexSource&)>& make) {
    // Record lists of draws in parallel.
    DrawBook book(document, primitives);
    const auto groups = static_cast<u32>((primitives.size() + kGroupSize - 1) / kGroupSize);
    std::vector<command::ListPtr> lists(groups);
    std::vector<std::optional<base::Error>> errors(groups);
    tbb::parallel_for(0u, groups, [&](u32 group) {
        if (is_given_up(config)) {
            errors[group] = cancelled_error(document.path());
            return;
        }
        command::Recorder recorder(vocabulary(),
                                   {.max_commands = kCommandsPerDraw * kGroupSize,
                                    .max_patches = 0,
                                    .max_operands = kGroupSize});
        Result<command::ListPtr> list = book.record(recorder, group);
        if (list.is_ok()) {
            lists[group] = list.value();
        } else {
            errors[group] = list.error();
        }
    });
    // Report the first error.
    for (const std::optional<base::Error>& error : errors) {
        if (error) {
            return *error;
        }
    }
    if (const std::optional<base::Error> error = book.first_error()) {
        return *error;
    }
    // Submit the lists; each draw makes a mesh.
    std::vector<u64> resources(book.size());
    for (u64 k = 0; k < resources.size(); ++k) {
        resources[k] = k;
    }
    command::Submitter submitter(vocabulary(),
                                 {{[&](const command::Call& call) -> Status {
                                      if (is_given_up(config)) {
                                          return cancelled_error(document.path());
                                      }
                                      return make(static_cast<u32>(call.operands()[0]),
                                                  book.source_of(call));
                                  }},
                                  {}});
    command::RenderState state(vocabulary().shape);
    WEFT_TRY(submitter.submit(lists, {resources, {}}, state));
    return base::Done{};
}

}  // namespace weft::scene::gltf
