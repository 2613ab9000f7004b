// test_hostile_films.cpp — files of a few kilobytes whose films would take gigabytes: every command
// that reads films refuses them with one sentence before it allocates.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/exr_parts.h"
#include "engine/film/film_file.h"
#include "engine/image/codecs.h"
#include "tests/app/small_render.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using image::EncodedPart;
using image::ValueType;

constexpr u64 kMebibyte = u64{1} << 20;
constexpr std::size_t kHeadBytes = 24;  // of a checkpoint (film_file.h)

class NoFile final : public image::ByteFile {
public:
    std::size_t write_at(const void*, std::size_t, i64) override { return 0; }

    std::size_t read_at(void*, std::size_t, i64) override { return 0; }

    i64 size_bytes() override { return 0; }
};

EncodedPart zero_part(const std::string& name,
                      const std::vector<std::string>& channels,
                      u32 width,
                      u32 height,
                      const std::string& compression) {
    EncodedPart encoded;
    image::Part& part = encoded.part;
    part.width = part.full_width = static_cast<i32>(width);
    part.height = part.full_height = static_cast<i32>(height);
    part.channel_count = static_cast<i32>(channels.size());
    part.channel_names = channels;
    part.type = encoded.row_type = ValueType::U32;
    encoded.attributes = {{"oiio:subimagename", name}, {"compression", compression}};
    encoded.fill = [bytes = channels.size() * width * sizeof(u32)](u32, void* row) {
        std::fill_n(static_cast<u8*>(row), bytes, u8{0});
    };
    return encoded;
}

// Writes an EXR that says it is ours, whose film is that large and all zeros.
void put_zero_film(const std::string& path, u32 width, u32 height, const std::string& compression) {
    std::vector<EncodedPart> parts = {
        zero_part(std::string(film::kBeautyPart), {"R"}, 1, 1, compression),
        zero_part(std::string(film::kFilmPart), film::film_channels(), width, height, compression)};
    // Parts share one display window.
    parts[0].part.full_width = static_cast<i32>(width);
    parts[0].part.full_height = static_cast<i32>(height);
    const std::string hash(32, '0');
    for (const std::string_view name : {film::kPixelHashName, film::kFilmHashName}) {
        parts[0].attributes.emplace_back(std::string(name), hash);
    }
    parts[0].attributes.emplace_back(std::string(film::kRecordName), std::string("record 1\n"));
    parts[0].attributes.emplace_back(std::string(film::kRecordHashName), hash);
    NoFile none;
    const base::Result<image::Codecs*> codecs = image::codecs();
    REQUIRE(codecs.is_ok());
    REQUIRE(codecs.value()->encode({.format = "openexr", .name = path, .path = path, .file = &none},
                                   parts) == std::string());
}

// Writes a checkpoint of zeros that takes no room on the disk.
void put_hollow_checkpoint(const std::string& path, u32 width, u32 height) {
    std::vector<std::byte> bytes;
    film::encode_film_file(film::Film(1, 1, {0, 0, 1, 1}, {}), film::FilmRecord{}, bytes);
    const std::string small = "film 1 1 0 0 1 1\n";
    std::string head(reinterpret_cast<const char*>(bytes.data()), kHeadBytes);
    std::string text(reinterpret_cast<const char*>(bytes.data()) + kHeadBytes,
                     bytes.size() - kHeadBytes);
    REQUIRE(text.starts_with(small));
    const std::string sides = std::to_string(width) + ' ' + std::to_string(height);
    text = "film " + sides + " 0 0 " + sides + '\n' + text.substr(small.size());
    text.resize(text.find('\0'));
    text.resize((text.size() + 7) / 8 * 8);
    // Four sums of 16 bytes and two counts for each pixel, then the hash.
    const u64 file_bytes = kHeadBytes + text.size() + u64{width} * height * 72 + 32;
    const u32 text_bytes = static_cast<u32>(text.size());
    std::memcpy(head.data() + 12, &text_bytes, sizeof text_bytes);
    std::memcpy(head.data() + 16, &file_bytes, sizeof file_bytes);
    film::put_bytes(path, head + text);
    std::filesystem::resize_file(path, file_bytes);
}

void check_refused(const Words& words, const std::string& path, u64 limit_mebibytes) {
    CAPTURE(words.front());
    const Ended ended = run_weft(words);
    CAPTURE(ended.err);
    CHECK(ended.exit_code == kExitScene);
    CHECK(lines_of(ended.err).size() == 1);
    CHECK(says(ended, path + ": "));
    CHECK(says(ended, "that --memory-limit allows"));
    if (is_memory_measured()) {
        CHECK(ended.peak_rss_bytes < limit_mebibytes * kMebibyte);
    }
}

}  // namespace

TEST_SUITE("app/hostile_films") {
    TEST_CASE("a film that does not fit into memory is refused whatever the size of its file") {
        struct Hostile {
            u32 width;
            u32 height;
            const char* compression;
            u64 limit_mebibytes;
        };

        // The film of the last fits, but not the blocks of 256 rows that its file is packed in.
        for (const Hostile& hostile : {Hostile{6000, 3000, "piz", 300},
                                       {6000, 3000, "zip", 1200},
                                       {4000, 256, "dwab", 500}}) {
            CAPTURE(hostile.compression);
            const TestFolder folder;
            const std::string path = folder.file("zeros.exr");
            put_zero_film(path, hostile.width, hostile.height, hostile.compression);
            CHECK(std::filesystem::file_size(path) < 4 * kMebibyte);
            const std::string limit = std::to_string(hostile.limit_mebibytes) + "M";
            for (const Words& words :
                 {Words{"merge", folder.file("merged.exr"), path, "--memory-limit", limit},
                  Words{"verify", path, "--memory-limit", limit}}) {
                check_refused(words, path, hostile.limit_mebibytes);
            }
            CHECK(folder.files() == std::vector<std::string>{"zeros.exr"});
        }
    }

    TEST_CASE("a checkpoint with a hole in place of its sums is refused before it is read") {
        const TestFolder folder;
        const std::string path = folder.file("hole.checkpoint");
        put_hollow_checkpoint(path, 6000, 3000);
        check_refused(
            {"merge", folder.file("merged.exr"), path, "--memory-limit", "1000M"}, path, 1000);
        const Words resume = {"--checkpoint=" + path, "--resume", "--memory-limit", "1000M"};
        check_refused(small_render(folder.file("a.exr"), resume), path, 1000);
        CHECK(folder.files() == std::vector<std::string>{"hole.checkpoint"});
    }
}

}  // namespace weft::app::testing
