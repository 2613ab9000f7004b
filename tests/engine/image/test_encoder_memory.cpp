// test_encoder_memory.cpp — encoding an EXR and reading it back allocate no more than
// encoder_bytes() says, so that a program which claims those bytes stays within its limit.
//
// A binary of its own, because it counts every allocation of the process.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <malloc.h>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/image/codecs.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}

namespace {

// relaxed: read when the threads that allocated are idle.
std::atomic<long> held_bytes{0};
std::atomic<long> most_bytes{0};

void count(long bytes) {
    const long held = held_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    long most = most_bytes.load(std::memory_order_relaxed);
    while (held > most &&
           !most_bytes.compare_exchange_weak(most, held, std::memory_order_relaxed)) {
    }
}

void* counted(void* block) {
    count(static_cast<long>(::malloc_usable_size(block)));
    return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
    return counted(__libc_malloc(size));
}

void* calloc(std::size_t count, std::size_t size) {
    return counted(__libc_calloc(count, size));
}

void* realloc(void* block, std::size_t size) {
    count(-static_cast<long>(::malloc_usable_size(block)));
    return counted(__libc_realloc(block, size));
}

void* memalign(std::size_t alignment, std::size_t size) {
    return counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    *block = counted(__libc_memalign(alignment, size));
    return *block == nullptr ? 12 : 0;
}

void free(void* block) {
    count(-static_cast<long>(::malloc_usable_size(block)));
    __libc_free(block);
}
}

using namespace weft;
using namespace weft::image;

namespace {

class NoFile final : public ByteFile {
public:
    std::size_t write_at(const void*, std::size_t, i64) override { return 0; }

    std::size_t read_at(void*, std::size_t, i64) override { return 0; }

    i64 size_bytes() override { return 0; }
};

// Noise, so that the packed bytes are as many as they get.
EncodedPart noisy_part(
    const std::string& name, i32 channels, ValueType type, u32 width, u32 height) {
    EncodedPart encoded;
    Part& part = encoded.part;
    part.width = part.full_width = static_cast<i32>(width);
    part.height = part.full_height = static_cast<i32>(height);
    part.channel_count = channels;
    for (i32 c = 0; c < channels; ++c) {
        part.channel_names.push_back(name + "." + std::to_string(100 + c));
    }
    part.type = type;
    encoded.row_type = type == ValueType::Half ? ValueType::Float : type;
    encoded.attributes = {{"oiio:subimagename", name}};
    encoded.fill = [channels, width, type](u32 y, void* row) {
        std::minstd_rand numbers(y + 1);
        for (u32 i = 0; i < width * static_cast<u32>(channels); ++i) {
            const auto number = static_cast<u32>(numbers());
            const float value = static_cast<float>(number) * 1e-9F;
            std::memcpy(static_cast<char*>(row) + std::size_t{4} * i,
                        type == ValueType::U32 ? static_cast<const void*>(&number) : &value,
                        4);
        }
    };
    return encoded;
}

// The parts of a picture with one layer and its sums.
std::vector<EncodedPart> parts_of(const std::string& compression, u32 width, u32 height) {
    std::vector<EncodedPart> parts = {noisy_part("rgba", 4, ValueType::Float, width, height),
                                      noisy_part("albedo", 3, ValueType::Half, width, height),
                                      noisy_part("film", 17, ValueType::U32, width, height),
                                      noisy_part("sums", 12, ValueType::U32, width, height)};
    for (EncodedPart& part : parts) {
        part.attributes.emplace_back("compression", compression);
    }
    return parts;
}

Codecs& loaded_codecs() {
    const base::Result<Codecs*> result = codecs();
    REQUIRE_MESSAGE(result.is_ok(), result.error().sentence);
    return *result.value();
}

// The most bytes that `work` held beyond those held before.
template <typename Work>
u64 most_bytes_of(const Work& work) {
    const long before = held_bytes.load(std::memory_order_relaxed);
    most_bytes.store(before, std::memory_order_relaxed);
    work();
    return static_cast<u64>(std::max(0L, most_bytes.load(std::memory_order_relaxed) - before));
}

// OpenImageIO reserves 64 MiB for the rows of one call, or 64 rows, and touches only those it
// reads.
constexpr u64 kScratchBytes = u64{64} << 20;

struct Taken {
    u64 encoding_bytes = 0;
    u64 reading_bytes = 0;  // without the rows that the caller reads into
};

Taken taken_by(std::span<const EncodedPart> parts) {
    NoFile none;
    const std::string path = WEFT_BINARY_DIR "/test_encoder_memory.exr";
    const OutputConfig config{.format = "openexr", .name = path, .path = path, .file = &none};
    Taken taken;
    taken.encoding_bytes =
        most_bytes_of([&] { REQUIRE(loaded_codecs().encode(config, parts) == std::string()); });
    constexpr i32 kRows = 16;
    std::vector<float> row(static_cast<std::size_t>(parts[0].part.width) * kRows * 17);
    taken.reading_bytes = most_bytes_of([&] {
        const OpenedImage opened = loaded_codecs().open({.format = "openexr", .path = path});
        REQUIRE_MESSAGE(opened.maybe_reader, opened.error);
        for (u32 k = 0; opened.maybe_reader->seek_part(k); ++k) {
            const Part part = opened.maybe_reader->part();
            for (i32 y = 0; y < part.height; y += kRows) {
                const Rows rows{y, std::min(y + kRows, part.height)};
                REQUIRE(opened.maybe_reader->read_rows(
                    rows, {0, part.channel_count}, part.type, row.data()));
            }
        }
    });
    std::remove(path.c_str());
    return taken;
}

}  // namespace

TEST_SUITE("engine/image/encoder_memory") {
    TEST_CASE("encoding and reading back allocate no more than is said and not far less") {
        taken_by(parts_of("zip", 64, 64));  // what the package keeps from its first use
        for (const char* compression : {"none", "rle", "zip", "zips", "piz", "dwaa", "dwab"}) {
            for (const auto& [width, height] : {std::pair{300U, 300U}, {2000U, 40U}, {37U, 5U}}) {
                CAPTURE(compression);
                CAPTURE(width);
                const std::vector<EncodedPart> parts = parts_of(compression, width, height);
                const u64 said = loaded_codecs().encoder_bytes("openexr", parts);
                const Taken taken = taken_by(parts);
                CHECK(taken.encoding_bytes <= said);
                CHECK(taken.reading_bytes <= said + kScratchBytes);
                constexpr u64 kUnmeasured = u64{16} << 20;
                CHECK(said <= 3 * taken.encoding_bytes + kUnmeasured);
            }
        }
    }
}

#endif
