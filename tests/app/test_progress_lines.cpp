// test_progress_lines.cpp — the lines and figures that other programs read: progress as JSON, the
// messages of Open Job Description, and --stats. Each field is on the page that documents them.
#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/small_render.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

bool begins(const std::string& line, const std::string& text) {
    return line.rfind(text, 0) == 0;
}

struct OpenJdLines {
    std::vector<double> percents;
    std::vector<std::string> states;
    std::vector<std::string> failures;
};

// Fails on a line of stdout that is no message of Open Job Description.
OpenJdLines openjd_lines(const Ended& ended) {
    OpenJdLines found;
    for (const std::string& line : lines_of(ended.out)) {
        CAPTURE(line);
        const std::size_t end = line.find(": ");
        REQUIRE(end != std::string::npos);
        const std::string name = line.substr(0, end);
        const std::string value = line.substr(end + 2);
        if (name == "openjd_progress") {
            std::size_t used = 0;
            found.percents.push_back(std::stod(value, &used));
            CHECK(used == value.size());
        } else if (name == "openjd_status") {
            found.states.push_back(value);
        } else {
            REQUIRE(name == "openjd_fail");
            found.failures.push_back(value);
        }
    }
    return found;
}

// The names of all fields of objects in `value`.
void collect(const json& value, std::set<std::string>& names) {
    for (auto item = value.begin(); item != value.end(); ++item) {
        if (value.is_object()) {
            names.insert(item.key());
        }
        if (item->is_structured()) {
            collect(*item, names);
        }
    }
}

void check_documented(const std::set<std::string>& names) {
    const std::string page = film::bytes_of(WEFT_SOURCE_DIR "/app/figures.md");
    for (const std::string& name : names) {
        CAPTURE(name);
        CHECK(page.find('`' + name + '`') != std::string::npos);
    }
}

}  // namespace

TEST_SUITE("app/progress_lines") {
    TEST_CASE("each JSON line states its schema and every field of it is documented") {
        const TestFolder folder;
        const Ended ended = check_ends(
            small_render(folder.file("a.exr"),
                         {"--progress", "json", "--spp", "2000", "-t", "1", "--time-limit", "2"}),
            kExitDone);
        std::set<std::string> names;
        u64 before = 0;
        bool has_estimate = false;
        const std::vector<std::string> lines = lines_of(ended.err);
        for (const std::string& line : lines) {
            CAPTURE(line);
            const json object = json::parse(line);
            CHECK(object.at("schema") == 1);
            collect(object, names);
            if (object.contains("to_go_s")) {
                CHECK(object.at("total") == 40 * 40 * 2000);
                CHECK(object.at("found") == 0);
                CHECK(object.at("samples") >= before);
                before = object.at("samples");
                has_estimate = has_estimate || object.at("to_go_s").is_number();
            }
        }
        const json end = json::parse(lines.back());
        CHECK(end.at("end") == (end.at("samples") < end.at("total") ? "time limit" : "done"));
        CHECK((has_estimate || end.at("elapsed_s") < 1));
        for (const char* name :
             {"samples", "elapsed_s", "samples_per_second", "level", "message"}) {
            CHECK(names.contains(name));
        }
        check_documented(names);
    }

    TEST_CASE("after a resume the JSON lines name the found samples") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        check_ends(small_render(picture, {"--resume"}), kExitDone);
        WeftProcess process(
            small_render(picture, {"--resume", "--spp", "1000000", "--progress", "json"}));
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGTERM);
        const Ended ended = process.wait();
        CHECK(ended.exit_code == kExitSignal);
        bool was_found = false;
        for (const std::string& line : lines_of(ended.err)) {
            const json object = json::parse(line);
            if (object.contains("found")) {
                was_found = true;
                CHECK(object.at("found") == 40 * 40 * 12);
                CHECK(object.at("samples") >= object.at("found"));
            }
        }
        CHECK(was_found);
    }

    TEST_CASE("every figure of --stats is documented and the schema is stated") {
        const TestFolder folder;
        const std::string file = folder.file("a.json");
        check_ends(small_render(folder.file("a.exr"), {"--stats", file, "--heat"}), kExitDone);
        const json stats = json::parse(film::bytes_of(file));
        CHECK(stats.at("schema") == 1);
        std::set<std::string> names;
        collect(stats, names);
        CHECK(names.size() > 100);
        check_documented(names);
    }

    TEST_CASE("openjd progress rises to 100 and stdout holds nothing else") {
        const TestFolder folder;
        const Ended ended =
            check_ends(small_render(folder.file("a.exr"), {"--progress", "openjd", "--spp", "200"}),
                       kExitDone);
        const OpenJdLines lines = openjd_lines(ended);
        REQUIRE(lines.percents.size() >= 2);
        for (std::size_t i = 0; i < lines.percents.size(); ++i) {
            CHECK(lines.percents[i] >= (i == 0 ? 0 : lines.percents[i - 1]));
        }
        CHECK(lines.percents.back() == 100);
        REQUIRE(!lines.states.empty());
        CHECK(lines.states.back() == "320000 of 320000 samples, done");
        CHECK(lines.failures.empty());
        CHECK(says(ended, "weft: "));  // messages stay on stderr
    }

    TEST_CASE("openjd progress of several frames rises once") {
        const TestFolder folder;
        const OpenJdLines lines = openjd_lines(
            check_ends(small_render(folder.file("a.#.exr"),
                                    {"--progress", "openjd", "--spp", "200", "--frames", "1..4"}),
                       kExitDone));
        // Each line but the last is of a frame, which has a quarter of the percents.
        REQUIRE(lines.percents.size() == lines.states.size());
        REQUIRE(lines.percents.size() >= 5);
        CHECK(std::is_sorted(lines.percents.begin(), lines.percents.end()));
        CHECK(lines.percents.back() == 100);
        std::set<u32> frames;
        for (std::size_t i = 0; i + 1 < lines.states.size(); ++i) {
            CAPTURE(lines.states[i]);
            REQUIRE(begins(lines.states[i], "frame "));
            const auto frame = static_cast<u32>(std::stoul(lines.states[i].substr(6)));
            CHECK(begins(lines.states[i], "frame " + std::to_string(frame) + " of 4: "));
            CHECK(lines.percents[i] >= (frame - 1) * 25);
            CHECK(lines.percents[i] <= frame * 25);
            frames.insert(frame);
        }
        CHECK(frames == std::set<u32>{1, 2, 3, 4});
    }

    TEST_CASE("openjd fails with the sentence of the error on one line") {
        const TestFolder folder;
        const Ended missing = run_weft({"render",
                                        folder.file("no\nscene.gltf"),
                                        "-o",
                                        folder.file("a.exr"),
                                        "--progress=openjd"});
        CHECK(missing.exit_code == kExitScene);
        const OpenJdLines lines = openjd_lines(missing);
        REQUIRE(lines.failures.size() == 1);
        CHECK(begins(lines.failures[0], folder.file("")));
        CHECK(says(missing, "weft: " + lines.failures[0]));
        CHECK(lines.percents.empty());
    }

    TEST_CASE("openjd fails where a signal ends the render") {
        const TestFolder folder;
        WeftProcess process(small_render(folder.file("a.exr"),
                                         {"--spp",
                                          "1000000",
                                          "--checkpoint",
                                          "--checkpoint-interval",
                                          "0.05",
                                          "-v",
                                          "--progress",
                                          "openjd"}));
        // The first checkpoint shows that there are samples to save.
        CHECK(process.wait_until([](const std::string& text) {
            return text.find("checkpoint: rendering waited") != std::string::npos;
        }));
        process.send(SIGTERM);
        const Ended ended = process.wait();
        CHECK(ended.exit_code == kExitSignal);
        const OpenJdLines lines = openjd_lines(ended);
        REQUIRE(lines.failures.size() == 1);
        CHECK(lines.failures[0] == "ended by a signal");
    }

    TEST_CASE("openjd and a picture on stdout exclude each other") {
        const Ended ended =
            check_ends({"render", "cornell", "-o", "-.exr", "--progress", "openjd"}, kExitUsage);
        CHECK(says(ended, "--progress openjd writes to the standard output, too"));
    }
}

}  // namespace weft::app::testing
