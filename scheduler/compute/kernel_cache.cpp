#include "scheduler/compute/kernel_cache.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "scheduler/base/cache_folder.h"
#include "scheduler/compute/sha256.h"

namespace weft::compute {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSealBegin = "\nweft kernel seal 1\n";
constexpr std::string_view kBuildPrefix = "build-";
// Far above the size of any kernel; a larger file is no kernel.
constexpr u64 kMostBytes = u64{64} << 20;
constexpr std::chrono::hours kOldBuild{24};

base::Error error(const fs::path& path, const std::string& what) {
    return {base::ErrorKind::Output, "kernel cache " + path.string() + ": " + what};
}

std::string errno_text() {
    return std::strerror(errno);
}

// "shade-avx512-0123456789ab-": the files of one kernel, instruction set and options.
std::string family(const CacheKey& key) {
    return key.kernel + "-" + key.instruction_set + "-" + sha256_hex(key.options).substr(0, 12) +
           "-";
}

std::string file_name(const CacheKey& key) {
    return family(key) + key.source_hash.substr(0, 24) + ".so";
}

std::string seal_of(const CacheKey& key, const std::string& digest) {
    std::string seal(kSealBegin);
    for (const std::string& line :
         {key.kernel, key.instruction_set, key.options, key.source_hash, digest}) {
        seal += line + "\n";
    }
    return seal;
}

// The error of another room, as one of the kernel cache.
base::Status in_cache(const base::Status& status) {
    return status.is_ok()
               ? status
               : base::Error{base::ErrorKind::Output, "kernel cache " + status.error().sentence};
}

// All bytes of a regular file of the user's own that nobody else can write.
base::Result<std::string> read_own(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return error(path, errno_text());
    }

    struct stat status {};

    std::string why;
    std::string bytes;
    if (fstat(file, &status) != 0) {
        why = errno_text();
    } else if (!S_ISREG(status.st_mode)) {
        why = "expected a file";
    } else if (status.st_uid != geteuid() || (status.st_mode & 022) != 0) {
        why = "others may write it";
    } else if (static_cast<u64>(status.st_size) > kMostBytes) {
        why = "it is too large for a kernel";
    } else {
        bytes.resize(static_cast<std::size_t>(status.st_size));
        std::size_t done = 0;
        while (why.empty() && done < bytes.size()) {
            const ssize_t got = read(file, bytes.data() + done, bytes.size() - done);
            if (got <= 0) {
                why = "it cannot be read";
            } else {
                done += static_cast<std::size_t>(got);
            }
        }
    }
    close(file);
    if (!why.empty()) {
        return error(path, why);
    }
    return bytes;
}

void remove_old_builds(const fs::path& folder) {
    std::error_code ignored;
    const auto now = fs::file_time_type::clock::now();
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kBuildPrefix) && now - entry.last_write_time(ignored) > kOldBuild) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

}  // namespace

base::Result<KernelCache> KernelCache::open(const fs::path& folder) {
    WEFT_TRY(in_cache(base::make_private_folder(folder)));
    return KernelCache(folder);
}

base::Result<fs::path> KernelCache::find(const CacheKey& key) const {
    WEFT_TRY(in_cache(base::check_private_folder(folder_)));
    const fs::path path = folder_ / file_name(key);
    base::Result<std::string> bytes = read_own(path);
    WEFT_TRY(bytes);
    const std::string& all = bytes.value();
    const std::size_t seal = all.rfind(kSealBegin);
    if (seal == std::string::npos) {
        return error(path, "it has no seal");
    }
    const std::string digest = sha256_hex(std::string_view(all).substr(0, seal));
    if (std::string_view(all).substr(seal) != seal_of(key, digest)) {
        return error(path, "its seal does not hold");
    }
    return path;
}

base::Result<fs::path> KernelCache::store(const CacheKey& key, const fs::path& built) const {
    base::Result<std::string> bytes = read_own(built);
    WEFT_TRY(bytes);
    {
        std::ofstream file(built, std::ios::app | std::ios::binary);
        file << seal_of(key, sha256_hex(bytes.value()));
        file.close();
        if (!file) {
            return error(built, "its seal cannot be written");
        }
    }
    const fs::path path = folder_ / file_name(key);
    std::error_code failed;
    fs::rename(built, path, failed);
    if (failed) {
        return error(path, failed.message());
    }
    const std::string prefix = family(key);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, failed)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(prefix) && name != path.filename().string()) {
            fs::remove(entry.path(), failed);
        }
    }
    return path;
}

base::Result<fs::path> KernelCache::make_build_folder() const {
    remove_old_builds(folder_);
    std::string name = (folder_ / (std::string(kBuildPrefix) + "XXXXXX")).string();
    if (!mkdtemp(name.data())) {
        return error(name, errno_text());
    }
    return fs::path(name);
}

}  // namespace weft::compute
