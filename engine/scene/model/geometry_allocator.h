// geometry_allocator.h — memory for vectors of triangles and vertices, in a scene's GeometryFile
// where it has one. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "scheduler/base/ids.h"

namespace weft::scene {

class GeometryFile;

// Memory for a vector of triangles or vertices: a range of the file, or of the heap where the range
// is small or the file has no room. Throws std::bad_alloc where the memory limit leaves too little.
void* take_geometry(GeometryFile* maybe_file, u64 bytes);
void give_geometry_back(GeometryFile* maybe_file, void* place, u64 bytes) noexcept;

// A standard allocator over a file; without one, over the heap.
template <typename T>
class GeometryAllocator {
public:
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    constexpr GeometryAllocator() noexcept = default;

    explicit GeometryAllocator(std::shared_ptr<GeometryFile> file) noexcept
        : file_(std::move(file)) {}

    template <typename U>
    GeometryAllocator(const GeometryAllocator<U>& other) noexcept  // NOLINT
        : file_(other.maybe_file()) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(take_geometry(file_.get(), count * sizeof(T)));
    }

    void deallocate(T* place, std::size_t count) noexcept {
        give_geometry_back(file_.get(), place, count * sizeof(T));
    }

    [[nodiscard]] const std::shared_ptr<GeometryFile>& maybe_file() const { return file_; }

    friend bool operator==(const GeometryAllocator& a, const GeometryAllocator& b) {
        return a.file_ == b.file_;
    }

private:
    std::shared_ptr<GeometryFile> file_;
};

}  // namespace weft::scene
