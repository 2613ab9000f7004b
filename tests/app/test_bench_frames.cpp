// test_bench_frames.cpp — runs `weft bench --paging`, `--bus` and `--noise` as processes: rows of
// frames, their hashes, bytes and errors.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/bench_files.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

// One round of frames on one thread, compared in one of the ways that show no rays.
Ended run_frames(const std::string& scene,
                 const std::string& way,
                 const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "bench", scene, way, "-t", "1", "-q", "--image-repeats", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_weft(arguments);
}

}  // namespace

TEST_SUITE("app/bench_frames") {
    TEST_CASE("F8 F12 frames of trees in pages have one hash and keyed ones read fewer bytes") {
        const TestFolder folder;
        const Ended ended = run_frames("procedural:rubble:100K",
                                       "--paging",
                                       {"--page-size",
                                        "256K",
                                        "--width",
                                        "64",
                                        "--height",
                                        "36",
                                        "--spp",
                                        "2",
                                        "--cache-dir",
                                        folder.file("pages"),
                                        "--json",
                                        folder.file("bench.json"),
                                        "--chart",
                                        folder.file("bench.svg")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        CHECK(ended.out.find("times the bytes") != std::string::npos);
        CHECK(xml_fault(film::bytes_of(folder.file("bench.svg"))).empty());
        const json rows = json_of(folder.file("bench.json")).at("paging");
        REQUIRE(rows.size() == 6);
        std::set<std::string> hashes;
        double keyed_bytes = 0;
        double unkeyed_bytes = 0;
        for (const json& row : rows) {
            hashes.insert(row.at("film_hash").get<std::string>());
            const json& spread = row.at("bytes_read");
            const double bytes = spread.at("median").get<double>();
            CHECK(spread.at("min").get<double>() <= bytes);
            CHECK(spread.at("max").get<double>() >= bytes);
            CHECK((bytes > 0) == (row.at("divisor").get<u32>() > 0));
            (row.at("scheduler") == "keyed" ? keyed_bytes : unkeyed_bytes) += bytes;
        }
        CHECK(hashes.size() == 1);
        CHECK(4 * keyed_bytes < unkeyed_bytes);
    }

    TEST_CASE("F12 pages of several sizes and the control's reads ahead have rows and one hash") {
        const TestFolder folder;
        const Ended ended = run_frames("procedural:rubble:100K",
                                       "--paging",
                                       {"--width",
                                        "48",
                                        "--height",
                                        "27",
                                        "--spp",
                                        "1",
                                        "--page-size",
                                        "64K,64K:128K,1M",
                                        "--reads-ahead",
                                        "1,8",
                                        "--cache-dir",
                                        folder.file("pages"),
                                        "--json",
                                        folder.file("bench.json")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        CHECK(ended.out.find("1/4, pages of 64K:128K: unkeyed reads") != std::string::npos);
        CHECK(ended.out.find("1/4, each at its best: unkeyed reads") != std::string::npos);
        // 1 MiB for each of three pages of four readers is all that there is.
        CHECK(ended.out.find("1/16, pages of 1M") == std::string::npos);
        CHECK(ended.out.find("(the least budget that works)") != std::string::npos);
        const json rows = json_of(folder.file("bench.json")).at("paging");
        REQUIRE(rows.size() == 2 + 2 * 3 * 3);
        std::set<std::string> hashes;
        std::set<std::string> ways;
        std::map<u64, u64> reads_of_size;
        for (const json& row : rows) {
            hashes.insert(row.at("film_hash").get<std::string>());
            ways.insert(row.at("scheduler").get<std::string>() + " " +
                        std::to_string(row.at("reads_ahead").get<u32>()));
            if (row.at("divisor") == 4 && row.at("scheduler") == "keyed") {
                reads_of_size[row.at("tree_page_bytes").get<u64>() +
                              row.at("record_page_bytes").get<u64>()] = row.at("reads").get<u64>();
            }
        }
        CHECK(hashes.size() == 1);
        CHECK(ways == std::set<std::string>{"keyed 0", "unkeyed 0", "unkeyed 1", "unkeyed 8"});
        REQUIRE(reads_of_size.size() == 3);
        // Larger pages are fewer.
        CHECK(reads_of_size.begin()->second > reads_of_size.rbegin()->second);
        // Keyed frames alone are a third of these rows, and one in memory.
        const Ended keyed = run_frames("procedural:rubble:100K",
                                       "--paging",
                                       {"--no-control",
                                        "--width",
                                        "48",
                                        "--height",
                                        "27",
                                        "--spp",
                                        "1",
                                        "--page-size",
                                        "64K",
                                        "--cache-dir",
                                        folder.file("pages"),
                                        "--json",
                                        folder.file("keyed.json")});
        REQUIRE(keyed.exit_code == kExitDone);
        CHECK(keyed.out.find("1/16, pages of 64K: keyed takes") != std::string::npos);
        CHECK(keyed.out.find("unkeyed") == std::string::npos);
        CHECK(json_of(folder.file("keyed.json")).at("paging").size() == 3);
        // A budget of one's own; the least one that works is named.
        const auto with_budget = [&](const std::string& budget) {
            return run_frames("procedural:rubble:100K",
                              "--paging",
                              {"--geometry-memory",
                               budget,
                               "--width",
                               "48",
                               "--height",
                               "27",
                               "--spp",
                               "1",
                               "--page-size",
                               "64K",
                               "--cache-dir",
                               folder.file("pages"),
                               "--json",
                               folder.file("own.json")});
        };
        const Ended own = with_budget("6M");
        INFO(own.err);
        REQUIRE(own.exit_code == kExitDone);
        CHECK(own.out.find("6M, pages of 64K: unkeyed reads") != std::string::npos);
        const json own_rows = json_of(folder.file("own.json")).at("paging");
        CHECK(own_rows.size() == 4);
        CHECK(own_rows[2].at("budget_bytes").get<u64>() < u64{6} << 20);
        CHECK(own_rows[2].at("film_hash") == rows[0].at("film_hash"));
        const Ended little = with_budget("100K");
        CHECK(little.exit_code == kExitUsage);
        CHECK(little.err.find("expected at least") != std::string::npos);
        // One file for each pair of sizes.
        std::size_t files = 0;
        for ([[maybe_unused]] const auto& file :
             std::filesystem::directory_iterator(folder.file("pages"))) {
            ++files;
        }
        CHECK(files == 3);
    }

    TEST_CASE("pictures of few samples have rows with their errors beside one of many") {
        const TestFolder folder;
        const Ended ended = run_frames("many_lights",
                                       "--noise",
                                       {"--noise-samples",
                                        "4,16",
                                        "--noise-thresholds",
                                        "0.3",
                                        "--reference-samples",
                                        "256",
                                        "--width",
                                        "64",
                                        "--height",
                                        "36",
                                        "--json",
                                        folder.file("bench.json"),
                                        "--chart",
                                        folder.file("bench.svg")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        CHECK(ended.out.find("16, denoised (quality): FLIP ") != std::string::npos);
        CHECK(ended.out.find("16, lights by power: ") != std::string::npos);
        CHECK(ended.out.find("up to 64, until 0.3: uniform samples take ") != std::string::npos);
        CHECK(xml_fault(film::bytes_of(folder.file("bench.svg"))).empty());
        const json rows = json_of(folder.file("bench.json")).at("noise");
        REQUIRE(rows.size() == 2 * 4 + 1);
        std::map<std::string, double> errors;
        std::map<std::string, std::string> hashes;
        for (const json& row : rows) {
            const std::string name = std::to_string(row.at("samples").get<u32>()) + " " +
                                     row.at("denoised").get<std::string>() + " " +
                                     row.at("light_choice").get<std::string>();
            errors[name] = row.at("relmse").get<double>();
            hashes[name] = row.at("film_hash").get<std::string>();
            CHECK(row.at("flip").get<double>() > 0);
            CHECK(row.at("worst_block").get<double>() * row.at("worst_block").get<double>() >
                  row.at("relmse").get<double>());
            CHECK(row.at("mean_samples").get<double>() <= row.at("samples").get<double>());
        }
        CHECK(errors.at("16 none tree") < errors.at("4 none tree"));
        CHECK(errors.at("16 quality tree") < errors.at("16 none tree"));
        CHECK(errors.at("16 none tree") < errors.at("16 none power"));
        // Denoising leaves the film as it is.
        CHECK(hashes.at("16 quality tree") == hashes.at("16 none tree"));
        CHECK(hashes.at("16 fast tree") == hashes.at("16 none tree"));
        CHECK(hashes.at("16 none power") != hashes.at("16 none tree"));
        CHECK(run_weft({"bench", "cornell", "--bus", "--noise"}).exit_code == kExitUsage);
        CHECK(run_weft({"bench", "cornell", "--noise-samples", "4"}).exit_code == kExitUsage);
    }

    TEST_CASE("F12 F16 frames of the emulated GPU have one hash and keyed ones copy fewer bytes") {
        const TestFolder folder;
        const Ended ended = run_frames("procedural:rubble:100K",
                                       "--bus",
                                       {"--width",
                                        "96",
                                        "--height",
                                        "54",
                                        "--spp",
                                        "4",
                                        "--json",
                                        folder.file("bench.json"),
                                        "--chart",
                                        folder.file("bench.svg")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        CHECK(ended.out.find("times the bytes") != std::string::npos);
        CHECK(xml_fault(film::bytes_of(folder.file("bench.svg"))).empty());
        const json rows = json_of(folder.file("bench.json")).at("bus");
        REQUIRE(rows.size() == 8);
        std::set<std::string> hashes;
        for (std::size_t k = 0; k < rows.size(); k += 2) {
            const json& keyed = rows[k];
            const json& unkeyed = rows[k + 1];
            hashes.insert(keyed.at("film_hash").get<std::string>());
            hashes.insert(unkeyed.at("film_hash").get<std::string>());
            CHECK(keyed.at("scheduler") == "keyed");
            CHECK(unkeyed.at("scheduler") == "unkeyed");
            CHECK(keyed.at("treelet_bytes") == unkeyed.at("treelet_bytes"));
            CHECK(keyed.at("bytes").get<u64>() > 0);
            CHECK(keyed.at("bytes").get<u64>() < unkeyed.at("bytes").get<u64>());
            CHECK(keyed.at("modelled_ms").get<double>() < unkeyed.at("modelled_ms").get<double>());
            CHECK(keyed.at("texel_bytes") == 0);
        }
        CHECK(hashes.size() == 1);
        CHECK(run_weft({"bench", "cornell", "--bus", "--paging"}).exit_code == kExitUsage);
    }

    TEST_CASE("F16 bytes of texels are a part of those over the bus and the table shows them") {
        const TestFolder folder;
        const Ended ended = run_frames(
            "alpha_cutout",
            "--bus",
            {"--width", "64", "--height", "36", "--spp", "2", "--json", folder.file("bench.json")});
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitDone);
        CHECK(ended.out.find("of texels") != std::string::npos);
        const json rows = json_of(folder.file("bench.json")).at("bus");
        REQUIRE(rows.size() == 8);
        std::set<std::string> hashes;
        for (const json& row : rows) {
            hashes.insert(row.at("film_hash").get<std::string>());
            CHECK(row.at("texel_bytes").get<u64>() > 0);
            CHECK(row.at("texel_bytes").get<u64>() < row.at("bytes").get<u64>());
            CHECK(row.at("texel_bytes").get<u64>() == 64 * row.at("texel_transfers").get<u64>());
            CHECK(row.at("texel_transfers").get<u64>() < row.at("transfers").get<u64>());
            CHECK(row.at("texel_bytes_per_ray").get<double>() > 0);
        }
        CHECK(hashes.size() == 1);
    }
}

}  // namespace weft::app::testing
