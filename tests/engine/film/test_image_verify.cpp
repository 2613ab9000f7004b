// test_image_verify.cpp — the hashes in a header match, and damage is reported.
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/film/decoding.h"
#include "engine/film/encoding.h"
#include "engine/film/film_record.h"
#include "engine/film/image_file.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/image/few_addresses.h"

namespace weft::film {

namespace {

constexpr u32 kColumns = 70;
constexpr u32 kRows = 41;
constexpr Region kCrop{3, 2, 67, 40};

ImageConfig with_film() {
    ImageConfig config;
    config.keep_film = true;
    return config;
}

VerifyReport report_of(const std::string& path) {
    const base::Result<VerifyReport> report = verify_image(path);
    CAPTURE(report.error().sentence);
    REQUIRE(report.is_ok());
    return report.value();
}

bool says(const VerifyReport& report, const std::string& text) {
    for (const std::string& sentence : report.sentences) {
        if (sentence.find(text) != std::string::npos) {
            return true;
        }
    }
    return false;
}

// A file whose second part cannot be sought, for this reason; empty: there is none.
class OnePart final : public image::ImageReader {
public:
    explicit OnePart(std::string why) : why_(std::move(why)) {}

    [[nodiscard]] const image::Part& part() const override { return part_; }

    bool seek_part(u32 index) override {
        error_ = index == 0 ? "" : why_;
        return index == 0;
    }

    [[nodiscard]] std::string text(const std::string&) const override { return "first"; }

    [[nodiscard]] i32 number(const std::string&, i32 otherwise) const override { return otherwise; }

    bool read_rows(image::Rows, image::Channels, image::ValueType, void*) override { return false; }

    [[nodiscard]] const std::string& error() const override { return error_; }

private:
    image::Part part_;
    std::string why_;
    std::string error_;
};

}  // namespace

TEST_SUITE("engine/film/verify") {
    TEST_CASE("the raw sums survive every compression and every type of the beauty") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop, all_aovs());
        for (const ExrCompression compression : kExrCompressions) {
            CAPTURE(std::string(exr_compression_name(compression)));
            ImageConfig config = with_film();
            config.compression = compression;
            config.is_half = true;
            const std::string path = folder.file("film.exr");
            REQUIRE(write_image(path, film, config).is_ok());
            const base::Result<Film> back = read_film(path);
            REQUIRE(back.is_ok());
            CHECK(back.value().film_hash() == film.film_hash());
            CHECK(back.value().raw_words() == film.raw_words());
            const VerifyReport report = report_of(path);
            CHECK(report.has_film);
            CHECK(report.film_hash_matches);
            CHECK(report.pixel_hash_matches);
            CHECK(report.film_hash == film.film_hash());
        }
    }

    TEST_CASE("AOVs stand in parts of their own with their own types and channels") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop, all_aovs());
        ImageConfig config = with_film();
        config.is_half = true;
        config.compression = ExrCompression::Dwaa;
        const std::string path = folder.file("aovs.exr");
        REQUIRE(write_image(path, film, config).is_ok());
        const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
        REQUIRE(input != nullptr);

        struct Part {
            std::string name;
            OIIO::TypeDesc type;
            std::vector<std::string> channels;
            const char* compression;
        };

        std::vector<Part> parts{
            {"rgba", OIIO::TypeDesc::HALF, {"R", "G", "B", "A"}, "dwaa"},
            {"albedo", OIIO::TypeDesc::HALF, {"albedo.R", "albedo.G", "albedo.B"}, "zip"},
            {"normal", OIIO::TypeDesc::HALF, {"normal.X", "normal.Y", "normal.Z"}, "zip"},
            {"position", OIIO::TypeDesc::FLOAT, {"position.X", "position.Y", "position.Z"}, "zip"},
            {"depth", OIIO::TypeDesc::FLOAT, {"depth.Z"}, "zip"},
            {"uv", OIIO::TypeDesc::FLOAT, {"uv.U", "uv.V"}, "zip"},
            {"instance", OIIO::TypeDesc::UINT, {"instance.X"}, "zip"},
            {"object", OIIO::TypeDesc::UINT, {"object.X"}, "zip"},
            {"material", OIIO::TypeDesc::UINT, {"material.X"}, "zip"},
        };
        for (const Aov aov : {Aov::CryptoObject, Aov::CryptoMaterial, Aov::CryptoAsset}) {
            for (const std::string& name : matte_parts(aov, kMatteRanks)) {
                parts.push_back({name,
                                 OIIO::TypeDesc::FLOAT,
                                 {name + ".R", name + ".G", name + ".B", name + ".A"},
                                 "zip"});
            }
        }
        parts.push_back({"motion",
                         OIIO::TypeDesc::FLOAT,
                         {"motion.X", "motion.Y", "motion.Z", "motion.W"},
                         "zip"});
        parts.push_back({"samples", OIIO::TypeDesc::UINT, {"samples.X"}, "zip"});
        parts.push_back({"noise", OIIO::TypeDesc::FLOAT, {"noise.Y"}, "zip"});
        for (std::size_t i = 0; i < parts.size(); ++i) {
            CAPTURE(parts[i].name);
            REQUIRE(input->seek_subimage(static_cast<int>(i), 0));
            const OIIO::ImageSpec spec = input->spec();
            CHECK(std::string(spec.get_string_attribute("oiio:subimagename")) == parts[i].name);
            CHECK(spec.format == parts[i].type);
            CHECK(spec.channelnames == parts[i].channels);
            CHECK(
                std::string(spec.get_string_attribute("compression")).find(parts[i].compression) ==
                0);
            CHECK(spec.x == static_cast<int>(kCrop.x0));
            CHECK(spec.full_width == static_cast<int>(kColumns));
        }
        // Depths and indices are exact.
        std::vector<float> depth(std::size_t{kCrop.width()} * kCrop.height());
        REQUIRE(input->read_image(4, 0, 0, 1, OIIO::TypeDesc::FLOAT, depth.data()));
        std::vector<u32> instance(depth.size());
        REQUIRE(input->read_image(6, 0, 0, 1, OIIO::TypeDesc::UINT, instance.data()));
        std::vector<u32> samples(depth.size());
        REQUIRE(input->read_image(19, 0, 0, 1, OIIO::TypeDesc::UINT, samples.data()));
        std::size_t wrong = 0;
        for (u32 y = kCrop.y0; y < kCrop.y1; ++y) {
            for (u32 x = kCrop.x0; x < kCrop.x1; ++x) {
                const std::size_t i = std::size_t{y - kCrop.y0} * kCrop.width() + (x - kCrop.x0);
                float wanted = 0;
                film.aov_pixel(3, x, y, &wanted);
                wrong += depth[i] != wanted || instance[i] != film.number(5, x, y);
                wrong += samples[i] != film.sample_count(x, y);
            }
        }
        CHECK(wrong == 0);
    }

    TEST_CASE("the header holds the metadata and the hashes of the film and its AOVs") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop, {Aov::Albedo});
        ImageConfig config;
        config.metadata = {{"seed", "17"}, {"class", "fma"}};
        const std::string path = folder.file("metadata.exr");
        REQUIRE(write_image(path, film, config).is_ok());
        const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
        REQUIRE(input != nullptr);
        const auto stated = [&](const char* name) {
            return std::string(input->spec().get_string_attribute(name));
        };
        CHECK(stated("weft:seed") == "17");
        CHECK(stated("weft:class") == "fma");
        CHECK(stated("weft:film_hash") == film.film_hash());
        CHECK(stated("weft:film_hash.albedo") == film.aov_hash(0));
        CHECK(stated("weft:pixel_hash").size() == 32);
        const std::string png = folder.file("metadata.png");
        REQUIRE(write_image(png, film, config).is_ok());
        const std::unique_ptr<OIIO::ImageInput> shown = OIIO::ImageInput::open(png);
        REQUIRE(shown != nullptr);
        CHECK(std::string(shown->spec().get_string_attribute("weft:seed")) == "17");
    }

    TEST_CASE(
        "the pixel hash is of the stored pixels so it tells types apart and not losslessness") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop);
        const auto hash_of = [&](bool is_half, ExrCompression compression) {
            ImageConfig config;
            config.is_half = is_half;
            config.compression = compression;
            const std::string path = folder.file("hash.exr");
            REQUIRE(write_image(path, film, config).is_ok());
            const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
            REQUIRE(input != nullptr);
            return std::string(input->spec().get_string_attribute("weft:pixel_hash"));
        };
        const std::string zip = hash_of(false, ExrCompression::Zip);
        CHECK(hash_of(false, ExrCompression::Piz) == zip);
        CHECK(hash_of(false, ExrCompression::None) == zip);
        CHECK(hash_of(true, ExrCompression::Zip) != zip);
        CHECK(hash_of(true, ExrCompression::Dwaa) != hash_of(true, ExrCompression::Zip));
    }

    TEST_CASE("one damaged bit in the pixels is found whatever the compression") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop);
        for (const ExrCompression compression : {ExrCompression::None,
                                                 ExrCompression::Rle,
                                                 ExrCompression::Zip,
                                                 ExrCompression::Piz}) {
            ImageConfig config;
            config.compression = compression;
            const std::string path = folder.file("damaged.exr");
            REQUIRE(write_image(path, film, config).is_ok());
            const std::size_t size = bytes_of(path).size();
            // Not every bit matters: the last byte of a deflate stream is filled up with bits that
            // mean nothing.
            for (const std::size_t offset : {size / 2, size * 3 / 4, size * 7 / 8}) {
                CAPTURE(std::string(exr_compression_name(compression)));
                CAPTURE(offset);
                flip_byte(path, offset);
                const VerifyReport report = report_of(path);
                CHECK_FALSE(report.pixel_hash_matches);
                CHECK(says(report, "pixel_hash: "));
                CHECK_FALSE(says(report, "pixels match"));
                flip_byte(path, offset);
                CHECK(report_of(path).pixel_hash_matches);
            }
        }
    }

    TEST_CASE("damage to the raw sums is told apart from damage to the pixels") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop);
        ImageConfig config = with_film();
        config.compression = ExrCompression::None;
        const std::string path = folder.file("sums.exr");
        REQUIRE(write_image(path, film, config).is_ok());
        // The film's part is the last: its last pixel ends the file.
        flip_byte(path, bytes_of(path).size() - 3);
        const VerifyReport report = report_of(path);
        CHECK(report.pixel_hash_matches);
        CHECK(report.has_film);
        CHECK_FALSE(report.film_hash_matches);
        CHECK(report.film_hash != film.film_hash());
    }

    TEST_CASE("a header with another film hash is reported") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop);
        const std::string path = folder.file("forged.exr");
        REQUIRE(write_image(path, film, with_film()).is_ok());
        std::string bytes = bytes_of(path);
        const std::size_t place = bytes.find(film.film_hash());
        REQUIRE(place != std::string::npos);
        bytes[place] = bytes[place] == '0' ? '1' : '0';
        put_bytes(path, bytes);
        const VerifyReport report = report_of(path);
        CHECK(report.pixel_hash_matches);
        CHECK_FALSE(report.film_hash_matches);
        CHECK(report.film_hash == film.film_hash());
    }

    TEST_CASE("raw sums of a layer that are missing or damaged are reported") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop, {Aov::Albedo, Aov::Depth});
        ImageConfig config = with_film();
        config.compression = ExrCompression::None;
        const std::string path = folder.file("layers.exr");
        for (const bool has_record : {false, true}) {
            if (has_record) {
                config.record.emplace();
            }
            REQUIRE(write_image(path, film, config).is_ok());
            const std::string whole = bytes_of(path);
            CHECK(report_of(path).layers_match);
            CHECK(says(report_of(path),
                       "film_record: the record and the raw sums of all layers "
                       "match the header") == has_record);
            // Another name hides the part from readers.
            std::string bytes = whole;
            const std::size_t name = bytes.find("weft.film.albedo");
            REQUIRE(name != std::string::npos);
            bytes[name + 10] = 'x';
            put_bytes(path, bytes);
            const VerifyReport missing = report_of(path);
            CHECK(missing.pixel_hash_matches);
            CHECK(missing.film_hash_matches);
            CHECK_FALSE(missing.layers_match);
            CHECK(says(missing, "film_hash.albedo: the raw sums of the layer cannot be checked"));
            CHECK(says(missing, "no part weft.film.albedo"));
            CHECK(says(missing, "film_record: the record and the raw sums of all layers hash to") ==
                  has_record);
            // The last part is that of the depth: its last pixel ends the file.
            put_bytes(path, whole);
            flip_byte(path, whole.size() - 3);
            const VerifyReport damaged = report_of(path);
            CHECK(damaged.film_hash_matches);
            CHECK_FALSE(damaged.layers_match);
            CHECK(says(damaged, "film_hash.depth: the raw sums of the layer hash to"));
        }
    }

    TEST_CASE("a record whose film is not there or that is damaged is reported") {
        const TestFolder folder;
        const Film film = ramp_film(kColumns, kRows, kCrop);
        const std::string path = folder.file("record.exr");
        ImageConfig config;
        config.metadata = {{"film_record", text_of(FilmRecord{})}};
        REQUIRE(write_image(path, film, config).is_ok());
        const VerifyReport without = report_of(path);
        CHECK(without.pixel_hash_matches);
        CHECK_FALSE(without.layers_match);
        CHECK(says(without, "film_record: "));
        CHECK(says(without, "no part weft.film"));
        config = with_film();
        config.record.emplace();
        config.record->samples_wanted = 16;
        REQUIRE(write_image(path, film, config).is_ok());
        CHECK(report_of(path).layers_match);
        std::string bytes = bytes_of(path);
        const std::size_t wanted = bytes.find("wanted 16");
        REQUIRE(wanted != std::string::npos);
        bytes[wanted + 7] = '2';
        put_bytes(path, bytes);
        CHECK_FALSE(report_of(path).layers_match);
    }

    TEST_CASE("a file that is not ours and one without raw sums are refused by name") {
        const TestFolder folder;
        Picture picture;
        picture.width = picture.height = picture.channels = 1;
        picture.pixels = {1};
        const std::string foreign = folder.file("foreign.exr");
        REQUIRE(write_picture(foreign, picture).is_ok());
        const base::Result<VerifyReport> report = verify_image(foreign);
        REQUIRE_FALSE(report.is_ok());
        CHECK(report.error().sentence.find("weft:pixel_hash") != std::string::npos);
        const std::string plain = folder.file("plain.exr");
        REQUIRE(write_image(plain, ramp_film(8, 8, {0, 0, 8, 8}), {}).is_ok());
        const base::Result<Film> film = read_film(plain);
        REQUIRE_FALSE(film.is_ok());
        CHECK(film.error().sentence.find("weft.film") != std::string::npos);
        CHECK_FALSE(verify_image(folder.file("missing.exr")).is_ok());
    }

    TEST_CASE("a part that cannot be read is not taken for one that is missing") {
        OnePart missing("");
        CHECK(seek_part_named(missing, "first"));
        CHECK_FALSE(seek_part_named(missing, "second"));
        OnePart starved(image::kNoMemory);
        CHECK_THROWS_AS(seek_part_named(starved, "second"), std::bad_alloc);
        OnePart damaged("damaged");
        CHECK_THROWS_AS(seek_part_named(damaged, "second"), std::runtime_error);
    }

    TEST_CASE("a file that there was no memory to read back is kept and one that differs is not") {
        const TestFolder folder;
        const auto end = [&](const std::string& path, base::ErrorKind why) {
            base::Result<WholeFile> file = WholeFile::open(path);
            REQUIRE(file.is_ok());
            CHECK(file.value().write_at("kept", 4, 0) == 4);
            return not_read_back(file.value(), {why, "why"});
        };
        const std::string kept = folder.file("kept.exr");
        const base::Error memory = end(kept, base::ErrorKind::Memory);
        CHECK(memory.kind == base::ErrorKind::Memory);
        CHECK(memory.sentence.find(kept + ": is written, but there was no memory") == 0);
        const base::Error disk = end(folder.file("lost.exr"), base::ErrorKind::Scene);
        CHECK(disk.kind == base::ErrorKind::Output);
        CHECK(disk.sentence.find("does not read back (why)") != std::string::npos);
        CHECK(folder.files() == std::vector<std::string>{"kept.exr"});
        CHECK(bytes_of(kept) == "kept");
    }

    TEST_CASE("a header whose pixel hash is blank is no damage and undecodable pixels are") {
        const TestFolder folder;
        const std::string path = folder.file("blank.exr");
        const Film film = ramp_film(kColumns, kRows, kCrop);
        REQUIRE(write_image(path, film, {}).is_ok());
        std::string bytes = bytes_of(path);
        const std::string name("weft:pixel_hash\0string\0", 23);
        const std::size_t place = bytes.find(name);
        REQUIRE(place != std::string::npos);
        bytes.replace(place + name.size() + 4, 32, 32, '0');
        put_bytes(path, bytes);
        const VerifyReport whole = report_of(path);
        CHECK(whole.pixel_hash_matches);
        CHECK(says(whole, "pixel_hash: not checked, for memory ran out"));
        put_bytes(path, bytes.substr(0, bytes.size() - 100));
        const base::Result<VerifyReport> cut = verify_image(path);
        const bool is_accepted = cut.is_ok() && cut.value().pixel_hash_matches;
        CHECK_FALSE(is_accepted);
    }

    TEST_CASE("a whole file that memory does not do for is neither altered nor damaged") {
        if (!image::can_lack_addresses()) {
            return;
        }
        const TestFolder folder;
        const std::string path = folder.file("film.exr");
        const Film film(1600, 1400, {0, 0, 1600, 1400}, {});
        ImageConfig config = with_film();
        config.compression = ExrCompression::Rle;
        REQUIRE(write_image(path, film, config).is_ok());
        const auto check_memory = [&](const base::Error& error) {
            CHECK(error.kind == base::ErrorKind::Memory);
            CHECK(error.sentence.find(path + ": ") == 0);
            CHECK(error.sentence.find("memory") != std::string::npos);
        };
        // The picture takes 36 MB, and the words of the film 152.
        const image::FewAddresses few(rlim_t{24} << 20);
        check_memory(verify_image(path).error());
        check_memory(read_film(path).error());
        check_memory(read_picture(path).error());
    }
}

}  // namespace weft::film
