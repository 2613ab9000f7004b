// reader_process.h — starts weft-import for one file and returns its pack.
//
// weft-import lies where base::installed_part() says. The kernel kills it when the waiting thread
// ends for any reason, and the importer kills it when the import is cancelled. Any thread; several
// at once.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "engine/scene/import.h"

namespace weft::scene {

// A pack in sealed memory.
class PackBytes {
public:
    PackBytes(const char* data, std::size_t size) : bytes_(data, size) {}

    PackBytes(PackBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

    PackBytes& operator=(PackBytes&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    PackBytes(const PackBytes&) = delete;
    PackBytes& operator=(const PackBytes&) = delete;
    ~PackBytes();

    [[nodiscard]] std::span<const char> bytes() const { return bytes_; }

private:
    std::span<const char> bytes_;
};

// `extension` in lower case and without the dot. Error, with the name of the file: the reader
// crashes, takes too long or needs too much memory.
base::Result<PackBytes> run_reader(const std::string& path,
                                   const std::string& extension,
                                   const ImportConfig& config);

}  // namespace weft::scene
