// reader_process.h — starts weft-import for one file and brings back what it packed.
//
// The program lies beside the one that runs. It ends with the thread that waits for it, whatever
// happens to that one, and is killed once the import is given up. Any thread; several at once.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "engine/scene/import.h"

namespace weft::scene {

// A pack in memory that nobody writes to any more.
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

// `extension` in lower case and without the dot. A reader that crashes, takes too long or wants too
// much memory is an error that names the file.
base::Result<PackBytes> run_reader(const std::string& path,
                                   const std::string& extension,
                                   const ImportConfig& config);

}  // namespace weft::scene
