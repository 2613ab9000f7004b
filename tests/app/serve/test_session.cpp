// test_session.cpp — one client's session: pictures of its scene, errors, and a client that dies.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "engine/film/display.h"
#include "engine/frame/renderer.h"
#include "engine/scene/import.h"
#include "scheduler/base/memory_limit.h"
#include "tests/app/serve/host.h"
#include "tests/engine/film/film_scenes.h"

namespace {

using namespace weft;
using app::serve::framed;
using app::serve::testing::CopiedPicture;
using app::serve::testing::Host;
using app::serve::testing::Json;
using app::serve::testing::kCornell;

Json settings(u32 width, u32 height, u32 samples, const std::string& pixels = "linear") {
    return {{"do", "settings"},
            {"options",
             {"--width",
              std::to_string(width),
              "--height",
              std::to_string(height),
              "--spp",
              std::to_string(samples)}},
            {"pixels", pixels}};
}

Json edit(const std::string& path, const Json& value) {
    return {{"do", "edit"}, {"edits", {{{"path", path}, {"value", value}}}}};
}

void say_hello(Host& host) {
    host.do_well({{"do", "hello"}, {"version", 1}});
}

// Loads the Cornell box with these settings; the job that shows it.
u64 open_cornell(Host& host, const Json& with) {
    say_hello(host);
    host.do_well(with);
    return host.do_well({{"do", "load"}, {"scenes", {kCornell}}}).at("job");
}

// Descriptors that this process has open.
std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

// The film of `weft render` for the Cornell box; the camera's field of view in degrees, 0: its own.
std::vector<float> rendered_means(u32 width, u32 height, u32 samples, double yfov_deg) {
    auto read = scene::import_scene({kCornell}, {});
    REQUIRE(read.is_ok());
    scene::complete_scene(read.value());
    scene::EditContext context;
    context.camera = read.value().cameras.front();
    if (yfov_deg > 0) {
        REQUIRE(
            scene::apply_edit(read.value(), context, {"camera/yfov_deg", std::to_string(yfov_deg)})
                .is_ok());
    }
    frame::RenderSettings rendered;
    rendered.width = width;
    rendered.height = height;
    rendered.samples_per_pixel = samples;
    rendered.thread_count = 2;
    auto renderer = frame::Renderer::prepare(read.value(), context.camera, rendered, {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    std::vector<float> means;
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            const auto mean = renderer.value()->film().pixel(x, y);
            means.insert(means.end(), mean.begin(), mean.end());
        }
    }
    return means;
}

}  // namespace

TEST_SUITE("app/serve/session") {
    TEST_CASE("the linear picture has the bits of a render with the same settings") {
        Host host;
        const u64 job = open_cornell(host, settings(48, 32, 4));
        const CopiedPicture picture = host.await_picture(job, 4);
        CHECK(picture.header.width == 48);
        CHECK(picture.header.full_height == 32);
        CHECK(picture.header.flags == 0);
        CHECK(picture.floats == rendered_means(48, 32, 4, 0));
        // So has the one after an edit of the camera.
        const u64 edited = host.do_well(edit("camera/yfov_deg", 20)).at("job");
        CHECK(edited > job);
        CHECK(host.await_picture(edited, 4).floats == rendered_means(48, 32, 4, 20));
    }

    TEST_CASE("display values are those of a file of 8 bits") {
        Host host;
        const u64 job = open_cornell(host, settings(32, 24, 2, "display"));
        const CopiedPicture picture = host.await_picture(job, 2);
        const std::vector<float> means = rendered_means(32, 24, 2, 0);
        REQUIRE(picture.bytes.size() == means.size());
        u32 differing = 0;
        for (std::size_t pixel = 0; pixel < picture.bytes.size(); pixel += 4) {
            std::array<u8, 4> expected{};
            film::display_pixel(
                {means[pixel], means[pixel + 1], means[pixel + 2], means[pixel + 3]},
                {film::ViewTransform::Standard, 1, true},
                expected.data());
            differing +=
                std::equal(expected.begin(), expected.end(), &picture.bytes[pixel]) ? 0U : 1U;
        }
        CHECK(differing == 0);
    }

    TEST_CASE("a denoised picture says so and a larger one gets another memory") {
        Host host;
        Json wanted = settings(32, 24, 2);
        wanted["denoise"] = true;
        const u64 job = open_cornell(host, wanted);
        const CopiedPicture clean = host.await_picture(job, 2);
        CHECK(clean.header.flags == app::serve::kDenoisedFlag);
        CHECK(clean.floats != rendered_means(32, 24, 2, 0));
        CHECK(host.memories() == 1);
        const u64 larger = host.do_well(settings(64, 48, 2)).at("job");
        CHECK(host.await_picture(larger, 2).floats == rendered_means(64, 48, 2, 0));
        CHECK(host.memories() == 2);
        // A little smaller: the memory stays. Another kind of pixels: it does not.
        const u64 smaller = host.do_well(settings(48, 48, 2)).at("job");
        CHECK(host.await_picture(smaller, 2).header.width == 48);
        CHECK(host.memories() == 2);
        const u64 bytes = host.do_well(settings(48, 48, 2, "display")).at("job");
        CHECK(host.await_picture(bytes, 2).bytes.size() == 4 * 48 * 48);
        CHECK(host.memories() == 3);
    }

    TEST_CASE("a picture beyond the memory limit fails in a sentence and the next one renders") {
        Host host;
        // The memory of the first picture is above the least that the limit counts.
        const u64 job = open_cornell(host, settings(320, 200, 1));
        host.await_picture(job, 1);
        base::set_memory_limit(base::resident_bytes() + (u64{256} << 20));
        host.do_well(settings(16384, 16384, 1));
        Json status;
        do {
            status = host.do_well({{"do", "status"}});
        } while (status.at("state") == "preparing");
        REQUIRE(status.at("state") == "failed");
        const std::string error = status.at("fault");
        CHECK(error.find("that --memory-limit allows") != std::string::npos);
        const u64 smaller = host.do_well(settings(48, 32, 1)).at("job");
        CHECK(host.await_picture(smaller, 1).floats == rendered_means(48, 32, 1, 0));
        base::set_memory_limit(0);
    }

    TEST_CASE("a scene that is loaded again keeps its tree") {
        Host host;
        const u64 job = open_cornell(host, settings(32, 24, 1));
        host.await_picture(job, 1);
        const u64 before = host.do_well({{"do", "status"}}).at("kept_trees");
        const Json again = host.do_well({{"do", "load"},
                                         {"scenes", {kCornell}},
                                         {"options", {"--environment-color", "1,1,1"}}});
        host.await_picture(again.at("job"), 1);
        CHECK(host.do_well({{"do", "status"}}).at("kept_trees") == before + 1);
    }

    TEST_CASE("wrong messages are refused in sentences and change nothing") {
        Host host;
        CHECK(host.refusal_of({{"do", "status"}}) == "expected hello before any other message");
        CHECK(host.refusal_of({{"do", "hello"}, {"version", 2}}) ==
              "version 2: expected version 1");
        say_hello(host);
        CHECK(host.refusal_of(edit("camera/yfov_deg", 20)).find("no scene is loaded") !=
              std::string::npos);
        CHECK(host.refusal_of({{"do", "load"}, {"scenes", {"/no/such.gltf"}}})
                  .find("/no/such.gltf: ") == 0);
        CHECK(host.do_well({{"do", "status"}}).at("state") == "idle");
        host.do_well(settings(32, 24, 2));
        const u64 job = host.do_well({{"do", "load"}, {"scenes", {kCornell}}}).at("job");
        CHECK(host.refusal_of(settings(32, 24, 0)).find("--spp") == 0);
        // Options of other commands, and those of the other message.
        Json wrong = settings(32, 24, 2);
        wrong["options"].push_back("--aov=depth");
        const std::string other = host.refusal_of(wrong);
        CHECK(other.find("--aov=depth: unknown option; expected one of ") == 0);
        CHECK(other.find("--noise-threshold") != std::string::npos);
        CHECK(other.find("--environment") == std::string::npos);
        CHECK(other.find("--help") == std::string::npos);
        // Of two edits the second is wrong: neither is made.
        const std::string refusal =
            host.refusal_of({{"do", "edit"},
                             {"edits",
                              {{{"path", "camera/yfov_deg"}, {"value", 20}},
                               {{"path", "materials/none/roughness"}, {"value", 1}}}}});
        CHECK(refusal.find("materials/none") == 0);
        CHECK(host.refusal_of(edit("view/clip_cap", true)).find("view/clip_cap") == 0);
        CHECK(host.await_picture(job, 2).floats == rendered_means(32, 24, 2, 0));
        // Text that is no JSON, then one that is.
        host.put(std::string_view(framed("no JSON")));
        CHECK(host.next().at("ok") == false);
        CHECK(host.do_well({{"do", "status"}, {"id", 9}}).at("id") == 9);
    }

    TEST_CASE("a sentence on a very long name fits into a message") {
        Host host;
        say_hello(host);
        const std::string name = "/" + std::string(900000, 'x') + ".gltf";
        CHECK(host.refusal_of({{"do", "load"}, {"scenes", {name}}}).size() < 2010);
        CHECK(host.refusal_of({{"do", name}}).size() < 400);
    }

    TEST_CASE("a length of 4 GB ends the connection with a sentence") {
        Host host;
        say_hello(host);
        host.put(std::string_view("\xff\xff\xff\xff{}", 6));
        const Json reply = host.next();
        CHECK(reply.at("error") == "a message of 4294967295 bytes; expected 1 to 1048576");
        CHECK(host.session().is_over());
        CHECK(!host.session().is_quitting());
        CHECK(host.channel().fault().find("the client sent a message of") == 0);
    }

    TEST_CASE("a client that dies in the middle of a message ends its session") {
        for (const std::size_t bytes : {std::size_t{2}, std::size_t{9}}) {
            Host host;
            open_cornell(host, settings(32, 24, 1));
            host.put(std::string_view(framed(Json{{"do", "quit"}}.dump())).substr(0, bytes));
            host.hang_up();
            while (!host.session().is_over()) {
                host.session().turn();
            }
            CHECK(!host.session().is_quitting());
            CHECK(host.channel().fault() == "the client went in the middle of a message");
        }
    }

    TEST_CASE("a client that dies while its scene is read ends its session") {
        Host host;
        say_hello(host);
        host.put(Json{{"do", "load"}, {"scenes", {kCornell}}, {"id", 1}});
        host.hang_up();
        while (!host.session().is_over()) {
            host.session().turn();
        }
        CHECK(!host.session().is_quitting());
        CHECK(host.channel().fault() == "the client does not take what it is sent");
    }

    TEST_CASE("descriptors that a client sends are dropped") {
        Host host;
        say_hello(host);
        const std::size_t before = open_files();
        for (u32 k = 0; k < 8; ++k) {
            host.put_with_file(framed(R"({"do": "status"})"));
            CHECK(host.next().at("ok") == true);
        }
        CHECK(open_files() == before);
    }

    TEST_CASE("a client that goes between two messages ends its session without a fault") {
        Host host;
        say_hello(host);
        host.hang_up();
        while (!host.session().is_over()) {
            host.session().turn();
        }
        CHECK(host.channel().fault().empty());
    }

    TEST_CASE("a paused picture goes on where it was") {
        Host host;
        open_cornell(host, settings(32, 24, 1));
        host.do_well({{"do", "pause"}, {"paused", true}});
        host.do_well({{"do", "pause"}, {"paused", false}});
        const u64 more = host.do_well(settings(32, 24, 3)).at("job");
        CHECK(host.await_picture(more, 3).floats == rendered_means(32, 24, 3, 0));
    }

    TEST_CASE("quit ends the session after its reply") {
        Host host;
        say_hello(host);
        CHECK(host.do_well({{"do", "quit"}, {"id", 3}}).at("id") == 3);
        CHECK(host.session().is_quitting());
    }
}
