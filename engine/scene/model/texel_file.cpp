#include "engine/scene/model/texel_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <vector>

#include "engine/scene/model/nameless_file.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {

namespace {

// Beyond the largest index of a word (kNone).
constexpr u64 kMappedBytes = (u64{1} << 32) * sizeof(u32);
constexpr std::size_t kWordsAtOnce = std::size_t{1} << 18;

}  // namespace

base::Result<std::shared_ptr<TexelFile>> TexelFile::make(const TextureMemory& memory,
                                                         u64 held_bytes) {
    // Freed bytes are claimed no second time. The mapping pledges what the claim found.
    const base::Result<base::MemoryClaim> claim = base::claim_memory(
        memory.bytes - std::min(memory.bytes, held_bytes), "the budget of --texture-memory");
    WEFT_TRY(claim);
    const int descriptor = open_nameless(memory.folder);
    if (descriptor < 0) {
        return base::Error{base::ErrorKind::Output,
                           memory.folder +
                               ": takes no file for the textures beyond "
                               "--texture-memory (" +
                               std::strerror(errno) +
                               "); expected a folder that can be written (--cache-dir)"};
    }
    std::shared_ptr<TexelFile> file(new TexelFile(memory.folder, descriptor));
    base::Result<std::unique_ptr<BoundedMapping>> mapping =
        BoundedMapping::make(descriptor,
                             {.size_bytes = kMappedBytes,
                              .budget_bytes = memory.bytes,
                              .what = "the textures",
                              .option_name = "--texture-memory"});
    WEFT_TRY(mapping);
    file->mapping_ = std::move(mapping.value());
    return file;
}

TexelFile::TexelFile(std::string folder, int descriptor)
    : folder_(std::move(folder)), descriptor_(descriptor) {
    struct statfs system {};

    is_in_memory_ = ::fstatfs(descriptor, &system) == 0 &&
                    (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

TexelFile::~TexelFile() {
    mapping_.reset();
    ::close(descriptor_);
}

base::Error TexelFile::no_room(u64 bytes, int error_number) const {
    return {base::ErrorKind::Output,
            folder_ + ": no room for " + std::to_string((bytes + (u64{1} << 20) - 1) >> 20) +
                " MiB of textures beyond --texture-memory (" + std::strerror(error_number) +
                "); expected a disk with room (--cache-dir)"};
}

base::Result<bool> TexelFile::append(u64 at, std::span<const u32> words) {
    const std::lock_guard lock(mutex_);
    if (at == word_count_) {
        WEFT_TRY(write(words));
        return true;
    }
    // A scene that was read again finds its texels where they were.
    return at + words.size() <= word_count_ &&
           std::equal(words.begin(), words.end(), this->words() + at);
}

base::Status TexelFile::write(std::span<const u32> words) {
    if (words.empty()) {
        return base::Done{};
    }
    auto end = static_cast<off_t>(word_count_ * sizeof(u32));
    const int error_number =
        ::posix_fallocate(descriptor_, end, static_cast<off_t>(words.size_bytes()));
    if (error_number != 0) {
        return no_room(static_cast<u64>(end) + words.size_bytes(), error_number);
    }
    // The words may lie in a mapping, which no system call may read: copy them.
    std::vector<u32> strip(std::min(words.size(), kWordsAtOnce));
    for (std::size_t begin = 0; begin < words.size(); begin += strip.size()) {
        const std::size_t count = std::min(strip.size(), words.size() - begin);
        std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(begin), count, strip.begin());
        const char* from = reinterpret_cast<const char*>(strip.data());
        std::size_t left = count * sizeof(u32);
        while (left > 0) {
            const ssize_t put = ::pwrite(descriptor_, from, left, end);
            if (put < 0 && errno != EINTR) {
                return no_room(static_cast<u64>(end) + left, errno);
            }
            from += std::max<ssize_t>(0, put);
            end += std::max<ssize_t>(0, put);
            left -= static_cast<std::size_t>(std::max<ssize_t>(0, put));
        }
    }
    word_count_ += words.size();
    return base::Done{};
}

}  // namespace weft::scene
