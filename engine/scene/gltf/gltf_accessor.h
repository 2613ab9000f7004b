// gltf_accessor.h — accessors as plain arrays: every component type, normalised or not, strided,
// matrix padding, sparse.
//
// Checks that every element lies in its view before it reads any. Read-only on the document; any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "scheduler/command/render_state.h"

namespace weft::scene::gltf {

// `components` per element, row after row; matrices column by column as in the file, without
// padding.
struct FloatArray {
    u32 components = 0;
    std::size_t count = 0;
    std::vector<float> values;
};

// The most elements of an accessor without a bufferView, which are zeros without bytes in the file.
inline constexpr u64 kMaxImpliedElements = u64{1} << 22;

// `always_normalized`: normalises integers whatever the accessor says (colours, weights).
base::Result<FloatArray> read_floats(const Document& document,
                                     int accessor,
                                     bool always_normalized = false);
base::Result<std::vector<u32>> read_indices(const Document& document, int accessor);

// Indices as bytes without gaps: in place in the file at their size there, or (sparse, strided or
// implied ones) unpacked to 32 bits.
struct IndexBytes {
    command::IndexSize index_size = command::IndexSize::Bits32;
    std::span<const u8> bytes;
    std::vector<u32> unpacked;  // the memory of `bytes` where not empty
};

base::Result<IndexBytes> read_index_bytes(const Document& document, int accessor);

// value / largest of its component type, at least −1 (glTF 2.0, section 3.11).
float normalize_component(float value, int component_type);

}  // namespace weft::scene::gltf
