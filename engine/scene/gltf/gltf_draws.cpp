#include "engine/scene/gltf/gltf_draws.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

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

// The indices of one accessor while lists are recorded and executed.
struct IndexBuffer {
    int accessor = -1;
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

// Lists name index buffers by their accessors; submission binds those to the buffers that were
// read, one for all primitives of an accessor.
class DrawBook {
public:
    DrawBook(const Document& document, const std::vector<PrimitiveName>& primitives)
        : document_(document), primitives_(primitives) {
        accessors_.reserve(primitives.size());
        for (std::size_t k = 0; k < primitives.size(); ++k) {
            const int accessor = accessors_.emplace_back(index_accessor(k));
            if (accessor >= 0 && buffer_of_.try_emplace(accessor, buffers_.size()).second) {
                buffers_.push_back({accessor, {}, {}});
            }
        }
    }

    // Reads all index buffers, on several threads. Error: the first one's.
    Status read_buffers(const ImportConfig& config) {
        tbb::parallel_for(std::size_t{0}, buffers_.size(), [&](std::size_t k) {
            IndexBuffer& buffer = buffers_[k];
            if (is_given_up(config)) {
                buffer.error = cancelled_error(document_.path());
                return;
            }
            Result<IndexBytes> bytes = read_index_bytes(document_, buffer.accessor);
            if (bytes.is_ok()) {
                buffer.bytes = std::move(bytes.value());
            } else {
                buffer.error = bytes.error();
            }
        });
        for (const IndexBuffer& buffer : buffers_) {
            if (buffer.error) {
                return *buffer.error;
            }
        }
        return base::Done{};
    }

    // After read_buffers(). Any thread, with its own recorder.
    Result<command::ListPtr> record(command::Recorder& recorder, u32 group) const {
        const std::size_t begin = std::size_t{group} * kGroupSize;
        const std::size_t end = std::min(begin + kGroupSize, primitives_.size());
        for (std::size_t k = begin; k < end; ++k) {
            recorder.set_primitive_topology(topology_of(primitive_at(k).mode));
            if (accessors_[k] >= 0) {
                const IndexBuffer& buffer = buffers_[buffer_of_.at(accessors_[k])];
                recorder.set_index_buffer(static_cast<u32>(accessors_[k]), buffer.bytes.index_size);
            } else {
                recorder.reset(command::kIndexBuffer);
            }
            const u64 operand = k;
            recorder.draw(kDrawGeometry, {&operand, 1});
        }
        return recorder.finish("geometry " + std::to_string(group));
    }

    // By accessor: the buffer that was read.
    [[nodiscard]] std::vector<u64> bindings() const {
        std::vector<u64> places(document_.model.accessors.size(), command::kUnbound);
        for (const auto& [accessor, buffer] : buffer_of_) {
            places[static_cast<std::size_t>(accessor)] = buffer;
        }
        return places;
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

private:
    [[nodiscard]] const tinygltf::Primitive& primitive_at(std::size_t k) const {
        return document_.model.meshes[primitives_[k].mesh].primitives[primitives_[k].primitive];
    }

    // -1 where no accessor gives indices: there are none, Draco has them, or the primitive draws
    // no triangles.
    [[nodiscard]] int index_accessor(std::size_t k) const {
        const tinygltf::Primitive& primitive = primitive_at(k);
        const Json* draco =
            find_extension(primitive_json(document_, primitives_[k].mesh, primitives_[k].primitive),
                           "KHR_draco_mesh_compression");
        if (primitive.indices < 0 || draco != nullptr || !has_triangles(primitive)) {
            return -1;
        }
        return primitive.indices;
    }

    const Document& document_;
    const std::vector<PrimitiveName>& primitives_;
    std::vector<int> accessors_;        // by primitive; -1: none
    std::vector<IndexBuffer> buffers_;  // in the order of their first use
    std::unordered_map<int, std::size_t> buffer_of_;
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
    // Read the index buffers, then record lists of draws in parallel.
    DrawBook book(document, primitives);
    WEFT_TRY(book.read_buffers(config));
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
    // Submit the lists; each draw makes a mesh.
    const std::vector<u64> resources = book.bindings();
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
