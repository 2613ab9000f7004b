// test_picture_memory.cpp — pictures in shared memory: what a reader finds, and what it cannot do.
#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/serve/picture_memory.h"
#include "scheduler/base/memory_limit.h"
#include "tests/app/serve/picture_reader.h"

namespace {

using namespace weft;
using app::serve::PictureMemory;
using app::serve::PixelKind;
using app::serve::testing::PictureReader;
using live::LivePicture;

LivePicture picture_of(u32 width, u32 height, float value) {
    LivePicture picture;
    picture.width = picture.full_width = width;
    picture.height = picture.full_height = height;
    picture.region = {0, 0, width, height};
    picture.linear.assign(std::size_t{4} * width * height, value);
    picture.rgba.assign(std::size_t{4} * width * height, static_cast<u8>(value));
    picture.samples = 3;
    picture.job = 5;
    return picture;
}

std::unique_ptr<PictureMemory> memory_for(u64 pixels, PixelKind kind) {
    auto made = PictureMemory::make(pixels, kind);
    REQUIRE_MESSAGE(made.is_ok(), made.error().sentence);
    return std::move(made.value());
}

}  // namespace

TEST_SUITE("app/serve/picture_memory") {
    TEST_CASE("a reader finds the newest picture with its facts") {
        const auto memory = memory_for(12, PixelKind::Linear);
        const PictureReader reader(memory->file().number(), memory->size_bytes());
        CHECK(reader.newest() == 0);
        for (const float value : {1.0F, 2.0F, 3.0F}) {
            LivePicture picture = picture_of(4, 3, value);
            picture.denoised = value == 3.0F ? live::LiveDenoise::Fast : live::LiveDenoise::Off;
            const u64 number = memory->write(picture);
            REQUIRE(reader.newest() == number);
            const auto found = reader.copy(number);
            REQUIRE(found);
            CHECK(found->header.job == 5);
            CHECK(found->header.width == 4);
            CHECK(found->header.y1 == 3);
            CHECK(found->header.samples == 3);
            CHECK(found->header.flags == (value == 3.0F ? app::serve::kDenoisedFlag : 0U));
            CHECK(found->floats == picture.linear);
        }
        // The one before the newest is there until the next is written.
        CHECK(reader.copy(2));
        CHECK(!reader.copy(1));
    }

    TEST_CASE("a coarse picture of fewer pixels lies in the same memory") {
        const auto memory = memory_for(48, PixelKind::Display);
        const PictureReader reader(memory->file().number(), memory->size_bytes());
        LivePicture picture = picture_of(4, 3, 9);
        picture.full_width = 8;
        picture.full_height = 6;
        picture.is_coarse = true;
        const auto found = reader.copy(memory->write(picture));
        REQUIRE(found);
        CHECK(found->header.flags == app::serve::kCoarseFlag);
        CHECK(found->header.full_width == 8);
        CHECK(found->bytes == picture.rgba);
        CHECK(memory->suits(48, PixelKind::Display));
        CHECK(!memory->suits(49, PixelKind::Display));
        CHECK(!memory->suits(48, PixelKind::Linear));
        CHECK(!memory->suits(11, PixelKind::Display));
    }

    TEST_CASE("a reader never takes parts of two pictures for one") {
        constexpr u32 kSide = 96;
        const auto memory = memory_for(u64{kSide} * kSide, PixelKind::Linear);
        const PictureReader reader(memory->file().number(), memory->size_bytes());
        constexpr u32 kPictures = 300;
        std::jthread writer([&] {
            for (u32 k = 1; k <= kPictures; ++k) {
                memory->write(picture_of(kSide, kSide, static_cast<float>(k)));
            }
        });
        u32 torn = 0;
        u32 whole = 0;
        for (u64 number = 0; number < kPictures;) {
            number = reader.newest();
            const auto found = reader.copy(number);
            if (!found) {
                continue;
            }
            ++whole;
            for (const float value : found->floats) {
                torn += value == static_cast<float>(number) ? 0U : 1U;
            }
        }
        CHECK(torn == 0);
        CHECK(whole > 0);
    }

    TEST_CASE("a client can neither shrink the memory nor make another one of it") {
        const auto memory = memory_for(12, PixelKind::Linear);
        CHECK(::ftruncate(memory->file().number(), 0) != 0);
        CHECK(::ftruncate(memory->file().number(), 1 << 20) != 0);
        memory->write(picture_of(4, 3, 1));
    }

    TEST_CASE("its pages count as held before and after they are touched, and no thread waits") {
        // Two places of 4 MiB, and 12 MiB allowed: 4 MiB are left beside them.
        constexpr u32 kSide = 512;
        constexpr u64 kMebibyte = u64{1} << 20;
        base::set_memory_limit(base::resident_bytes() + 12 * kMebibyte);
        auto memory = memory_for(u64{kSide} * kSide, PixelKind::Linear);
        bool fits = false;
        bool is_refused = false;
        std::thread([&] {
            fits = base::claim_memory(2 * kMebibyte, "another thread's").is_ok();
            is_refused = !base::claim_memory(8 * kMebibyte, "another thread's").is_ok();
        }).join();
        CHECK(fits);
        CHECK(is_refused);
        // Both places, so that nothing is pledged any more; then without the memory.
        const LivePicture picture = picture_of(kSide, kSide, 1);
        base::set_memory_limit(base::resident_bytes() + 12 * kMebibyte);
        memory->write(picture);
        memory->write(picture);
        CHECK(base::claim_memory(2 * kMebibyte, "beside resident pages").is_ok());
        CHECK(!base::claim_memory(8 * kMebibyte, "beside resident pages").is_ok());
        memory = nullptr;
        CHECK(base::claim_memory(10 * kMebibyte, "all of it").is_ok());
        base::set_memory_limit(0);
    }

    TEST_CASE("a memory that no machine has is refused in a sentence") {
        const auto made = PictureMemory::make(u64{1} << 40, PixelKind::Linear);
        REQUIRE(!made.is_ok());
        CHECK(made.error().sentence.find("the memory of shared pictures needs") == 0);
    }
}
