// kernel_cache.h — the folder of shared objects that were built at run time (R7).
//
// What lies in it is loaded into this program, so it is private: a real folder of the user's own
// with mode 0700, and files of his own. Each file is a shared object with a seal behind it: the key
// it was built for and the digest of its bytes. A file is loaded only if its seal holds, so that
// one that is damaged, cut short, foreign or of another source is built anew instead. Files appear
// by renaming, so two programs may build the same one at once; the later replaces the equal.
//
// Any thread; any number of programs.
#pragma once

#include <filesystem>
#include <string>

#include "scheduler/base/result.h"

namespace weft::compute {

// What a cached file was built from and for.
struct CacheKey {
    std::string kernel;
    std::string instruction_set;
    std::string options;
    std::string source_hash;
};

// $XDG_CACHE_HOME/weft where that is set to an absolute path, else $HOME/.cache/weft. Empty:
// neither.
std::filesystem::path default_cache_folder();

class KernelCache {
public:
    // Makes the folder where it is missing. Error: it is not the user's own, or others may enter.
    static base::Result<KernelCache> open(const std::filesystem::path& folder);

    // The file of a key, its seal checked. Error: why there is none to be used.
    [[nodiscard]] base::Result<std::filesystem::path> find(const CacheKey& key) const;

    // Seals a shared object and gives it its place; files of the same kernel, options and
    // instruction set from other sources are removed. `built` lies in a build folder.
    base::Result<std::filesystem::path> store(const CacheKey& key,
                                              const std::filesystem::path& built) const;

    // A new folder within, for one build; the caller removes it. Those that a program left behind
    // are removed when a day old.
    [[nodiscard]] base::Result<std::filesystem::path> make_build_folder() const;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path folder_;
};

}  // namespace weft::compute
