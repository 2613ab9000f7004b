// assimp_pack.h — the pack: the bytes that the reader process sends to the importer, as values,
// texts and arrays in sequence.
//
// assimp_reader.cpp writes it into a file in memory, assimp_import.cpp reads it. PackReader trusts
// nothing: an item that does not fit into the bytes left is empty, and the pack counts as broken
// from then on. Both ends are the same build. One thread each; throws nothing but std::bad_alloc.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/scene/model/scene.h"
#include "scheduler/base/ids.h"

namespace weft::scene {

// The first and last words of a pack.
inline constexpr u64 kPackBegin = 0x31706d6974666577;
inline constexpr u64 kPackEnd = 0x646e656b63617077;
// Every item begins at a multiple of this.
inline constexpr u64 kPackGrain = 8;

// The descriptor of the file for the pack, and the exit code of a reader that ran out of memory. A
// reader with a whole pack exits with 0.
inline constexpr int kPackFile = 3;
inline constexpr int kReaderOutOfMemory = 33;

class PackWriter {
public:
    // Writes into an open file.
    explicit PackWriter(int file) : file_(file) {}

    template <typename T>
    void value(const T& item) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&item, sizeof item);
    }

    void text(std::string_view text) { array(std::span<const char>(text.data(), text.size())); }

    template <typename T>
    void array(std::span<const T> items) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kPackGrain);
        value(u64{items.size()});
        append(items.data(), items.size_bytes());
    }

    template <typename T>
    void array(const std::vector<T>& items) {
        array(std::span<const T>(items));
    }

    // Discards everything written.
    void start_again();

    // Writes the rest. False: the file did not take all of it.
    bool finish();

private:
    void append(const void* bytes, std::size_t size);
    void flush();
    void write_out(const char* bytes, std::size_t size);

    int file_;
    bool is_sound_ = true;
    std::string buffer_;
};

class PackReader {
public:
    explicit PackReader(std::span<const char> bytes) : left_(bytes) {}

    template <typename T>
    T value() {
        static_assert(std::is_trivially_copyable_v<T>);
        T item{};
        if (const char* const from = take(sizeof item)) {
            std::memcpy(&item, from, sizeof item);
        }
        return item;
    }

    std::string text() {
        const std::span<const char> characters = array<char>();
        return {characters.begin(), characters.end()};
    }

    template <typename T>
    std::span<const T> array() {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kPackGrain);
        const u64 count = value<u64>();
        if (count > left_.size() / sizeof(T)) {
            fail();
            return {};
        }
        const char* const from = take(count * sizeof(T));
        return from == nullptr ? std::span<const T>()
                               : std::span<const T>(reinterpret_cast<const T*>(from), count);
    }

    // The length of a list, checked against the bytes left.
    u64 count() {
        const u64 items = value<u64>();
        if (items > left_.size() / kPackGrain) {
            fail();
        }
        return is_sound_ ? items : 0;
    }

    // Marks the pack as broken.
    void fail() {
        is_sound_ = false;
        left_ = {};
    }

    [[nodiscard]] bool is_sound() const { return is_sound_; }

private:
    // Null where fewer bytes are left.
    const char* take(u64 size);

    std::span<const char> left_;
    bool is_sound_ = true;
};

// One mesh, ready for the arenas except for its tangents. An attribute that the file lacks is
// empty.
struct PackedMesh {
    std::string name;
    u32 material = 0;  // assimp's index
    std::span<const u32> corners;
    std::span<const float> positions;  // 3 per vertex
    std::span<const float> normals;    // 3
    std::span<const float> uvs[2];     // 2
    std::span<const float> colors;     // 4

    [[nodiscard]] u32 vertex_count() const { return static_cast<u32>(positions.size() / 3); }
};

// Whether the lengths of the arrays agree, corners name vertices, and positions are finite.
bool is_sound(const PackedMesh& mesh);

void write_mesh(PackWriter& pack, const PackedMesh& mesh);
PackedMesh read_mesh(PackReader& pack);

bool is_finite(const Camera& camera);
bool is_finite(const Light& light);

// Groups of nodes, parents before their children; those that are read back have finite matrices.
struct PackedGroup {
    std::string name;
    u32 parent = kNone;
    math::Affine to_world{};
};

std::vector<PackedGroup> read_groups(PackReader& pack);

// Values that are read back are finite.
void write_cameras(PackWriter& pack, const std::vector<Camera>& cameras);
std::vector<Camera> read_cameras(PackReader& pack);
void write_lights(PackWriter& pack, const std::vector<Light>& lights);
std::vector<Light> read_lights(PackReader& pack);

void write_notes(PackWriter& pack, const std::vector<Note>& notes);
std::vector<Note> read_notes(PackReader& pack);

}  // namespace weft::scene
