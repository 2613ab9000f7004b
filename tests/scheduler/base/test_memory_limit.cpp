// test_memory_limit.cpp — claims on what is left of the limit of this process.
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/base/memory_limit.h"

using namespace weft;
using namespace weft::base;

namespace {

constexpr u64 kMebibyte = u64{1} << 20;

// The limit for one case: `bytes` above what the process holds.
struct LimitAbove {
    explicit LimitAbove(u64 bytes) { set_memory_limit(resident_bytes() + bytes); }

    LimitAbove(const LimitAbove&) = delete;
    LimitAbove& operator=(const LimitAbove&) = delete;

    ~LimitAbove() { set_memory_limit(0); }
};

}  // namespace

TEST_SUITE("scheduler/base/memory_limit") {
    TEST_CASE("without a limit a process may use all free memory") {
        set_memory_limit(0);
        CHECK(memory_limit_bytes() > resident_bytes());
        CHECK_FALSE(is_beyond_memory_limit());
        const Result<MemoryClaim> claim = claim_memory(~u64{0} / 2, "everything");
        REQUIRE_FALSE(claim.is_ok());
        CHECK(claim.error().sentence.find("that were free") != std::string::npos);
    }

    TEST_CASE("a claim beyond the limit is refused with the sum") {
        const LimitAbove limit(100 * kMebibyte);
        CHECK(claim_memory(50 * kMebibyte, "half").is_ok());
        const Result<MemoryClaim> claim = claim_memory(400 * kMebibyte, "a.gltf: its geometry");
        REQUIRE_FALSE(claim.is_ok());
        CHECK(claim.error().kind == ErrorKind::TooLarge);
        CHECK(claim.error().sentence.find("a.gltf: its geometry needs 400 MiB") == 0);
        CHECK(claim.error().sentence.find("--memory-limit") != std::string::npos);
    }

    TEST_CASE("a limit is named exactly") {
        for (const auto& [bytes, named] : {std::pair<u64, std::string>{100, "100 bytes"},
                                           {kMebibyte + 1024, "1049600 bytes"},
                                           {2 * kMebibyte, "2 MiB"}}) {
            set_memory_limit(bytes);
            const Result<MemoryClaim> claim = claim_memory(kMebibyte, "a.gltf: its geometry");
            const Error beyond = beyond_memory_limit(ErrorKind::Memory, "rendering");
            set_memory_limit(0);
            REQUIRE_FALSE(claim.is_ok());
            for (const std::string& sentence : {claim.error().sentence, beyond.sentence}) {
                CHECK(sentence.ends_with(" the " + named + " that --memory-limit allows"));
            }
        }
    }

    TEST_CASE("claims of one thread add up and end one by one") {
        const LimitAbove limit(100 * kMebibyte);
        Result<MemoryClaim> first = claim_memory(60 * kMebibyte, "first");
        REQUIRE(first.is_ok());
        CHECK_FALSE(claim_memory(60 * kMebibyte, "second").is_ok());
        first.value().give_back(0);
        CHECK(claim_memory(60 * kMebibyte, "second").is_ok());
    }

    TEST_CASE("a pledge leaves less to claim until it ends") {
        const LimitAbove limit(100 * kMebibyte);
        pledge_memory(60 * kMebibyte);
        CHECK_FALSE(claim_memory(60 * kMebibyte, "too much").is_ok());
        CHECK(claim_memory(30 * kMebibyte, "the rest").is_ok());
        end_pledge(60 * kMebibyte);
        CHECK(claim_memory(60 * kMebibyte, "all of it").is_ok());
    }

    TEST_CASE("memory that an ended claim kept counts while other claims are open") {
        const LimitAbove limit(100 * kMebibyte);
        const Result<MemoryClaim> outer = claim_memory(10 * kMebibyte, "outer");
        REQUIRE(outer.is_ok());
        {
            Result<MemoryClaim> inner = claim_memory(60 * kMebibyte, "inner");
            REQUIRE(inner.is_ok());
            inner.value().give_back(50 * kMebibyte);
        }
        CHECK_FALSE(claim_memory(60 * kMebibyte, "another").is_ok());
    }

    TEST_CASE("a thread waits for the claims of others before it is refused") {
        const LimitAbove limit(100 * kMebibyte);
        std::atomic<u32> granted{0};
        std::vector<std::jthread> threads;
        for (u32 k = 0; k < 8; ++k) {
            threads.emplace_back([&] {
                if (claim_memory(60 * kMebibyte, "one of eight").is_ok()) {
                    granted.fetch_add(1);
                }
            });
        }
        threads.clear();
        CHECK(granted.load() == 8);
    }

    TEST_CASE("memory that no claim covered is found by measuring") {
        const LimitAbove limit(20 * kMebibyte);
        // The sentence names whole mebibytes as such.
        const u64 limit_mebibytes = memory_limit_bytes() / kMebibyte;
        set_memory_limit(limit_mebibytes * kMebibyte);
        CHECK_FALSE(is_beyond_memory_limit());
        std::vector<char> unforeseen(64 * kMebibyte, 1);
        set_memory_limit(memory_limit_bytes());  // the next call measures again
        CHECK(is_beyond_memory_limit());
        CHECK(unforeseen.back() == 1);
        // The sentence tells what was found, also when it is freed by then.
        unforeseen = {};
        const Error error = beyond_memory_limit(ErrorKind::Memory, "render");
        CHECK(error.kind == ErrorKind::Memory);
        REQUIRE(error.sentence.find("render: ") == 0);
        CHECK(std::stoull(error.sentence.substr(8)) >= limit_mebibytes + 40);
        CHECK(error.sentence.find(" MiB were in use, more than the " +
                                  std::to_string(limit_mebibytes) +
                                  " MiB that --memory-limit allows") != std::string::npos);
    }
}
