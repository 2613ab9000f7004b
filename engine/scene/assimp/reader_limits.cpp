// reader_limits.cpp — see reader_limits.h.
#include "engine/scene/assimp/reader_limits.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/resource.h>

namespace weft::scene {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

constexpr u64 kLeastMemory = u64{512} << 20;
constexpr u64 kMemoryPerByte = 64;  // OBJ takes 25 at its worst
constexpr u64 kLeastSeconds = kIsSanitized ? 100 : 10;
constexpr u64 kBytesPerSecond = kIsSanitized ? 50'000 : 500'000;
// The growth of XML from a ZIP file (3MF, AMF, ZAE).
constexpr u64 kUnpacked = 10;

bool is_packed(const std::string& path) {
    std::array<char, 2> magic{};
    std::ifstream file(path, std::ios::binary);
    file.read(magic.data(), magic.size());
    return std::string_view(magic.data(), 2) == "PK" ||
           std::string_view(magic.data(), 2) == "\x1f\x8b";
}

// Sets the soft limit alone, so that it can be raised later.
void set_limit(decltype(RLIMIT_CPU) resource, u64 value) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0) {
        limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
        setrlimit(resource, &limit);
    }
}

}  // namespace

ReaderLimits::ReaderLimits(u64 most_memory_bytes) : most_memory_bytes_(most_memory_bytes) {
    set_limit(RLIMIT_CORE, 0);
    apply();
}

void ReaderLimits::allow_for(const std::string& path) {
    std::error_code problem;
    const u64 size = std::filesystem::file_size(path, problem);
    if (!problem && files_.insert(path).second) {
        bytes_ += size * (is_packed(path) ? kUnpacked : 1);
        apply();
    }
}

void ReaderLimits::apply() const {
    set_limit(RLIMIT_CPU, kLeastSeconds + bytes_ / kBytesPerSecond);
    if (!kIsSanitized) {
        const u64 own = kLeastMemory + bytes_ * kMemoryPerByte;
        set_limit(RLIMIT_DATA, std::min(own, most_memory_bytes_));
    }
}

std::string kind_name(const std::string& extension) {
    std::string kind = extension.empty() ? "scene" : extension;
    if (!extension.empty()) {
        std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        });
    }
    return kind;
}

}  // namespace weft::scene
