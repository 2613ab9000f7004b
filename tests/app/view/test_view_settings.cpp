// test_view_settings.cpp — settings survive a session, and a damaged file does not stop the viewer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "app/view/session/settings_keeper.h"
#include "app/view/session/view_settings.h"
#include "tests/rest.h"

namespace weft::app {
namespace {

namespace fs = std::filesystem;

// A temporary folder for settings, while the object lives.
struct OwnFolder {
    OwnFolder() {
        fs::remove_all(path);
        ::setenv("XDG_CONFIG_HOME", path.c_str(), 1);
    }

    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;

    ~OwnFolder() {
        ::unsetenv("XDG_CONFIG_HOME");
        fs::remove_all(path);
    }

    fs::path path = fs::path(WEFT_BINARY_DIR) / "test_view_settings";
};

}  // namespace

TEST_SUITE("app/view/view_settings") {
    TEST_CASE("written settings are read again") {
        const OwnFolder folder;
        ViewSettings settings;
        settings.window_width = 1000;
        settings.has_left = false;
        settings.right_width = 412.5F;
        settings.display = live::LiveDisplay::Wireframe;
        settings.pixel_side = 2;
        remember_scene(settings, "a.glb");
        remember_scene(settings, "b \"quoted\".glb");
        scene::Camera camera;
        camera.to_world[3] = 0.1F;
        camera.yfov_rad = 0.7F;
        std::vector<Bookmark>& bookmarks = settings.bookmarks["/b.glb"];
        bookmarks.push_back(bookmark_of(camera, bookmarks));
        bookmarks.push_back(bookmark_of(scene::Camera{}, bookmarks));
        REQUIRE(write_settings(settings).is_ok());
        const ViewSettings read = read_settings();
        CHECK(read.window_width == 1000);
        CHECK(!read.has_left);
        CHECK(read.right_width == 412.5F);
        CHECK(read.display == live::LiveDisplay::Wireframe);
        CHECK(read.pixel_side == 2);
        CHECK(read.recent == std::vector<std::string>{"b \"quoted\".glb", "a.glb"});
        REQUIRE(read.bookmarks.at("/b.glb").size() == 2);
        CHECK(read.bookmarks.at("/b.glb")[1].name == "View 2");
        const auto back = camera_of(read.bookmarks.at("/b.glb")[0], {});
        REQUIRE(back.has_value());
        CHECK(back->to_world == camera.to_world);
        CHECK(back->yfov_rad == camera.yfov_rad);
    }

    TEST_CASE("bookmarks are written when they change and viewers side by side keep theirs") {
        const OwnFolder folder;
        const auto names = [](const ViewSettings& settings) {
            std::vector<std::string> all;
            for (const Bookmark& bookmark : settings.bookmarks.at("/b.glb")) {
                all.push_back(bookmark.name);
            }
            return all;
        };
        const auto add = [](ViewSettings& settings, float x) {
            scene::Camera camera;
            camera.to_world[3] = x;
            std::vector<Bookmark>& bookmarks = settings.bookmarks["/b.glb"];
            bookmarks.push_back(bookmark_of(camera, bookmarks));
        };
        SettingsKeeper one;
        SettingsKeeper other;
        ViewSettings ours = one.begin();
        ViewSettings theirs = other.begin();
        add(ours, 1);
        REQUIRE(one.keep(ours).is_ok());
        while (!fs::exists(folder.path / "weft" / "view.json")) {
            tests::rest();
        }
        CHECK(names(read_settings()) == std::vector<std::string>{"View 1"});
        remember_scene(theirs, "theirs.glb");
        add(theirs, 2);  // also called "View 1"
        REQUIRE(other.end(theirs).is_ok());
        CHECK(names(read_settings()) == std::vector<std::string>{"View 1", "View 2"});
        remember_scene(ours, "ours.glb");
        add(ours, 3);
        REQUIRE(one.end(ours).is_ok());
        const ViewSettings both = read_settings();
        CHECK(both.recent == std::vector<std::string>{"ours.glb", "theirs.glb"});
        REQUIRE(both.bookmarks.at("/b.glb").size() == 3);
        std::vector<float> places;
        for (const Bookmark& bookmark : both.bookmarks.at("/b.glb")) {
            places.push_back(camera_of(bookmark, {})->to_world[3]);
        }
        std::sort(places.begin(), places.end());
        CHECK(places == std::vector<float>{1, 2, 3});
        // A removed bookmark stays removed, whichever viewer added it.
        SettingsKeeper next;
        ViewSettings fewer = next.begin();
        fewer.bookmarks["/b.glb"].erase(fewer.bookmarks["/b.glb"].begin());
        REQUIRE(next.end(fewer).is_ok());
        CHECK(names(read_settings()).size() == 2);
    }

    TEST_CASE("a scene opened again moves to the top and the list stays short") {
        ViewSettings settings;
        for (u32 k = 0; k < 30; ++k) {
            remember_scene(settings, std::to_string(k % 20));
        }
        CHECK(settings.recent.size() == kMostRecent);
        remember_scene(settings, "5");
        CHECK(settings.recent.front() == "5");
        CHECK(std::count(settings.recent.begin(), settings.recent.end(), "5") == 1);
    }

    TEST_CASE("damaged settings give the defaults") {
        const OwnFolder folder;
        fs::create_directories(folder.path / "weft");
        for (const char* const text : {"{",
                                       "[]",
                                       "{\"window_width\": \"x\", \"recent\": 3}",
                                       "{\"bookmarks\": {\"a\": 3, \"b\": [{\"name\": 1}, 2]}}",
                                       "{\"window_width\": -5, \"left_width\": 1e30}"}) {
            std::ofstream(folder.path / "weft" / "view.json") << text;
            const ViewSettings read = read_settings();
            CHECK(read.window_width == ViewSettings{}.window_width);
            CHECK(read.left_width == ViewSettings{}.left_width);
            CHECK(read.recent.empty());
            CHECK(read.bookmarks.empty());
        }
        CHECK(!camera_of({"View 1", "{\"yfov_deg\": \"wide\"}"}, {}));
    }

    TEST_CASE("settings that are not JSON are set aside with a message") {
        const OwnFolder folder;
        fs::create_directories(folder.path / "weft");
        const std::string file = (folder.path / "weft" / "view.json").string();
        std::ofstream(file) << std::string(100000, '[');
        SettingsKeeper keeper;
        CHECK(keeper.begin().recent.empty());
        CHECK(keeper.fault().find(file + ".old") != std::string::npos);
        CHECK(!fs::exists(file));
        SettingsKeeper next;
        next.begin();
        CHECK(next.fault().empty());
    }

    TEST_CASE("chosen pictures are remembered by their whole paths") {
        const OwnFolder folder;
        ViewSettings settings;
        remember_picture(settings, (folder.path / "a" / ".." / "sky.hdr").string());
        remember_picture(settings, (folder.path / "wood.png").string());
        remember_picture(settings, (folder.path / "sky.hdr").string());
        const fs::path whole = fs::weakly_canonical(folder.path);
        const std::vector<std::string> expected = {(whole / "sky.hdr").string(),
                                                   (whole / "wood.png").string()};
        CHECK(settings.pictures == expected);
        REQUIRE(write_settings(settings).is_ok());
        CHECK(read_settings().pictures == expected);
        CHECK(merged_settings({}, {}, settings).pictures == expected);
    }

    TEST_CASE("settings that cannot be written give an error") {
        ::setenv("XDG_CONFIG_HOME", "/dev/null", 1);
        const base::Status written = write_settings({});
        ::unsetenv("XDG_CONFIG_HOME");
        REQUIRE(!written.is_ok());
        CHECK(written.error().sentence.find("/dev/null") != std::string::npos);
    }
}

}  // namespace weft::app
