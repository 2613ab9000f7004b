// picture_reader.h — what a client does with the memory of pictures, for tests.
#pragma once

#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/serve/picture_memory.h"

namespace weft::app::serve::testing {

struct CopiedPicture {
    PictureHeader header;
    std::vector<float> floats;  // of a linear one
    std::vector<u8> bytes;      // of any
};

class PictureReader {
public:
    // Maps the file, which may be closed afterwards.
    PictureReader(int file, u64 size_bytes) : size_bytes_(size_bytes) {
        void* const mapped = ::mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, file, 0);
        REQUIRE(mapped != MAP_FAILED);
        bytes_ = static_cast<const char*>(mapped);
        REQUIRE(header().magic == kMemoryMagic);
    }

    PictureReader(const PictureReader&) = delete;
    PictureReader& operator=(const PictureReader&) = delete;

    ~PictureReader() { ::munmap(const_cast<char*>(bytes_), size_bytes_); }

    // acquire: pairs with the release in PictureMemory::write.
    [[nodiscard]] u64 newest() const { return __atomic_load_n(&header().newest, __ATOMIC_ACQUIRE); }

    // None: another picture is in its place, or was put there meanwhile.
    [[nodiscard]] std::optional<CopiedPicture> copy(u64 number) const {
        const auto& place = reinterpret_cast<const PictureHeader*>(bytes_ + 64)[number % 2];
        if (number == 0 || __atomic_load_n(&place.sequence, __ATOMIC_ACQUIRE) != 2 * number) {
            return std::nullopt;
        }
        CopiedPicture copied;
        std::memcpy(&copied.header, &place, sizeof(place));
        const bool is_linear = header().pixel_kind == 0;
        const u64 pixels = u64{copied.header.width} * copied.header.height;
        const u64 size_bytes = pixels * (is_linear ? 4 * sizeof(float) : 4);
        if (size_bytes > header().pixel_bytes) {
            return std::nullopt;
        }
        const char* const from = bytes_ + kFirstPixel + number % 2 * header().pixel_bytes;
        copied.bytes.assign(from, from + size_bytes);
        if (is_linear) {
            copied.floats.resize(4 * pixels);
            std::memcpy(copied.floats.data(), from, size_bytes);
        }
        // On the processors that Weft runs on, loads are not reordered with later ones.
        const bool is_whole = __atomic_load_n(&place.sequence, __ATOMIC_ACQUIRE) == 2 * number;
        return is_whole ? std::optional(std::move(copied)) : std::nullopt;
    }

private:
    [[nodiscard]] const MemoryHeader& header() const {
        return *reinterpret_cast<const MemoryHeader*>(bytes_);
    }

    const char* bytes_ = nullptr;
    u64 size_bytes_ = 0;
};

}  // namespace weft::app::serve::testing
