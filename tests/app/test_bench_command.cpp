// test_bench_command.cpp — runs `weft bench` as a process: the fields of its JSON, figures that
// must agree, and the errors for wrong usage.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "engine/film/image_file.h"
#include "tests/app/bench_files.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

Ended bench_of(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "bench", "cornell", "--width", "24", "--spp", "1", "--rays", "400", "--repeats", "2", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_weft(arguments);
}

}  // namespace

TEST_SUITE("app/bench_command") {
    TEST_CASE("the JSON has every documented field and the variants of Weft find equal hits") {
        const TestFolder folder;
        const Ended ended = bench_of({"--no-images", "--json", folder.file("bench.json")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        const json read = json_of(folder.file("bench.json"));
        CHECK(read.at("scene") == "cornell");
        CHECK(read.at("triangles").get<u64>() == 44);
        CHECK(read.at("machine").at("processor").is_string());
        CHECK(read.at("images").empty());
        std::set<std::string> variants;
        std::map<std::string, std::set<std::string>> own_hashes;
        for (const json& row : read.at("rays")) {
            for (const char* const field : {"class",
                                            "bounce",
                                            "kind",
                                            "arm",
                                            "rays",
                                            "mrays_per_s_min",
                                            "mrays_per_s_median",
                                            "mrays_per_s_max",
                                            "nodes_per_ray",
                                            "leaves_per_ray",
                                            "rays_per_fetch",
                                            "occupancy",
                                            "hits_hash"}) {
                CAPTURE(field);
                CHECK(row.contains(field));
            }
            const std::string variant = row.at("arm");
            variants.insert(variant);
            CHECK(row.at("mrays_per_s_min").get<double>() <=
                  row.at("mrays_per_s_median").get<double>());
            CHECK(row.at("mrays_per_s_median").get<double>() <=
                  row.at("mrays_per_s_max").get<double>());
            CHECK(row.at("nodes_per_ray").is_null() == (variant[0] == 'E'));
            if (variant[0] != 'E') {
                own_hashes[row.at("class").get<std::string>() + row.at("bounce").dump()].insert(
                    row.at("hits_hash").get<std::string>());
            }
        }
        CHECK(variants ==
              std::set<std::string>{"U1", "U2", "K1", "KS", "KR", "K2", "E1", "E16", "ES"});
        for (const auto& [ray_class, hashes] : own_hashes) {
            CAPTURE(ray_class);
            CHECK(hashes.size() == 1);
        }
        for (const char* const ratio : {"key", "latency", "total", "honest"}) {
            CHECK(read.at("ratios").at(ratio).at("primary").get<double>() > 0);
        }
        CHECK(ended.out.find("honest K2/max(U1, U2, E)") != std::string::npos);
    }

    TEST_CASE("images of every scheduler mode but embree have one hash in the JSON") {
        const TestFolder folder;
        const Ended ended =
            bench_of({"--no-rays", "--image-repeats", "1", "--json", folder.file("bench.json")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        const json read = json_of(folder.file("bench.json"));
        CHECK(read.at("rays").empty());
        CHECK(read.at("images").size() == 11);
        std::set<std::string> own;
        for (const json& row : read.at("images")) {
            CHECK(row.at("spp").get<u32>() == 1);
            CHECK(row.at("seconds").get<double>() > 0);
            CHECK(row.at("msamples_per_s").get<double>() > 0);
            if (row.at("scheduler") != "embree") {
                own.insert(row.at("film_hash").get<std::string>());
            }
        }
        CHECK(own.size() == 1);
    }

    TEST_CASE("the chart is well-formed XML with a bar for every variant and image") {
        const TestFolder folder;
        // The name holds characters that XML must escape.
        const std::string scene = folder.file("a<b&c\".gltf");
        std::filesystem::copy_file(std::string(WEFT_SOURCE_DIR) + "/scenes/cornell.gltf", scene);
        const std::string chart = folder.file("chart.svg");
        const Ended ended = run_weft({"bench",
                                      scene,
                                      "--width",
                                      "16",
                                      "--spp",
                                      "1",
                                      "--rays",
                                      "200",
                                      "--repeats",
                                      "2",
                                      "-q",
                                      "-t",
                                      "1",
                                      "--chart",
                                      chart,
                                      "--image-repeats",
                                      "1",
                                      "--classes",
                                      "primary,diffuse1"});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        const std::string text = film::bytes_of(chart);
        CHECK(xml_fault(text).empty());
        CHECK(text.find("a&lt;b&amp;c&quot;") != std::string::npos);
        CHECK(text.find("diffuse1") != std::string::npos);
        std::size_t bars = 0;
        for (std::size_t at = 0; (at = text.find("<rect ", at)) != std::string::npos; ++at) {
            ++bars;
        }
        // Count the background, four variants of two classes, their legend and the images.
        CHECK(bars == 1 + 2 * 4 + 4 + 11);
    }

    TEST_CASE("a summary has a row per JSON file and a dot per ratio") {
        const TestFolder folder;
        const std::string first = folder.file("b.json");
        REQUIRE(bench_of({"--classes", "primary,diffuse2", "--image-repeats", "1", "--json", first})
                    .exit_code == kExitDone);
        // Reuse the figures for a larger scene without image figures.
        json other = json_of(first);
        const std::string name = "a<b_with_a_long_name_of_many_letters";
        other["scene"] = "folder/" + name + ".glb";
        other["triangles"] = 2'000'000;
        other["images"] = json::array();
        other["embree_build_s"] = nullptr;
        // Give every class but primary too few rays for the summary.
        for (json& row : other["rays"]) {
            row["rays"] = row.at("class") == "primary" ? json(row.at("rays")) : json(255);
        }
        std::ofstream(folder.file("a.json")) << other;
        const std::string chart = folder.file("all.svg");
        const std::string table = folder.file("all.md");
        const Ended ended =
            run_weft({"bench", "--summary", folder.file(""), "--chart", chart, "--table", table});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        CHECK(film::bytes_of(table) == ended.out);
        CHECK(ended.out.find("| cornell | 44 |") < ended.out.find("| " + name + " | 2000000 |"));
        const std::string text = film::bytes_of(chart);
        CHECK(xml_fault(text).empty());
        CHECK(text.find("a&lt;b") != std::string::npos);
        std::size_t dots = 0;
        for (std::size_t at = 0; (at = text.find("<circle ", at)) != std::string::npos; ++at) {
            ++dots;
        }
        // Count both legends, two classes and three image modes of one scene, one class of the
        // other.
        CHECK(dots == 7 + 3 + 2 + 3 + 1);
        // The count of triangles ends behind the name, which begins at 8: its letters are 6 to 7
        // wide.
        const std::size_t count = text.rfind("<text x=", text.find(">2 M<"));
        REQUIRE(count != std::string::npos);
        CHECK(std::stod(text.substr(count + 9)) > 8 + 6.5 * static_cast<double>(name.size()) + 20);
    }

    TEST_CASE("a summary without figures ends with an error that names the file") {
        const TestFolder folder;
        const auto summary_of = [&] { return run_weft({"bench", "--summary", folder.file("")}); };
        const Ended missing = run_weft({"bench", "--summary", folder.file("none")});
        CHECK(missing.exit_code == kExitScene);
        CHECK(missing.err.find(folder.file("none") + ": cannot be read (No such file") !=
              std::string::npos);
        Ended ended = summary_of();
        CHECK(ended.exit_code == kExitScene);
        CHECK(ended.err.find("has no .json file") != std::string::npos);
        std::ofstream(folder.file("a.json")) << "{\"scene\": \"x\"}";
        ended = summary_of();
        CHECK(ended.exit_code == kExitScene);
        CHECK(ended.err.find("a.json") != std::string::npos);
        std::ofstream(folder.file("a.json")) << "no";
        ended = summary_of();
        CHECK(ended.exit_code == kExitScene);
        CHECK(ended.err.find("is no JSON") != std::string::npos);
    }

    TEST_CASE("the XML check of these tests rejects malformed XML") {
        CHECK(xml_fault("<a><b/>x &amp; y</a>").empty());
        CHECK(!xml_fault("<a><b></a></b>").empty());
        CHECK(!xml_fault("<a>x & y;</a>").empty());
        CHECK(!xml_fault("<a b=\"c></a>").empty());
        CHECK(!xml_fault("<a></a><b></b>").empty());
        CHECK(!xml_fault("<a>").empty());
    }

    TEST_CASE("bench measures only the classes that the options name") {
        const TestFolder folder;
        const Ended ended = bench_of(
            {"--no-images", "--classes", "shadow,diffuse2", "--json", folder.file("bench.json")});
        REQUIRE(ended.exit_code == kExitDone);
        std::set<std::string> kinds;
        const json read = json_of(folder.file("bench.json"));
        for (const json& row : read.at("rays")) {
            kinds.insert(row.at("class").get<std::string>() + " " +
                         row.at("kind").get<std::string>() + " " + row.at("bounce").dump());
        }
        CHECK(kinds == std::set<std::string>{"shadow shadow 0", "diffuse closest 2"});
    }

    TEST_CASE("--traversal makes the product's keyed rays go as its row does") {
        const TestFolder folder;
        for (const auto& [choice, twin] :
             {std::pair("sets", std::string("KR")), std::pair("nodes", std::string("KS"))}) {
            CAPTURE(choice);
            const Ended ended = bench_of({"--no-images",
                                          "--classes",
                                          "diffuse1",
                                          "--traversal",
                                          choice,
                                          "--json",
                                          folder.file("bench.json")});
            INFO(ended.err);
            REQUIRE(ended.exit_code == kExitDone);
            std::map<std::string, double> list_bytes;
            const json read = json_of(folder.file("bench.json"));
            for (const json& row : read.at("rays")) {
                if (row.at("scheduler_bytes_per_ray").is_number()) {
                    list_bytes[row.at("arm").get<std::string>()] =
                        row.at("scheduler_bytes_per_ray").get<double>();
                }
            }
            CHECK(list_bytes.at("KR") < list_bytes.at("KS"));
            CHECK(list_bytes.at("K2") == list_bytes.at(twin));
        }
    }

    TEST_CASE("wrong usage ends with an error and its exit code before any measurement") {
        const TestFolder folder;
        const auto says = [](const Ended& ended, const char* text) {
            INFO(ended.err);
            CHECK(ended.out.empty());
            CHECK(ended.err.find(text) != std::string::npos);
        };
        Ended ended = bench_of({"--no-rays", "--no-images"});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "leave nothing to measure");
        ended = bench_of({"--no-rays", "--classes", "shadow"});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "--classes names rays");
        ended = bench_of({"--classes", "moonbeam"});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "moonbeam");
        ended = bench_of({"--chart", folder.file("chart.png")});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "expected a name that ends in .svg");
        ended = bench_of({"--device", "egpu"});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "expected cpu");
        for (const auto& [arguments, text] :
             std::vector<std::pair<std::vector<std::string>, std::string>>{
                 {{"--traversal", "pages"}, "expected --paging"},
                 {{"--traversal", "sets", "--paging"}, "expected no --paging"},
                 {{"--traversal", "nodes", "--bus"}, "expected no --bus"},
                 {{"--geometry-memory", "1G"}, "--geometry-memory is of frames with pages"},
                 {{"--page-size", "64K"}, "--page-size is of frames with pages"},
                 {{"--reads-ahead", "4"}, "--reads-ahead is of frames with pages"},
                 {{"--aov", "albedo", "--noise"}, "expected no --noise with it"},
                 {{"--aov", "albedo", "--no-images"}, "expected no --no-images with it"},
                 {{"--no-control"}, "--no-control is of frames with pages"},
                 {{"--paging", "--page-size", "8K"}, "from 16K to 1M"},
                 {{"--paging", "--page-size", "64K:2M"}, "found 64K:2M"},
                 {{"--paging", "--page-size", "65K"}, "found 65K"},
                 {{"--paging", "--reads-ahead", "17"}, "from 1 to 16"}}) {
            CAPTURE(text);
            ended = bench_of(arguments);
            CHECK(ended.exit_code == kExitUsage);
            says(ended, text.c_str());
        }
        ended = bench_of({"--json", folder.file("no/such/folder/bench.json")});
        CHECK(ended.exit_code == kExitOutput);
        says(ended, "no/such/folder");
        ended = run_weft({"bench", folder.file("nothing.glb"), "-q"});
        CHECK(ended.exit_code == kExitScene);
        says(ended, "nothing.glb");
        ended = run_weft({"bench"});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "either a SCENE or --summary");
        ended = bench_of({"--summary", folder.file("")});
        CHECK(ended.exit_code == kExitUsage);
        ended = bench_of({"--table", folder.file("t.md")});
        CHECK(ended.exit_code == kExitUsage);
        says(ended, "--table is of a summary");
    }
}

}  // namespace weft::app::testing
