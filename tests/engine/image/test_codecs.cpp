// test_codecs.cpp — the codecs, loaded as the program loads them: parts that are encoded decode to
// the same values, types, windows and attributes, and each failure is a text.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "engine/image/codecs.h"
#include "tests/engine/image/few_addresses.h"

using namespace weft;
using namespace weft::image;

namespace {

// A file in memory.
class Bytes final : public ByteFile {
public:
    std::size_t write_at(const void* bytes, std::size_t size_bytes, i64 offset) override {
        const auto begin = static_cast<std::size_t>(offset);
        values.resize(std::max(values.size(), begin + size_bytes));
        std::memcpy(&values[begin], bytes, size_bytes);
        return size_bytes;
    }

    std::size_t read_at(void* bytes, std::size_t size_bytes, i64 offset) override {
        const std::size_t begin = std::min(values.size(), static_cast<std::size_t>(offset));
        const std::size_t count = std::min(size_bytes, values.size() - begin);
        std::copy_n(values.begin() + static_cast<i64>(begin), count, static_cast<u8*>(bytes));
        return count;
    }

    i64 size_bytes() override { return static_cast<i64>(values.size()); }

    std::vector<u8> values;
};

// 3×2 pixels of `channels` values, which count up from 0.
template <typename T>
EncodedPart counting_part(i32 channels, ValueType type) {
    EncodedPart encoded;
    Part& part = encoded.part;
    part.width = part.full_width = 3;
    part.height = part.full_height = 2;
    part.channel_count = channels;
    part.type = encoded.row_type = type;
    encoded.fill = [channels](u32 y, void* row) {
        const u32 count = 3 * static_cast<u32>(channels);
        for (u32 i = 0; i < count; ++i) {
            static_cast<T*>(row)[i] = static_cast<T>(y * count + i);
        }
    };
    return encoded;
}

Codecs& loaded() {
    const base::Result<Codecs*> result = codecs();
    REQUIRE_MESSAGE(result.is_ok(), result.error().sentence);
    return *result.value();
}

template <typename T>
void check_counting(ImageReader& reader, ValueType type) {
    const Part& part = reader.part();
    std::vector<T> values(static_cast<std::size_t>(part.width * part.height * part.channel_count));
    REQUIRE(reader.read_rows({0, part.height}, {0, part.channel_count}, type, values.data()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(values[i] == static_cast<T>(i));
    }
}

}  // namespace

TEST_SUITE("engine/image/codecs") {
    TEST_CASE("a picture in memory decodes to the encoded values and attributes") {
        Bytes file;
        EncodedPart part = counting_part<u8>(4, ValueType::U8);
        part.attributes = {{"oiio:UnassociatedAlpha", 1}, {"weft:seed", "twelve"}};
        const OutputConfig output{.format = "png", .name = "a.png", .path = "a.png", .file = &file};
        REQUIRE(loaded().encode(output, {&part, 1}).empty());
        const OpenedImage opened =
            loaded().open({.format = "png", .path = "a.png", .bytes = file.values});
        REQUIRE_MESSAGE(opened.maybe_reader, opened.error);
        CHECK(opened.maybe_reader->part().type == ValueType::U8);
        CHECK(opened.maybe_reader->part().channel_names.size() == 4);
        CHECK(opened.maybe_reader->text("weft:seed") == "twelve");
        CHECK(opened.maybe_reader->number("oiio:UnassociatedAlpha", 0) == 1);
        CHECK(opened.maybe_reader->number("no such attribute", 7) == 7);
        check_counting<u8>(*opened.maybe_reader, ValueType::U8);
        CHECK_FALSE(opened.maybe_reader->seek_part(1));
    }

    TEST_CASE("parts of an EXR keep their types, windows and channels") {
        Bytes unused;
        std::vector<EncodedPart> parts = {counting_part<float>(3, ValueType::Float),
                                          counting_part<u32>(1, ValueType::U32)};
        parts[0].part.type = ValueType::Half;
        parts[0].part.channel_names = {"R", "G", "B"};
        parts[0].part.x = 5;
        parts[0].part.full_width = 9;
        parts[1].part.channel_names = {"instance.ID"};
        parts[1].part.x = 5;
        parts[1].part.full_width = 9;
        parts[0].attributes = {{"oiio:subimagename", "first"}, {"compression", "zip"}};
        parts[1].attributes = {{"oiio:subimagename", "second"}, {"compression", "zip"}};
        const std::string path = WEFT_BINARY_DIR "/test_codecs.exr";
        REQUIRE(
            loaded()
                .encode({.format = "openexr", .name = path, .path = path, .file = &unused}, parts)
                .empty());
        const OpenedImage opened = loaded().open({.format = "openexr", .path = path});
        std::remove(path.c_str());
        REQUIRE_MESSAGE(opened.maybe_reader, opened.error);
        ImageReader& reader = *opened.maybe_reader;
        CHECK(reader.part().type == ValueType::Half);
        CHECK(reader.part().x == 5);
        CHECK(reader.part().full_width == 9);
        check_counting<float>(reader, ValueType::Float);
        REQUIRE(reader.seek_part(1));
        CHECK(reader.text("oiio:subimagename") == "second");
        CHECK(reader.part().type == ValueType::U32);
        CHECK(reader.part().channel_names == std::vector<std::string>{"instance.ID"});
        check_counting<u32>(reader, ValueType::U32);
    }

    TEST_CASE("each failure is a text") {
        CHECK_FALSE(loaded().open({.format = "no such format", .path = "a"}).error.empty());
        const std::vector<u8> bytes = {'#', '?', 'R', 'A', 'D', 'I', 'A', 'N', 'C', 'E', 0, 0};
        const OpenedImage opened =
            loaded().open({.format = "hdr", .path = "a.hdr", .bytes = bytes});
        CHECK_FALSE(opened.maybe_reader);
        CHECK_FALSE(opened.error.empty());
        Bytes file;
        const EncodedPart part = counting_part<u8>(3, ValueType::U8);
        CHECK_FALSE(
            loaded()
                .encode({.format = "no such format", .name = "a", .path = "a", .file = &file},
                        {&part, 1})
                .empty());
    }

    TEST_CASE("a whole file that memory does not do for is not called damaged") {
        if (!can_lack_addresses()) {
            return;
        }
        // OpenEXR decodes 16 rows at once: 96 MiB, while a row takes 6.
        Bytes unused;
        EncodedPart wide = counting_part<float>(4, ValueType::Float);
        wide.part.width = wide.part.full_width = 400'000;
        wide.part.height = wide.part.full_height = 16;
        wide.attributes = {{"compression", "zip"}};
        wide.fill = [](u32, void* row) { std::memset(row, 0, 400'000 * 4 * sizeof(float)); };
        const std::string path = WEFT_BINARY_DIR "/test_codecs_wide.exr";
        REQUIRE(loaded()
                    .encode({.format = "openexr", .name = path, .path = path, .file = &unused},
                            {&wide, 1})
                    .empty());
        std::vector<float> row(std::size_t{4} * 400'000);
        const OpenedImage opened = loaded().open({.format = "openexr", .path = path});
        std::remove(path.c_str());
        REQUIRE_MESSAGE(opened.maybe_reader, opened.error);
        ImageReader& reader = *opened.maybe_reader;
        {
            const FewAddresses few(rlim_t{24} << 20);
            CHECK_FALSE(reader.read_rows({0, 1}, {0, 4}, ValueType::Float, row.data()));
            CHECK(reader.error() == kNoMemory);
            const OutputConfig output{
                .format = "openexr", .name = path, .path = path, .file = &unused};
            CHECK(loaded().encode(output, {&wide, 1}) == kNoMemory);
        }
        std::remove(path.c_str());
    }

    TEST_CASE("threads that ask for the codecs at once get the same") {
        std::vector<Codecs*> found(4);
        std::vector<std::jthread> threads;
        for (Codecs*& place : found) {
            threads.emplace_back([&place] { place = codecs().value(); });
        }
        threads.clear();
        CHECK(found == std::vector<Codecs*>(4, found[0]));
    }
}
