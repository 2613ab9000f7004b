// test_light_groups.cpp — `weft render --light-groups`: the layers that compositors find in its
// EXR, and what it refuses.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <OpenImageIO/imageio.h>
#include <doctest/doctest.h>

#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

constexpr const char* kGroups = "sun=sun;lamps=opal*,lamp shade;outside=view,front window";

Words interior(const std::string& output, const Words& more = {}) {
    Words words = {"render", "interior", "--width", "32", "--spp", "4", "-q", "-o", output};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The channels of each part of an EXR that is no raw sum, and its values.
struct Part {
    std::vector<std::string> channels;
    std::vector<float> values;
};

std::map<std::string, Part> parts_of(const std::string& path) {
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path);
    REQUIRE(input);
    std::map<std::string, Part> parts;
    for (int part = 0; input->seek_subimage(part, 0); ++part) {
        const OIIO::ImageSpec spec = input->spec();
        const std::string name(spec.get_string_attribute("oiio:subimagename"));
        if (name.starts_with("weft.film")) {
            continue;
        }
        Part& read = parts[name];
        read.channels = spec.channelnames;
        read.values.resize(spec.image_pixels() * static_cast<std::size_t>(spec.nchannels));
        REQUIRE(input->read_image(
            part, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, read.values.data()));
    }
    return parts;
}

}  // namespace

TEST_SUITE("app/light_groups") {
    TEST_CASE("an EXR has a layer for each group, which add up to the picture") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        const std::string plain = folder.file("plain.exr");
        check_ends(
            interior(path, {"--light-groups", kGroups, "--aov", "specular", "--exr-type", "float"}),
            kExitDone);
        check_ends(interior(plain, {"--exr-type", "float"}), kExitDone);
        const std::map<std::string, Part> parts = parts_of(path);
        const Part& whole = parts.at("rgba");
        CHECK(whole.values == parts_of(plain).at("rgba").values);
        CHECK(parts.at("specular").channels ==
              std::vector<std::string>{"specular.R", "specular.G", "specular.B"});
        std::vector<double> sums(whole.values.size() / 4 * 3);
        for (const std::string group :
             {"light_sun", "light_lamps", "light_outside", "light_rest"}) {
            CAPTURE(group);
            const Part& part = parts.at(group);
            CHECK(part.channels ==
                  std::vector<std::string>{group + ".R", group + ".G", group + ".B"});
            REQUIRE(part.values.size() == sums.size());
            const float most = *std::max_element(part.values.begin(), part.values.end());
            // All lights of the interior are in a group.
            CHECK((most > 0.1F) == (group != "light_rest"));
            for (std::size_t k = 0; k < sums.size(); ++k) {
                REQUIRE(part.values[k] >= 0);
                sums[k] += static_cast<double>(part.values[k]);
            }
        }
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const auto beauty = static_cast<double>(whole.values[k / 3 * 4 + k % 3]);
            REQUIRE(sums[k] == doctest::Approx(beauty).epsilon(1e-6));
        }
    }

    TEST_CASE("slices and a render that goes on have the groups of one render") {
        const TestFolder folder;
        const Words groups = {"--light-groups", kGroups, "--aov", "diffuse,indirect"};
        const auto with = [&](Words more) {
            more.insert(more.begin(), groups.begin(), groups.end());
            return more;
        };
        const std::string whole = folder.file("whole.exr");
        check_ends(interior(whole, with({"--keep-film"})), kExitDone);
        check_ends(interior(folder.file("1.exr"), with({"--slice", "1/2"})), kExitDone);
        check_ends(interior(folder.file("2.exr"), with({"--slice", "2/2"})), kExitDone);
        const std::string merged = folder.file("merged.exr");
        check_ends({"merge", merged, folder.file("2.exr"), folder.file("1.exr")}, kExitDone);
        CHECK(hashes_of_file(merged) == hashes_of_file(whole));
        CHECK(parts_of(merged).at("light_lamps").values ==
              parts_of(whole).at("light_lamps").values);
        CHECK(is_verified(merged));
        // Two samples, then the other two.
        const std::string resumed = folder.file("resumed.exr");
        check_ends(interior(resumed, with({"--spp", "2", "--resume"})), kExitDone);
        check_ends(interior(resumed, with({"--resume", "--keep-film"})), kExitDone);
        CHECK(hashes_of_file(resumed) == hashes_of_file(whole));
        // Sums of other groups are others.
        const Ended other = check_ends(
            interior(resumed,
                     {"--light-groups", "sun=sun", "--aov", "diffuse,indirect", "--resume"}),
            kExitScene);
        CHECK(says(other, "list of"));
    }

    TEST_CASE("a group of what emits nothing is named in a sentence and has a black layer") {
        const TestFolder folder;
        const std::string path = folder.file("dark.exr");
        const Ended ended = check_ends({"render",
                                        "cornell",
                                        "--width",
                                        "16",
                                        "--spp",
                                        "1",
                                        "-o",
                                        path,
                                        "--light-groups",
                                        "walls=white,red;lamp=light;again=light;sky=environment"},
                                       kExitDone);
        CHECK(says(ended, "nothing in the group walls (white,red) emits light"));
        // The first group has the lamp; a scene with a lamp has no environment.
        CHECK(says(ended, "nothing in the group again (light) emits light"));
        CHECK(says(ended, "nothing in the group sky"));
        CHECK(!says(ended, "group lamp"));
        const std::map<std::string, Part> parts = parts_of(path);
        for (const std::string group : {"light_walls", "light_again", "light_sky"}) {
            const std::vector<float>& values = parts.at(group).values;
            CHECK(
                std::all_of(values.begin(), values.end(), [](float value) { return value == 0; }));
        }
    }

    TEST_CASE("a group whose lights are all hidden is named in a sentence") {
        const TestFolder folder;
        const auto told = [&](const std::string& hidden) {
            return check_ends({"render",
                               "interior",
                               "--width",
                               "16",
                               "--spp",
                               "1",
                               "-o",
                               folder.file("a.exr"),
                               "--hide",
                               hidden,
                               "--light-groups",
                               "sun=sun;shade=lamp shade"},
                              kExitDone);
        };
        const Ended light = told("sun");
        CHECK(says(light, "nothing in the group sun (sun) emits light"));
        CHECK(!says(light, "group shade"));
        const Ended node = told("lamp shade");
        CHECK(says(node, "nothing in the group shade (lamp shade) emits light"));
        CHECK(!says(node, "group sun"));
    }

    TEST_CASE("patterns match the name that an edit gave and not the file's") {
        const TestFolder folder;
        const auto render = [&](const std::string& groups, int exit_code) {
            return check_ends({"render",
                               "cornell",
                               "--width",
                               "16",
                               "--spp",
                               "1",
                               "-o",
                               folder.file("a.exr"),
                               "--set",
                               R"(nodes/light/name="bulb")",
                               "--set",
                               R"(nodes/tall box/name="tower")",
                               "--light-groups",
                               groups},
                              exit_code);
        };
        CHECK(!says(render("lamp=bulb", kExitDone), "emits light"));
        const std::vector<float> lamp = parts_of(folder.file("a.exr")).at("light_lamp").values;
        CHECK(*std::max_element(lamp.begin(), lamp.end()) > 0);
        CHECK(says(render("x=tower", kExitDone), "group x"));
        CHECK(says(render("x=tall box", kExitScene), "named tall box (group x)"));
    }

    TEST_CASE("groups that a scene or a file cannot have are refused with a sentence") {
        const TestFolder folder;
        const std::string path = folder.file("a.exr");
        const auto refused = [&](const std::string& groups, int exit_code) {
            return check_ends(interior(path, {"--light-groups", groups}), exit_code);
        };
        CHECK(says(refused("key", kExitUsage), "without ="));
        CHECK(says(refused("a b=sun", kExitUsage), "expected letters"));
        const Ended unknown = refused("sun=sun;moon=moon*", kExitScene);
        CHECK(says(unknown, "named moon* (group moon); expected one of its "));
        CHECK(says(unknown, "such as "));
        CHECK(says(
            check_ends(interior(folder.file("a.png"), {"--light-groups", kGroups}), kExitUsage),
            "--light-groups"));
        CHECK(folder.files().empty());
    }
}

}  // namespace weft::app::testing
