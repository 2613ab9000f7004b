// gltf_accessor.cpp — checks byte ranges, then converts elements one by one.
#include "engine/scene/gltf/gltf_accessor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace weft::scene::gltf {

namespace {

using base::Error;
using base::Result;

// How the elements of one accessor lie in memory.
struct Layout {
    int component_type = 0;
    u32 component_bytes = 0;
    u32 rows = 1;  // components per column (or per vector)
    u32 columns = 1;
    u32 column_bytes = 0;  // padded to 4 bytes in a matrix
    u64 element_bytes = 0;

    [[nodiscard]] u32 components() const { return rows * columns; }
};

Layout layout_of(const tinygltf::Accessor& accessor) {
    Layout layout;
    layout.component_type = accessor.componentType;
    layout.component_bytes = static_cast<u32>(
        tinygltf::GetComponentSizeInBytes(static_cast<u32>(accessor.componentType)));
    switch (accessor.type) {
        case TINYGLTF_TYPE_SCALAR:
            layout.rows = 1;
            break;
        case TINYGLTF_TYPE_VEC2:
            layout.rows = 2;
            break;
        case TINYGLTF_TYPE_VEC3:
            layout.rows = 3;
            break;
        case TINYGLTF_TYPE_VEC4:
            layout.rows = 4;
            break;
        case TINYGLTF_TYPE_MAT2:
            layout.rows = layout.columns = 2;
            break;
        case TINYGLTF_TYPE_MAT3:
            layout.rows = layout.columns = 3;
            break;
        default:
            layout.rows = layout.columns = 4;
            break;
    }
    const u32 bytes = layout.rows * layout.component_bytes;
    layout.column_bytes = layout.columns > 1 ? (bytes + 3) / 4 * 4 : bytes;
    // The last column of a matrix needs no padding behind it.
    layout.element_bytes = u64{layout.column_bytes} * (layout.columns - 1) + bytes;
    return layout;
}

template <typename T>
T load(const u8* from) {
    T value{};
    std::memcpy(&value, from, sizeof(T));
    return value;
}

float load_component(const u8* from, int type) {
    switch (type) {
        case TINYGLTF_COMPONENT_TYPE_BYTE:
            return static_cast<float>(load<std::int8_t>(from));
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
            return static_cast<float>(load<u8>(from));
        case TINYGLTF_COMPONENT_TYPE_SHORT:
            return static_cast<float>(load<std::int16_t>(from));
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
            return static_cast<float>(load<u16>(from));
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
            return static_cast<float>(load<u32>(from));
        default:
            return load<float>(from);
    }
}

u32 load_index(const u8* from, int type) {
    switch (type) {
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
            return load<u8>(from);
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
            return load<u16>(from);
        default:
            return load<u32>(from);
    }
}

// Elements of `element_bytes` each, `stride` apart.
struct Elements {
    std::span<const u8> bytes;
    u64 stride = 0;

    [[nodiscard]] const u8* at(u64 index) const { return bytes.data() + index * stride; }
};

struct Range {
    int view = 0;
    u64 offset = 0;
    u64 count = 0;
    u64 element_bytes = 0;
};

Result<Elements> locate(const Document& document, const Range& range, const std::string& pointer) {
    const View& view = document.views[static_cast<std::size_t>(range.view)];
    if (!view.fault.empty()) {
        return Error{base::ErrorKind::Scene, view.fault};
    }
    const u64 stride = view.stride == 0 ? range.element_bytes : view.stride;
    const u64 size = view.bytes.size();
    const bool starts_inside = range.offset <= size;
    const u64 room = starts_inside ? size - range.offset : 0;
    const bool fits =
        range.count == 0 || (starts_inside && room >= range.element_bytes &&
                             range.count - 1 <= (room - range.element_bytes) / stride);
    if (!fits) {
        return scene_error(document.path(),
                           pointer,
                           "needs " + std::to_string(range.count) + " elements of " +
                               std::to_string(range.element_bytes) + " bytes, " +
                               std::to_string(stride) + " apart from byte " +
                               std::to_string(range.offset) + ", which do not fit into the " +
                               std::to_string(size) + " bytes of buffer view " +
                               std::to_string(range.view));
    }
    return Elements{range.count == 0 ? std::span<const u8>() : view.bytes.subspan(range.offset),
                    stride};
}

std::string pointer_to(int accessor) {
    return "/accessors/" + std::to_string(accessor);
}

void convert_element(const u8* from, const Layout& layout, bool is_normalized, float* to) {
    for (u32 column = 0; column < layout.columns; ++column) {
        for (u32 row = 0; row < layout.rows; ++row) {
            const float value =
                load_component(from + column * layout.column_bytes + row * layout.component_bytes,
                               layout.component_type);
            *to++ = is_normalized ? normalize_component(value, layout.component_type) : value;
        }
    }
}

// Replaces the elements that the sparse part names.
// Calls put(element, bytes) for each element that the sparse part of accessor `index` replaces.
template <typename Put>
base::Status apply_sparse(const Document& document, int index, u64 element_bytes, Put&& put) {
    const tinygltf::Accessor& accessor = document.model.accessors[static_cast<std::size_t>(index)];
    const auto& sparse = accessor.sparse;
    const std::string pointer = pointer_to(index) + "/sparse";
    const int index_type = sparse.indices.componentType;
    if (index_type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE &&
        index_type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT &&
        index_type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT) {
        return scene_error(document.path(),
                           pointer + "/indices/componentType",
                           "is " + std::to_string(index_type) + ", 5121, 5123 or 5125 expected");
    }
    const u64 count = static_cast<u64>(sparse.count);
    const Result<Elements> where =
        locate(document,
               {sparse.indices.bufferView,
                static_cast<u64>(sparse.indices.byteOffset),
                count,
                static_cast<u64>(tinygltf::GetComponentSizeInBytes(static_cast<u32>(index_type)))},
               pointer + "/indices");
    const Result<Elements> what = locate(document,
                                         {sparse.values.bufferView,
                                          static_cast<u64>(sparse.values.byteOffset),
                                          count,
                                          element_bytes},
                                         pointer + "/values");
    WEFT_TRY(where);
    WEFT_TRY(what);
    for (u64 i = 0; i < count; ++i) {
        const u32 target = load_index(where.value().at(i), index_type);
        if (target >= accessor.count) {
            return scene_error(document.path(),
                               pointer + "/indices",
                               "names element " + std::to_string(target) + " of " +
                                   std::to_string(accessor.count));
        }
        put(target, what.value().at(i));
    }
    return base::Done{};
}

// Limits the elements of an accessor without a bufferView: no bytes of the file back their number.
base::Status check_implied(const Document& document, int index) {
    const std::size_t count = document.model.accessors[static_cast<std::size_t>(index)].count;
    if (count > kMaxImpliedElements) {
        return scene_error(document.path(),
                           pointer_to(index) + "/count",
                           "is " + std::to_string(count) + " without a bufferView, at most " +
                               std::to_string(kMaxImpliedElements) + " expected");
    }
    return base::Done{};
}

}  // namespace

float normalize_component(float value, int component_type) {
    switch (component_type) {
        case TINYGLTF_COMPONENT_TYPE_BYTE:
            return std::max(value / 127.0f, -1.0f);
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE:
            return value / 255.0f;
        case TINYGLTF_COMPONENT_TYPE_SHORT:
            return std::max(value / 32767.0f, -1.0f);
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT:
            return value / 65535.0f;
        case TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT:
            return value / 4294967295.0f;
        default:
            return value;
    }
}

Result<FloatArray> read_floats(const Document& document, int index, bool always_normalized) {
    const tinygltf::Accessor& accessor = document.model.accessors[static_cast<std::size_t>(index)];
    const Layout layout = layout_of(accessor);
    const bool is_normalized = accessor.normalized || always_normalized;
    FloatArray array;
    array.components = layout.components();
    array.count = accessor.count;
    if (accessor.bufferView < 0) {
        WEFT_TRY(check_implied(document, index));
        array.values.assign(accessor.count * array.components, 0.0f);
    } else {
        const Result<Elements> elements =
            locate(document,
                   {accessor.bufferView, accessor.byteOffset, accessor.count, layout.element_bytes},
                   pointer_to(index));
        WEFT_TRY(elements);
        array.values.resize(accessor.count * array.components);
        for (std::size_t i = 0; i < accessor.count; ++i) {
            convert_element(
                elements.value().at(i), layout, is_normalized, &array.values[i * array.components]);
        }
    }
    if (accessor.sparse.isSparse) {
        const base::Status status =
            apply_sparse(document, index, layout.element_bytes, [&](u32 element, const u8* bytes) {
                convert_element(
                    bytes, layout, is_normalized, &array.values[u64{element} * array.components]);
            });
        WEFT_TRY(status);
    }
    return array;
}

namespace {

base::Status check_index_type(const Document& document, int index) {
    const tinygltf::Accessor& accessor = document.model.accessors[static_cast<std::size_t>(index)];
    const int type = accessor.componentType;
    if (accessor.type != TINYGLTF_TYPE_SCALAR || (type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE &&
                                                  type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT &&
                                                  type != TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT)) {
        return scene_error(document.path(),
                           pointer_to(index),
                           "holds indices of component type " + std::to_string(type) +
                               ", SCALAR of 5121, 5123 or 5125 expected");
    }
    return base::Done{};
}

}  // namespace

Result<std::vector<u32>> read_indices(const Document& document, int index) {
    const tinygltf::Accessor& accessor = document.model.accessors[static_cast<std::size_t>(index)];
    const int type = accessor.componentType;
    WEFT_TRY(check_index_type(document, index));
    const auto bytes = static_cast<u64>(tinygltf::GetComponentSizeInBytes(static_cast<u32>(type)));
    std::vector<u32> indices;
    if (accessor.bufferView < 0) {
        WEFT_TRY(check_implied(document, index));
        indices.assign(accessor.count, 0);
    } else {
        const Result<Elements> elements =
            locate(document,
                   {accessor.bufferView, accessor.byteOffset, accessor.count, bytes},
                   pointer_to(index));
        WEFT_TRY(elements);
        indices.resize(accessor.count);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            indices[i] = load_index(elements.value().at(i), type);
        }
    }
    if (accessor.sparse.isSparse) {
        const base::Status status =
            apply_sparse(document, index, bytes, [&](u32 element, const u8* value) {
                indices[element] = load_index(value, type);
            });
        WEFT_TRY(status);
    }
    return indices;
}

Result<IndexBytes> read_index_bytes(const Document& document, int index) {
    WEFT_TRY(check_index_type(document, index));
    const tinygltf::Accessor& accessor = document.model.accessors[static_cast<std::size_t>(index)];
    const auto size = static_cast<u64>(
        tinygltf::GetComponentSizeInBytes(static_cast<u32>(accessor.componentType)));
    IndexBytes indices;
    if (accessor.bufferView >= 0 && !accessor.sparse.isSparse) {
        const Result<Elements> elements =
            locate(document,
                   {accessor.bufferView, accessor.byteOffset, accessor.count, size},
                   pointer_to(index));
        WEFT_TRY(elements);
        if (elements.value().stride == size) {
            indices.index_size = static_cast<command::IndexSize>(size);
            indices.bytes = elements.value().bytes.first(accessor.count * size);
            return indices;
        }
    }
    Result<std::vector<u32>> unpacked = read_indices(document, index);
    WEFT_TRY(unpacked);
    indices.unpacked = std::move(unpacked.value());
    // Moving a vector keeps its elements in place, so the span stays valid.
    indices.bytes = {reinterpret_cast<const u8*>(indices.unpacked.data()),
                     indices.unpacked.size() * sizeof(u32)};
    return indices;
}

}  // namespace weft::scene::gltf
