// test_denoise.cpp — `--denoise` and `weft denoise`: the picture without its noise, the film beside
// it untouched, and files that cannot be denoised.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

// A render of 40×40 pixels without layers that nobody asked for.
Words plain_render(const std::string& output, const Words& more = {}) {
    Words words = {"render",
                   "cornell",
                   "--width",
                   "40",
                   "--spp",
                   "8",
                   "-o",
                   output,
                   "-t",
                   "2",
                   "--progress",
                   "none",
                   "--exr-type",
                   "float"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

struct Part {
    OIIO::ImageSpec spec;
    std::vector<float> pixels;
};

// The parts of an EXR by name.
std::map<std::string, Part> read_parts(const std::string& path) {
    std::map<std::string, Part> parts;
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        Part read{input->spec(), {}};
        const OIIO::ImageSpec& spec = read.spec;
        read.pixels.resize(static_cast<std::size_t>(spec.image_pixels()) *
                           static_cast<std::size_t>(spec.nchannels));
        REQUIRE(input->read_image(
            part, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, read.pixels.data()));
        parts[std::string(spec.get_string_attribute("oiio:subimagename"))] = std::move(read);
    }
    return parts;
}

std::string metadata_of(const std::string& path, const char* name) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    return std::string(input->spec().get_string_attribute(name));
}

std::vector<float> values_of(const std::string& path) {
    const base::Result<film::Picture> read = film::read_picture(path);
    REQUIRE(read.is_ok());
    return read.value().pixels;
}

// relmse against a reference.
double error_of(const std::string& path, const std::string& reference) {
    const Ended ended = check_ends({"compare", path, reference, "--metric", "relmse"}, kExitDone);
    return std::stod(ended.out.substr(ended.out.find(' ')));
}

}  // namespace

TEST_SUITE("app/denoise") {
    TEST_CASE("the picture has less noise and the film is the same") {
        const TestFolder folder;
        const std::string plain = folder.file("plain.exr");
        const std::string denoised = folder.file("denoised.exr");
        const std::string reference = folder.file("reference.exr");
        check_ends(plain_render(plain), kExitDone);
        check_ends(plain_render(reference, {"--spp", "512", "--seed", "3"}), kExitDone);
        CHECK(says(check_ends(plain_render(denoised, {"--denoise"}), kExitDone), "denoised in"));
        CHECK(error_of(denoised, reference) < 0.6 * error_of(plain, reference));
        // The layers are the picture and the film's, and no others.
        const auto parts = read_parts(denoised);
        CHECK(parts.size() == 2);
        CHECK(parts.at("noisy").pixels == read_parts(plain).at("rgba").pixels);
        CHECK(metadata_of(denoised, "weft:film_hash") == metadata_of(plain, "weft:film_hash"));
        CHECK(metadata_of(denoised, "weft:denoised_by") == "weft quality");
        CHECK(is_verified(denoised));
        // The option with its value gives the same, off gives none.
        const std::string other = folder.file("other.exr");
        check_ends(plain_render(other, {"--denoise=quality", "-t", "1"}), kExitDone);
        CHECK(values_of(other) == values_of(denoised));
        check_ends(plain_render(other, {"--denoise=off"}), kExitDone);
        CHECK(read_parts(other).size() == 1);
    }

    TEST_CASE("a file of 8 bits shows the denoised picture") {
        const TestFolder folder;
        check_ends(plain_render(folder.file("plain.png")), kExitDone);
        check_ends(plain_render(folder.file("denoised.png"), {"--denoise"}), kExitDone);
        CHECK(values_of(folder.file("plain.png")) != values_of(folder.file("denoised.png")));
    }

    TEST_CASE("weft denoise gives what --denoise gives") {
        const TestFolder folder;
        const std::string film = folder.file("film.exr");
        const std::string later = folder.file("later.exr");
        const std::string at_once = folder.file("at_once.exr");
        check_ends(
            plain_render(film,
                         {"--keep-film", "--aov", "seen_albedo,seen_normal,depth,noise,direct"}),
            kExitDone);
        check_ends(plain_render(at_once, {"--denoise", "--keep-film"}), kExitDone);
        check_ends({"denoise", film, "-o", later, "--exr-type", "float"}, kExitDone);
        CHECK(values_of(later) == values_of(at_once));
        CHECK(hashes_of_file(later) == hashes_of_file(film));
        CHECK(metadata_of(later, "weft:denoised_by") == "weft quality");
        CHECK(is_verified(later));
        // A denoised file that kept its film can be denoised again, also into 8 bits.
        check_ends({"denoise", at_once, "-o", later, "--exr-type", "float"}, kExitDone);
        CHECK(values_of(later) == values_of(at_once));
        const std::string shown = folder.file("shown.png");
        const std::string same = folder.file("same.png");
        check_ends({"denoise", film, "-o", shown}, kExitDone);
        check_ends(plain_render(same, {"--denoise"}), kExitDone);
        CHECK(values_of(shown) == values_of(same));
        // A film of the first surfaces alone is denoised by these.
        check_ends(plain_render(film, {"--keep-film", "--aov", "albedo,normal,depth,noise"}),
                   kExitDone);
        check_ends({"denoise", film, "-o", later, "--exr-type", "float"}, kExitDone);
        CHECK(values_of(later) != values_of(at_once));
    }

    TEST_CASE("the fast filter is chosen by its name for both commands") {
        const TestFolder folder;
        const std::string film = folder.file("film.exr");
        const std::string later = folder.file("later.exr");
        check_ends(plain_render(film, {"--denoise=fast", "--keep-film"}), kExitDone);
        CHECK(metadata_of(film, "weft:denoised_by") == "weft fast");
        check_ends({"denoise", film, "--denoise=fast", "-o", later, "--exr-type", "float"},
                   kExitDone);
        CHECK(values_of(later) == values_of(film));
        // It is a film with all of its layers still.
        check_ends({"denoise", later, "-o", folder.file("again.exr")}, kExitDone);
        check_ends({"denoise", film, "-o", later, "--exr-type", "float"}, kExitDone);
        CHECK(values_of(later) != values_of(film));
        CHECK(says(check_ends({"denoise", film, "--denoise=off", "-o", later}, kExitUsage),
                   "--denoise=off: expected quality or fast"));
        const std::string reference = folder.file("reference.exr");
        const std::string plain = folder.file("plain.exr");
        check_ends(plain_render(reference, {"--spp", "512", "--seed", "3"}), kExitDone);
        check_ends(plain_render(plain), kExitDone);
        CHECK(error_of(film, reference) < 0.6 * error_of(plain, reference));
    }

    TEST_CASE("an EXR of means alone is denoised by the fast filter") {
        const TestFolder folder;
        const std::string plain = folder.file("plain.exr");
        const std::string output = folder.file("out.exr");
        const std::string reference = folder.file("reference.exr");
        check_ends(plain_render(plain, {"--aov", "depth,normal,albedo"}), kExitDone);
        check_ends(plain_render(reference, {"--spp", "512", "--seed", "3"}), kExitDone);
        check_ends({"denoise", plain, "-o", output, "--exr-type", "float"}, kExitDone);
        CHECK(error_of(output, reference) < 0.6 * error_of(plain, reference));
        CHECK(metadata_of(output, "weft:denoised_by") == "weft fast");
        // The means come through the film's quanta of 2⁻³².
        const auto noisy = read_parts(output).at("noisy").pixels;
        const auto means = read_parts(plain).at("rgba").pixels;
        REQUIRE(noisy.size() == means.size());
        u32 different = 0;
        for (std::size_t k = 0; k < means.size(); ++k) {
            different += std::fabs(noisy[k] - means[k]) < 1e-9F ? 0U : 1U;
        }
        CHECK(different == 0);
        CHECK(is_verified(output));
        check_ends({"denoise", plain, "-o", folder.file("out.png")}, kExitDone);
        CHECK(says(check_ends({"denoise", plain, "--denoise=quality", "-o", output}, kExitScene),
                   plain + ": no two halves of its samples"));
        // Each layer is needed.
        for (const auto& [layers, missing] :
             std::vector<std::pair<std::string, std::string>>{{"normal,depth", "albedo"},
                                                              {"albedo,depth", "normal"},
                                                              {"albedo,normal", "depth"}}) {
            check_ends(plain_render(plain, {"--aov", layers}), kExitDone);
            CHECK(says(check_ends({"denoise", plain, "-o", output}, kExitScene),
                       plain + ": layer " + missing + ": missing"));
        }
        // A crop stays in its place.
        check_ends(
            plain_render(plain, {"--aov", "depth,normal,albedo", "--pixelbounds", "7,30,11,32"}),
            kExitDone);
        check_ends({"denoise", plain, "-o", output, "--exr-type", "float"}, kExitDone);
        CHECK(values_of(output).size() == values_of(plain).size());
    }

    TEST_CASE("a crop is denoised") {
        const TestFolder folder;
        const std::string crop = folder.file("crop.exr");
        check_ends(plain_render(crop, {"--pixelbounds", "7,30,11,12", "--denoise"}), kExitDone);
        CHECK(read_parts(crop).at("noisy").pixels.size() == 4 * 23);
    }

    TEST_CASE("both ways of denoising at once and unknown values are refused") {
        const TestFolder folder;
        const std::string output = folder.file("a.exr");
        CHECK(says(
            check_ends(
                plain_render(output, {"--denoise", "--denoise-command", "cp {color} {output}"}),
                kExitUsage),
            "--denoise and --denoise-command exclude each other"));
        CHECK(says(check_ends(plain_render(output, {"--denoise=best"}), kExitUsage),
                   "--denoise=best: expected quality, fast or off"));
        CHECK(folder.files().empty());
    }

    TEST_CASE("a file without a layer is refused by the name of the layer") {
        const TestFolder folder;
        const std::string input = folder.file("in.exr");
        const std::string output = folder.file("out.exr");
        check_ends(plain_render(input), kExitDone);
        CHECK(says(check_ends({"denoise", input, "-o", output}, kExitScene),
                   input + ": layer albedo: missing"));
        for (const auto& [layers, missing] :
             std::vector<std::pair<std::string, std::string>>{{"normal,depth,noise", "albedo"},
                                                              {"albedo,depth,noise", "normal"},
                                                              {"albedo,normal,noise", "depth"},
                                                              {"albedo,normal,depth", "noise"}}) {
            check_ends(plain_render(input, {"--keep-film", "--aov", layers}), kExitDone);
            const Ended ended = check_ends({"denoise", input, "-o", output}, kExitScene);
            CHECK(says(ended, input + ": layer " + missing + ": missing"));
        }
        CHECK(folder.files() == std::vector<std::string>{"in.exr"});
    }

    TEST_CASE("a layer of another size is refused by its name") {
        const TestFolder folder;
        const std::string large = folder.file("large.exr");
        const std::string small = folder.file("small.exr");
        const std::string mixed = folder.file("mixed.exr");
        const Words film = {"--keep-film", "--aov", "albedo,normal,depth,noise"};
        check_ends(plain_render(large, film), kExitDone);
        Words half = film;
        half.insert(half.end(), {"--pixelbounds", "0,20,0,20"});
        check_ends(plain_render(small, half), kExitDone);
        // The sums of the normals come from the small picture.
        std::vector<OIIO::ImageSpec> specs;
        std::vector<std::vector<u32>> pixels;
        const auto from_large = OIIO::ImageInput::open(large);
        const auto from_small = OIIO::ImageInput::open(small);
        REQUIRE(from_large);
        REQUIRE(from_small);
        for (int part = 0; from_large->seek_subimage(part, 0); ++part) {
            const bool is_swapped =
                from_large->spec().get_string_attribute("oiio:subimagename") == "weft.film.normal";
            OIIO::ImageInput& from = is_swapped ? *from_small : *from_large;
            REQUIRE(from.seek_subimage(part, 0));
            specs.push_back(from.spec());
            pixels.emplace_back(static_cast<std::size_t>(from.spec().image_pixels()) *
                                static_cast<std::size_t>(from.spec().nchannels));
            REQUIRE(from.read_image(
                part, 0, 0, from.spec().nchannels, from.spec().format, pixels.back().data()));
        }
        const auto output = OIIO::ImageOutput::create(mixed);
        REQUIRE(output);
        REQUIRE(output->open(mixed, static_cast<int>(specs.size()), specs.data()));
        for (std::size_t part = 0; part < specs.size(); ++part) {
            if (part > 0) {
                REQUIRE(output->open(mixed, specs[part], OIIO::ImageOutput::AppendSubimage));
            }
            REQUIRE(output->write_image(specs[part].format, pixels[part].data()));
        }
        REQUIRE(output->close());
        const Ended ended =
            check_ends({"denoise", mixed, "-o", folder.file("out.exr")}, kExitScene);
        CHECK(says(ended, "normal"));
        CHECK(says(ended, "20x20"));
    }
}

}  // namespace weft::app::testing
