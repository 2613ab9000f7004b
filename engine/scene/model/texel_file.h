// texel_file.h — the texels of a scene beyond its texture budget: a temporary file without a name.
//
// Texels are written at import and never change. They are read as flat memory through a
// BoundedMapping. The file has no name once it is open, so it goes with the process however that
// ends, and nobody else can open it. Room on the disk is taken before texels are written: a full
// disk is an error of the import and never a fault while rendering. Any thread; scenes that share
// texels share the file.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "engine/scene/model/bounded_mapping.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// --texture-memory and --cache-dir.
struct TextureMemory {
    u64 bytes = 0;       // of texels in memory, at least kLeastBudgetBytes; 0: no bound, no file
    std::string folder;  // of the file; made where it is missing
};

class TexelFile {
public:
    // `held_bytes` of the budget are in memory already and will be freed. Errors: the folder takes
    // no file (kind Output), or the memory limit leaves less than the budget.
    static base::Result<std::shared_ptr<TexelFile>> make(const TextureMemory& memory,
                                                         u64 held_bytes);
    TexelFile(const TexelFile&) = delete;
    TexelFile& operator=(const TexelFile&) = delete;
    ~TexelFile();

    // Stays where it is; only what was appended may be read.
    [[nodiscard]] const u32* words() const {
        return reinterpret_cast<const u32*>(mapping_->data());
    }

    // Puts the words behind the first `at`. False: other words are there already. Error (kind
    // Output): the disk is full.
    base::Result<bool> append(u64 at, std::span<const u32> words);

    // Whether the folder's file system keeps files in memory.
    [[nodiscard]] bool is_in_memory() const { return is_in_memory_; }

    [[nodiscard]] const std::string& folder() const { return folder_; }

    [[nodiscard]] BoundedMapping::Figures figures() const { return mapping_->figures(); }

private:
    TexelFile(std::string folder, int descriptor);

    [[nodiscard]] base::Error no_room(u64 bytes, int error_number) const;
    base::Status write(std::span<const u32> words);

    std::string folder_;
    int descriptor_;
    bool is_in_memory_ = false;
    std::unique_ptr<BoundedMapping> mapping_;
    std::mutex mutex_;    // one append at a time; guards what follows
    u64 word_count_ = 0;  // in the file
};

}  // namespace weft::scene
