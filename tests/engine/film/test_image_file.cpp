// test_image_file.cpp — pictures survive writing and reading: every format, type and compression.
#include <cmath>
#include <memory>
#include <string>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::film {

namespace {

constexpr u32 kWidth = 70;
constexpr u32 kHeight = 41;
constexpr Region kWhole{0, 0, kWidth, kHeight};

Picture written_and_read(const std::string& path, const Film& film, const ImageConfig& config) {
    const base::Status written = write_image(path, film, config);
    CAPTURE(written.error().sentence);
    REQUIRE(written.is_ok());
    base::Result<Picture> picture = read_picture(path);
    CAPTURE(picture.error().sentence);
    REQUIRE(picture.is_ok());
    REQUIRE(picture.value().width == film.crop().width());
    REQUIRE(picture.value().height == film.crop().height());
    return std::move(picture.value());
}

// The largest |file − film| / (1 + |film|) over the first `channels`.
double largest_error(const Picture& picture, const Film& film, u32 channels) {
    double largest = 0;
    const Region crop = film.crop();
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            const std::array<float, kFilmChannels> mean = film.pixel(crop.x0 + x, crop.y0 + y);
            for (u32 c = 0; c < channels; ++c) {
                const double wanted = static_cast<double>(mean[c]);
                largest = std::fmax(largest,
                                    std::fabs(static_cast<double>(picture.at(x, y, c)) - wanted) /
                                        (1 + std::fabs(wanted)));
            }
        }
    }
    return largest;
}

}  // namespace

TEST_SUITE("engine/film/image_file") {
    TEST_CASE("every compression of EXR keeps the pixels as well as it promises and verifies") {
        const TestFolder folder;
        const Film film = ramp_film(kWidth, kHeight, kWhole);

        struct Case {
            ExrCompression compression;
            double float_error;
        };

        for (const Case& one : {Case{ExrCompression::None, 0},
                                Case{ExrCompression::Rle, 0},
                                Case{ExrCompression::Zip, 0},
                                Case{ExrCompression::Zips, 0},
                                Case{ExrCompression::Piz, 0},
                                Case{ExrCompression::Pxr24, 3.1e-5},
                                Case{ExrCompression::Dwaa, 0.1},
                                Case{ExrCompression::Dwab, 0.1}}) {
            for (const bool is_half : {false, true}) {
                CAPTURE(std::string(exr_compression_name(one.compression)));
                CAPTURE(is_half);
                ImageConfig config;
                config.compression = one.compression;
                config.is_half = is_half;
                const std::string path = folder.file("picture.exr");
                const Picture picture = written_and_read(path, film, config);
                CHECK(picture.channels == 4);
                CHECK(largest_error(picture, film, 4) <= one.float_error + (is_half ? 4.9e-4 : 0));
                const base::Result<VerifyReport> report = verify_image(path);
                REQUIRE(report.is_ok());
                CHECK(report.value().pixel_hash_matches);
                CHECK(report.value().film_hash == film.film_hash());
                CHECK_FALSE(report.value().has_film);
            }
        }
    }

    TEST_CASE("every part of every EXR names the primaries of Rec. 709 and D65") {
        const TestFolder folder;
        const Film film = ramp_film(kWidth, kHeight, kWhole, all_aovs());
        ImageConfig config;
        config.keep_film = true;
        REQUIRE(write_image(folder.file("film.exr"), film, config).is_ok());
        const base::Result<Picture> picture = read_picture(folder.file("film.exr"));
        REQUIRE(picture.is_ok());
        REQUIRE(write_picture(folder.file("picture.exr"), picture.value()).is_ok());
        const std::array<float, 8> wanted = {
            0.64F, 0.33F, 0.3F, 0.6F, 0.15F, 0.06F, 0.3127F, 0.329F};
        for (const char* name : {"film.exr", "picture.exr"}) {
            const std::unique_ptr<OIIO::ImageInput> input =
                OIIO::ImageInput::open(folder.file(name));
            REQUIRE(input);
            int part = 0;
            for (; input->seek_subimage(part, 0); ++part) {
                CAPTURE(part);
                std::array<float, 8> found{};
                REQUIRE(input->spec().getattribute(
                    "chromaticities", OIIO::TypeDesc(OIIO::TypeDesc::FLOAT, 8), found.data()));
                CHECK(found == wanted);
            }
            // Beauty, layers with three parts for each of mattes, the sums of both.
            CHECK(part ==
                  (std::string_view(name) == "film.exr" ? 2 + 2 * int{kAllAovs.size()} + 6 : 1));
        }
        REQUIRE(write_image(folder.file("flat.tif"), film, {}).is_ok());
        const std::unique_ptr<OIIO::ImageInput> flat =
            OIIO::ImageInput::open(folder.file("flat.tif"));
        REQUIRE(flat);
        CHECK(flat->spec().find_attribute("chromaticities") == nullptr);
    }

    TEST_CASE("every part of an EXR states the aspect of its pixels") {
        const TestFolder folder;
        const Film film = ramp_film(8, 8, {0, 0, 8, 8}, {Aov::Albedo});
        for (const float aspect : {1.0F, 2.0F}) {
            ImageConfig config;
            config.pixel_aspect = aspect;
            REQUIRE(write_image(folder.file("a.exr"), film, config).is_ok());
            const auto input = OIIO::ImageInput::open(folder.file("a.exr"));
            REQUIRE(input);
            for (int part = 0; part < 2; ++part) {
                REQUIRE(input->seek_subimage(part, 0));
                CHECK(input->spec().get_float_attribute("PixelAspectRatio") == aspect);
            }
        }
    }

    TEST_CASE("half holds its largest number where the film is brighter") {
        const TestFolder folder;
        Film film(2, 1, {0, 0, 2, 1}, {});
        film.add_sample(0, 0, {1e6F, -1e6F, 65504, 1});
        film.add_sample(1, 0, {1, 2, 3, 1});
        ImageConfig config;
        config.is_half = true;
        u64 cut = 0;
        config.on_cut = [&](u64 pixels) { cut += pixels; };
        const Picture picture = written_and_read(folder.file("bright.exr"), film, config);
        CHECK(cut == 1);
        CHECK(picture.at(0, 0, 0) == 65504.0F);
        CHECK(picture.at(0, 0, 1) == -65504.0F);
        CHECK(picture.at(0, 0, 2) == 65504.0F);
        config.is_half = false;
        CHECK(written_and_read(folder.file("bright.exr"), film, config).at(0, 0, 0) == 1e6F);
        CHECK(cut == 1);
    }

    TEST_CASE("a crop keeps its place in an EXR and is a picture of its own elsewhere") {
        const TestFolder folder;
        const Film film = ramp_film(kWidth, kHeight, {10, 5, 50, 30});
        const Picture exr = written_and_read(folder.file("crop.exr"), film, {});
        CHECK(exr.x0 == 10);
        CHECK(exr.y0 == 5);
        CHECK(largest_error(exr, film, 4) == 0);
        const Picture tiff = written_and_read(folder.file("crop.tif"), film, {});
        CHECK(tiff.x0 == 0);
        CHECK(largest_error(tiff, film, 3) == 0);
    }

    TEST_CASE("TIFF holds linear floats exactly and HDR to one part in a hundred") {
        const TestFolder folder;
        const Film film = ramp_film(kWidth, kHeight, kWhole);
        for (const char* name : {"picture.tif", "picture.TIFF"}) {
            const Picture tiff = written_and_read(folder.file(name), film, {});
            CHECK(tiff.channels == 3);
            CHECK(largest_error(tiff, film, 3) == 0);
        }
        ImageConfig with_alpha;
        with_alpha.has_alpha = true;
        const Picture tiff = written_and_read(folder.file("alpha.tif"), film, with_alpha);
        CHECK(tiff.channels == 4);
        CHECK(largest_error(tiff, film, 4) == 0);
        // RGBE shares the exponent of the largest channel: 1/256 of that channel, and of no channel
        // alone.
        Film grey(40, 2, {0, 0, 40, 2}, {});
        for (u32 x = 0; x < 40; ++x) {
            const float value = 0.37F * static_cast<float>(x * x);
            grey.add_sample(x, 0, {value, value * 0.9F, value * 0.8F, 1});
            grey.add_sample(x, 1, {value, 0, -value, 1});
        }
        const Picture hdr = written_and_read(folder.file("picture.hdr"), grey, {});
        CHECK(hdr.channels == 3);
        for (u32 x = 0; x < 40; ++x) {
            const double wanted = static_cast<double>(grey.pixel(x, 0)[1]);
            CHECK(static_cast<double>(hdr.at(x, 0, 1)) == doctest::Approx(wanted).epsilon(0.01));
            CHECK(hdr.at(x, 1, 2) == 0.0F);
        }
    }

    TEST_CASE("PNG shows the view of the exposed film to the nearest of 256 values") {
        const TestFolder folder;
        const Film film = ramp_film(kWidth, kHeight, kWhole);
        for (const ViewTransform view :
             {ViewTransform::Standard, ViewTransform::Filmic, ViewTransform::Aces}) {
            ImageConfig config;
            config.view = view;
            config.exposure_stops = 1;
            const Picture picture = written_and_read(folder.file("picture.png"), film, config);
            CHECK(picture.channels == 3);
            double largest = 0;
            for (u32 y = 0; y < kHeight; ++y) {
                for (u32 x = 0; x < kWidth; ++x) {
                    const std::array<float, kFilmChannels> mean = film.pixel(x, y);
                    const std::array<float, 3> shown =
                        apply_view(view, {2 * mean[0], 2 * mean[1], 2 * mean[2]});
                    for (u32 c = 0; c < 3; ++c) {
                        const double stored = srgb_encode(static_cast<double>(picture.at(x, y, c)));
                        largest =
                            std::fmax(largest, std::fabs(stored - static_cast<double>(shown[c])));
                    }
                }
            }
            CHECK(largest <= 0.5 / 255 + 1e-6);
        }
    }

    TEST_CASE("eight bits of alpha are straight: the colour is that of the covered part") {
        const TestFolder folder;
        Film film(3, 1, {0, 0, 3, 1}, {});
        film.add_sample(0, 0, {0.25F, 0.125F, 0, 0.5F});
        film.add_sample(1, 0, {0, 0, 0, 0});
        film.add_sample(2, 0, {1, 1, 1, 1});
        ImageConfig config;
        config.has_alpha = true;
        const Picture picture = written_and_read(folder.file("alpha.png"), film, config);
        REQUIRE(picture.channels == 4);
        // Read back premultiplied: 128/255 of the straight colours 0.5 and 0.25.
        CHECK(static_cast<double>(picture.at(0, 0, 3)) ==
              doctest::Approx(128 / 255.0).epsilon(1e-6));
        CHECK(static_cast<double>(picture.at(0, 0, 0)) == doctest::Approx(0.25).epsilon(0.01));
        CHECK(static_cast<double>(picture.at(0, 0, 1)) == doctest::Approx(0.125).epsilon(0.02));
        CHECK(picture.at(1, 0, 3) == 0.0F);
        CHECK(picture.at(2, 0, 0) == 1.0F);
    }

    TEST_CASE("JPEG is close to the picture and has no alpha") {
        const TestFolder folder;
        Film film(64, 64, {0, 0, 64, 64}, {});
        for (u32 y = 0; y < 64; ++y) {
            for (u32 x = 0; x < 64; ++x) {
                film.add_sample(
                    x, y, {static_cast<float>(x) / 64, static_cast<float>(y) / 64, 0.5F, 1});
            }
        }
        ImageConfig config;
        config.has_alpha = true;
        const Picture picture = written_and_read(folder.file("picture.jpg"), film, config);
        CHECK(picture.channels == 3);
        CHECK(largest_error(picture, film, 3) < 0.03);
    }

    TEST_CASE("files say sRGB once and raw ones say nothing") {
        const TestFolder folder;
        const Film film = ramp_film(8, 8, {0, 0, 8, 8});
        ImageConfig config;
        REQUIRE(write_image(folder.file("a.png"), film, config).is_ok());
        REQUIRE(write_image(folder.file("a.jpg"), film, config).is_ok());
        config.view = ViewTransform::Raw;
        REQUIRE(write_image(folder.file("raw.png"), film, config).is_ok());
        const std::string tagged = bytes_of(folder.file("a.png"));
        CHECK(tagged.find("sRGB") != std::string::npos);
        CHECK(tagged.find("iCCP") == std::string::npos);
        CHECK(tagged.find("jpeg:subsampling") == std::string::npos);
        // The gamma of old readers must be that of sRGB: 45455 / 100000.
        const std::size_t gamma = tagged.find("gAMA");
        REQUIRE(gamma != std::string::npos);
        CHECK(tagged.substr(gamma + 4, 4) == std::string("\x00\x00\xb1\x8f", 4));
        const std::string raw = bytes_of(folder.file("raw.png"));
        for (const char* chunk : {"sRGB", "gAMA", "iCCP"}) {
            CHECK(raw.find(chunk) == std::string::npos);
        }
        const std::unique_ptr<OIIO::ImageInput> jpeg = OIIO::ImageInput::open(folder.file("a.jpg"));
        REQUIRE(jpeg != nullptr);
        CHECK(jpeg->spec().get_int_attribute("Exif:ColorSpace") == 1);
        CHECK(std::string(jpeg->spec().get_string_attribute("jpeg:subsampling")) == "4:4:4");
    }

    TEST_CASE("a picture is written with its values and read back") {
        const TestFolder folder;
        Picture picture;
        picture.width = 2;
        picture.height = 1;
        picture.channels = 1;
        picture.pixels = {0.25F, 3};
        REQUIRE(write_picture(folder.file("grey.exr"), picture).is_ok());
        const base::Result<Picture> back = read_picture(folder.file("grey.exr"));
        REQUIRE(back.is_ok());
        CHECK(back.value().pixels == picture.pixels);
        REQUIRE(write_picture(folder.file("grey.png"), picture).is_ok());
        const base::Result<Picture> shown = read_picture(folder.file("grey.png"));
        REQUIRE(shown.is_ok());
        CHECK(static_cast<double>(shown.value().pixels[0]) ==
              doctest::Approx(srgb_decode(64 / 255.0)).epsilon(1e-6));
        CHECK(shown.value().pixels[1] == 1.0F);
    }

    TEST_CASE("the picture of a file with layers is its beauty") {
        const TestFolder folder;
        const std::string path = folder.file("layers.exr");
        OIIO::ImageSpec spec(1, 1, 7, OIIO::TypeDesc::FLOAT);
        spec.channelnames = {
            "albedo.R", "albedo.G", "albedo.B", "beauty.R", "beauty.G", "beauty.B", "beauty.A"};
        const std::array<float, 7> values = {9, 9, 9, 1, 2, 3, 0.5F};
        const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(path);
        REQUIRE(output);
        REQUIRE(output->open(path, spec));
        REQUIRE(output->write_image(OIIO::TypeDesc::FLOAT, values.data()));
        REQUIRE(output->close());
        const base::Result<Picture> picture = read_picture(path);
        REQUIRE_MESSAGE(picture.is_ok(), picture.error().sentence);
        CHECK(picture.value().pixels == std::vector<float>{1, 2, 3, 0.5F});
    }

    TEST_CASE("an unknown extension is wrong usage and leaves no file") {
        const TestFolder folder;
        const Film film = ramp_film(8, 8, {0, 0, 8, 8});
        ImageConfig film_in_png;
        film_in_png.keep_film = true;
        for (const base::Status& status : {write_image(folder.file("picture.bmp"), film, {}),
                                           write_image(folder.file("picture"), film, {}),
                                           write_image(folder.file("a.png"), film, film_in_png)}) {
            REQUIRE_FALSE(status.is_ok());
            CHECK(status.error().kind == base::ErrorKind::Usage);
            CHECK(status.error().sentence.find("expected") != std::string::npos);
        }
        CHECK(folder.files().empty());
    }

    TEST_CASE("files that are no images or are cut off are refused with a sentence") {
        const TestFolder folder;
        const Film film = ramp_film(kWidth, kHeight, kWhole);
        const std::string path = folder.file("whole.exr");
        REQUIRE(write_image(path, film, {}).is_ok());
        const std::string bytes = bytes_of(path);
        put_bytes(folder.file("text.exr"), "this is a text and not a picture of anything at all\n");
        put_bytes(folder.file("empty.png"), "");
        for (const std::size_t size : {bytes.size() / 2, bytes.size() - 1, std::size_t{40}}) {
            put_bytes(folder.file("cut" + std::to_string(size) + ".exr"), bytes.substr(0, size));
        }
        std::vector<std::string> names = folder.files();
        names.emplace_back("missing.exr");
        for (const std::string& name : names) {
            if (name == "whole.exr") {
                continue;
            }
            CAPTURE(name);
            const base::Result<Picture> picture = read_picture(folder.file(name));
            REQUIRE_FALSE(picture.is_ok());
            CHECK(picture.error().kind == base::ErrorKind::Scene);
            CHECK(picture.error().sentence.find(folder.file(name)) == 0);
            CHECK(picture.error().sentence.find('\n') == std::string::npos);
            const base::Result<VerifyReport> report = verify_image(folder.file(name));
            const bool is_accepted = report.is_ok() && report.value().pixel_hash_matches;
            CHECK_FALSE(is_accepted);
        }
    }

    TEST_CASE("a pixel without samples shows the nearest of a coarse lattice and the film stays") {
        const TestFolder folder;
        const Region crop{1, 2, 20, 15};
        Film film(32, 16, crop, {Aov::Albedo, Aov::Instance});
        for (u32 y = crop.y0; y < crop.y1; y += 4) {
            for (u32 x = crop.x0; x < crop.x1; x += 4) {
                const auto value = static_cast<float>(32 * y + x);
                film.add_sample(x, y, {value, 1, 2, 1});
                const std::array<float, 3> albedo{value, 0, 0};
                film.add_aov(0, x, y, albedo.data());
                film.set_number(1, x, y, x);
            }
        }
        film.add_sample(2, 2, {7, 7, 7, 1});  // of the next lattice, alone
        const std::string hash = film.film_hash();
        const std::string path = folder.file("a.exr");
        ImageConfig config;
        config.keep_film = true;
        REQUIRE(write_image(path, film, config).is_ok());
        CHECK(film.film_hash() == hash);
        const base::Result<VerifyReport> report = verify_image(path);
        REQUIRE(report.is_ok());
        CHECK(report.value().film_hash == hash);
        CHECK(report.value().film_hash_matches);
        const base::Result<Picture> picture = read_picture(path);
        REQUIRE(picture.is_ok());
        ResolvedFilm resolved(film, resolve_config(path, {}));
        resolved.finish();
        bool is_right = true;
        for (u32 y = crop.y0; y < crop.y1; ++y) {
            for (u32 x = crop.x0; x < crop.x1; ++x) {
                const u32 from_x = x - (x - crop.x0) % 4;
                const u32 from_y = y - (y - crop.y0) % 4;
                const bool is_alone = x == 2 && y == 2;
                const float value = is_alone ? 7 : static_cast<float>(32 * from_y + from_x);
                is_right = is_right && picture.value().at(x - crop.x0, y - crop.y0, 0) == value;
                const float albedo =
                    resolved.aov_row(0, y - crop.y0)[std::size_t{3} * (x - crop.x0)];
                is_right = is_right && albedo == (is_alone ? 0 : value);
                is_right = is_right && resolved.shown_pixel(x, y).x == (is_alone ? 2 : from_x);
            }
        }
        CHECK(is_right);
    }
}

}  // namespace weft::film
