// geometry_file.h — the vertex arrays of a scene beyond its budget: a temporary file without a
// name, read and written as flat memory.
//
// Importers write triangles and vertices once, builders scan them mesh by mesh, so that few of them
// are needed in memory at a time. The file is mapped through a BoundedMapping, which keeps what is
// resident below the budget. Ranges of the file are handed out as an allocator hands out memory:
// arenas of vertices are vectors in it (arena.h). Room on the disk is taken before a range is
// written: a full disk never is a fault while importing. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/scene/model/bounded_mapping.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// A part of --geometry-memory, and --cache-dir.
struct GeometryMemory {
    u64 bytes = 0;       // of vertex arrays in memory; 0: no bound, no file
    std::string folder;  // of the file; made where it is missing
};

class GeometryFile {
public:
    // Ranges of fewer bytes are not worth the file.
    static constexpr u64 kLeastRangeBytes = u64{1} << 20;

    // The file is opened when its first range is taken. Error: the memory limit leaves less than
    // the budget.
    static base::Result<std::shared_ptr<GeometryFile>> make(const GeometryMemory& memory);
    GeometryFile(const GeometryFile&) = delete;
    GeometryFile& operator=(const GeometryFile&) = delete;
    ~GeometryFile();

    // A range of zeros. Null: it is too small, or the folder takes no file, or disk or addresses
    // have no room.
    void* take(u64 bytes) noexcept;
    // Ends a range, with the bytes that it was taken with. False: it is not of this file.
    bool give_back(void* place, u64 bytes) noexcept;

    // What the ranges take of the disk now.
    [[nodiscard]] u64 taken_bytes() const { return taken_bytes_.load(std::memory_order_relaxed); }

    [[nodiscard]] u64 budget_bytes() const { return budget_bytes_; }

    // Why a range found no room, so that its owner had to take memory: the folder and the reason.
    // Empty: all did.
    [[nodiscard]] std::string why_full() const;

    [[nodiscard]] BoundedMapping::Figures figures() const;

private:
    explicit GeometryFile(const GeometryMemory& memory);

    bool open();
    u64 place_for(u64 bytes);
    void* take_locked(u64 bytes);

    std::string folder_;
    u64 budget_bytes_;
    std::atomic<u64> taken_bytes_{0};  // relaxed: a figure
    mutable std::mutex mutex_;         // guards what follows
    int descriptor_ = -1;
    std::unique_ptr<BoundedMapping> mapping_;
    std::map<u64, u64> unused_;  // ranges below end_: where they begin, and their bytes
    u64 end_ = 0;
    std::string why_full_;
};

}  // namespace weft::scene
