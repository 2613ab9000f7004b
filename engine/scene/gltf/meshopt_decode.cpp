// meshopt_decode.cpp — the guard around meshoptimizer, whose decoders trust the sizes that they
// get.
#include "engine/scene/gltf/meshopt_decode.h"

#include <meshoptimizer.h>

namespace weft::scene {

namespace {

using base::Error;
using base::ErrorKind;

// No mode unpacks a byte into more than 64 (the vertex codec spends four bits or more on 32
// elements of one byte column, the index codecs a byte per triangle or index), so a file that
// claims much more is refused before any allocation.
constexpr u64 kMaxExpansion = 256;
constexpr u64 kMaxUnpackedBytes = u64{1} << 34;

// The fault of the view; empty if there is none.
std::string judge(const MeshoptView& view) {
    if (view.stride == 0 || view.count > kMaxUnpackedBytes / view.stride) {
        return "has count " + std::to_string(view.count) + " and byteStride " +
               std::to_string(view.stride) + ", which is no size that can be unpacked";
    }
    if (view.count * view.stride > view.packed.size() * kMaxExpansion + 4096) {
        return "says " + std::to_string(view.count * view.stride) + " bytes are packed into " +
               std::to_string(view.packed.size()) + ", more than the format can do";
    }
    const bool has_filter = !view.filter.empty() && view.filter != "NONE";
    if (view.mode == "ATTRIBUTES") {
        if (view.stride % 4 != 0 || view.stride > 256) {
            return "has byteStride " + std::to_string(view.stride) +
                   ", a multiple of 4 up to 256 expected";
        }
        if (view.filter == "OCTAHEDRAL" && view.stride != 4 && view.stride != 8) {
            return "has byteStride " + std::to_string(view.stride) +
                   ", 4 or 8 expected by its OCTAHEDRAL filter";
        }
        if (view.filter == "QUATERNION" && view.stride != 8) {
            return "has byteStride " + std::to_string(view.stride) +
                   ", 8 expected by its QUATERNION filter";
        }
        if (has_filter && view.filter != "OCTAHEDRAL" && view.filter != "QUATERNION" &&
            view.filter != "EXPONENTIAL") {
            return "has the unknown filter \"" + view.filter + "\"";
        }
        return {};
    }
    if (view.mode != "TRIANGLES" && view.mode != "INDICES") {
        return "has the unknown mode \"" + view.mode + "\"";
    }
    if (view.stride != 2 && view.stride != 4) {
        return "has byteStride " + std::to_string(view.stride) + ", 2 or 4 expected for indices";
    }
    if (view.mode == "TRIANGLES" && view.count % 3 != 0) {
        return "has count " + std::to_string(view.count) +
               ", a multiple of 3 expected for triangles";
    }
    return has_filter ? "has a filter, which indices cannot have" : std::string();
}

void apply_filter(const MeshoptView& view, std::vector<u8>& bytes) {
    if (view.filter == "OCTAHEDRAL") {
        meshopt_decodeFilterOct(bytes.data(), view.count, view.stride);
    } else if (view.filter == "QUATERNION") {
        meshopt_decodeFilterQuat(bytes.data(), view.count, view.stride);
    } else if (view.filter == "EXPONENTIAL") {
        meshopt_decodeFilterExp(bytes.data(), view.count, view.stride);
    }
}

}  // namespace

base::Result<std::vector<u8>> decode_meshopt(const MeshoptView& view, const std::string& place) {
    const std::string fault = judge(view);
    if (!fault.empty()) {
        return Error{ErrorKind::Scene, place + " " + fault};
    }
    std::vector<u8> bytes(view.count * view.stride);
    if (view.count == 0) {
        return bytes;
    }
    int code = 0;
    if (view.mode == "ATTRIBUTES") {
        code = meshopt_decodeVertexBuffer(
            bytes.data(), view.count, view.stride, view.packed.data(), view.packed.size());
    } else if (view.mode == "TRIANGLES") {
        code = meshopt_decodeIndexBuffer(
            bytes.data(), view.count, view.stride, view.packed.data(), view.packed.size());
    } else {
        code = meshopt_decodeIndexSequence(
            bytes.data(), view.count, view.stride, view.packed.data(), view.packed.size());
    }
    if (code != 0) {
        return Error{
            ErrorKind::Scene,
            place + " cannot be unpacked (meshoptimizer code " + std::to_string(code) + ")"};
    }
    apply_filter(view, bytes);
    return bytes;
}

}  // namespace weft::scene
