// kernel_cache.h — the folder of shared objects that were built at run time (R7).
//
// The program loads its files, so it is private: a real folder owned by the user, with mode 0700,
// with files owned by the user. Each file is a shared object followed by a seal: its key and the
// digest of its bytes. A file with a broken seal (damaged, truncated, foreign, of another source)
// is rebuilt. Files appear by renaming, so two programs may build the same file at once; the later
// one replaces an equal one.
//
// Any thread; any number of programs.
#pragma once

#include <filesystem>
#include <string>

#include "scheduler/base/result.h"

namespace weft::compute {

// The source and target of a cached file.
struct CacheKey {
    std::string kernel;
    std::string instruction_set;
    std::string options;
    std::string source_hash;
};

class KernelCache {
public:
    // Makes the folder if it is missing. Error: the user does not own it, or others may enter.
    static base::Result<KernelCache> open(const std::filesystem::path& folder);

    // The file of a key, its seal checked. Error: why no file can be used.
    [[nodiscard]] base::Result<std::filesystem::path> find(const CacheKey& key) const;

    // Seals a shared object and gives it its place; files of the same kernel, options and
    // instruction set from other sources are removed. `built` lies in a build folder.
    base::Result<std::filesystem::path> store(const CacheKey& key,
                                              const std::filesystem::path& built) const;

    // A new folder within, for one build; the caller removes it. Abandoned ones are removed after a
    // day.
    [[nodiscard]] base::Result<std::filesystem::path> make_build_folder() const;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path folder_;
};

}  // namespace weft::compute
