// Tests of page_ring.h: what it reads, how a read that is cut off ends, and its room. Where the
// kernel gives no ring, only that is found out.
#include <array>
#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/uio.h>
#include <vector>

#include <doctest/doctest.h>

#include "engine/pages/file_descriptor.h"
#include "engine/pages/page_ring.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::pages::testing {

namespace {

constexpr u32 kReads = 8;
constexpr u64 kPartBytes = 4096;

// A file of two parts for each read, and what a ring told of its reads.
struct RingCase {
    TestFolder folder;
    std::vector<char> bytes = std::vector<char>(2 * kReads * kPartBytes);
    std::vector<char> read = std::vector<char>(2 * kReads * kPartBytes);
    FileDescriptor file;
    std::array<std::atomic<u32>, kReads> whole{};
    std::array<std::atomic<u32>, kReads> cut_off{};
    std::unique_ptr<PageRing> ring;

    explicit RingCase(u32 most_reads) : file(make_file()) {
        ring = PageRing::open(most_reads, [this](u32 number, bool is_whole) {
            ++(is_whole ? whole : cut_off)[number];
        });
        if (!ring) {
            MESSAGE("the kernel gives no io_uring here");
        }
    }

    int make_file() {
        for (std::size_t k = 0; k < bytes.size(); ++k) {
            bytes[k] = static_cast<char>(k * 31 + k / kPartBytes);
        }
        const std::string path = folder.file("bytes");
        std::ofstream(path, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    }

    // Its two parts trade places in memory; nothing lies between them.
    bool start(u32 number, u64 offset) {
        char* const place = read.data() + 2 * number * kPartBytes;
        const std::array<iovec, 3> parts{
            {{place + kPartBytes, kPartBytes}, {nullptr, 0}, {place, kPartBytes}}};
        return ring->start(number, file.number(), parts.data(), 3, offset);
    }

    [[nodiscard]] bool is_read(u32 number) const {
        const std::size_t first = 2 * number * kPartBytes;
        for (std::size_t k = 0; k < kPartBytes; ++k) {
            if (read[first + kPartBytes + k] != bytes[first + k] ||
                read[first + k] != bytes[first + kPartBytes + k]) {
                return false;
            }
        }
        return true;
    }
};

}  // namespace

TEST_SUITE("engine/pages/page_ring") {
    TEST_CASE("a ring reads the parts of each read and tells its end once") {
        RingCase test(kReads);
        if (!test.ring) {
            return;
        }
        for (u32 number = 0; number < kReads; ++number) {
            CHECK(test.start(number, 2 * number * kPartBytes));
        }
        test.ring->stop();
        for (u32 number = 0; number < kReads; ++number) {
            CHECK(test.whole[number] == 1);
            CHECK(test.cut_off[number] == 0);
            CHECK(test.is_read(number));
        }
    }

    TEST_CASE("reads beyond the end of the file and of no file end without all their bytes") {
        RingCase test(kReads);
        if (!test.ring) {
            return;
        }
        CHECK(test.start(0, test.bytes.size() - kPartBytes));
        CHECK(test.start(1, test.bytes.size()));
        std::array<iovec, 1> part{{{test.read.data() + 4 * kPartBytes, kPartBytes}}};
        CHECK(test.ring->start(2, -1, part.data(), 1, 0));
        test.ring->stop();
        for (const u32 number : {0U, 1U, 2U}) {
            CHECK(test.whole[number] == 0);
            CHECK(test.cut_off[number] == 1);
        }
    }

    TEST_CASE("a ring has room again for each read that has ended") {
        RingCase test(2);
        if (!test.ring) {
            return;
        }
        u32 started = 0;
        for (u32 turn = 0; turn < 1000; ++turn) {
            const u32 number = turn % kReads;
            while (!test.start(number, 2 * number * kPartBytes)) {
            }
            ++started;
        }
        test.ring->stop();
        u32 ended = 0;
        for (u32 number = 0; number < kReads; ++number) {
            ended += test.whole[number];
            CHECK(test.is_read(number));
        }
        CHECK(ended == started);
    }
}

}  // namespace weft::pages::testing
