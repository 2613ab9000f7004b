// test_view_moving.cpp — the camera moves about visible surfaces, and not through them.
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "engine/math/affine.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {

namespace {

using Point = math::DVec3;

constexpr double kNear = 0.02;  // metres: the mouse lies on whole window pixels

// The place of the scene's own camera; it looks along −Z.
constexpr Point kFirstEye = {0, 1, 3.9};

// A point of the floor, and its place in the first picture.
constexpr const char* kOnFloor = "35% 95%";

Point floor_point() {
    const double half = std::tan(0.6719518 / 2);
    const double away = 1 / (0.9 * half);
    return {-0.3 * half * 120 / 90 * away, 0, kFirstEye[2] - away};
}

// The camera of a `weft render` command.
struct Seen {
    math::DAffine to_world{};

    [[nodiscard]] Point eye() const { return math::column(to_world, 3); }

    // The point in the camera's own axes.
    [[nodiscard]] Point of(const Point& point) const {
        const Point away = point - eye();
        return {dot(away, math::column(to_world, 0)),
                dot(away, math::column(to_world, 1)),
                dot(away, math::column(to_world, 2))};
    }
};

Seen camera_in(const Desk& desk, const std::string& name) {
    const std::string line = desk.line_of(name);
    const std::size_t from = line.find("camera={");
    REQUIRE_MESSAGE(from != std::string::npos, line);
    const std::string text = line.substr(from + 7, line.find('}', from) - from - 6);
    return {nlohmann::json::parse(text)["to_world"].get<std::array<double, 12>>()};
}

// The script commands that write the camera to a file of the desk.
std::string camera_to(const std::string& name) {
    return "wait picture\nkey ctrl+shift+C\nclipboard @" + name + "\n";
}

double distance(const Point& a, const Point& b) {
    return length(a - b);
}

}  // namespace

TEST_SUITE("app/view/moving") {
    TEST_CASE("a drag turns about the surface under the mouse and keeps its place") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string floor = kOnFloor;
        const Ended ended = desk.view("wait done\nhash @before\ndrag " + floor + " 45% 90% left\n" +
                                          camera_to("turned") +
                                          "key ctrl+Z\nwait done\nhash @back\n"
                                          // The left edge shows no surface: the pivot is that of
                                          // the centre.
                                          "drag 1% 50% 8% 50% left\n" +
                                          camera_to("aside") + "quit\n",
                                      kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Seen turned = camera_in(desk, "turned");
        const Point before = {floor_point()[0], floor_point()[1] - 1, floor_point()[2] - 3.9};
        CHECK(distance(turned.eye(), kFirstEye) > 0.2);
        CHECK(distance(turned.of(floor_point()), before) < kNear);
        CHECK(desk.line_of("back") == desk.line_of("before"));
        // The box or the wall behind it: between −1 and 0.05 along the view.
        const Seen aside = camera_in(desk, "aside");
        REQUIRE(std::abs(aside.to_world[2]) > 0.05);
        const double away = aside.eye()[0] / aside.to_world[2];
        CHECK(away > 3.85);
        CHECK(away < 4.9 + kNear);
        CHECK(distance(aside.of({0, 1, 3.9 - away}), {0, 0, -away}) < kNear);
    }

    TEST_CASE("the wheel moves towards the surface under the mouse and never through it") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string to_floor = std::string("wait done\nmouse ") + kOnFloor + "\n";
        const Ended ended =
            desk.view(to_floor + "scroll 5\n" + camera_to("nearer") + "scroll 40\n" +
                          camera_to("close") + "scroll 40\n" + camera_to("closer") + "quit\n",
                      kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const double all = distance(kFirstEye, floor_point());
        const Point nearer = camera_in(desk, "nearer").eye();
        CHECK(distance(nearer, floor_point()) ==
              doctest::Approx(all * std::pow(0.88, 5)).epsilon(0.01));
        CHECK(distance(nearer, kFirstEye) ==
              doctest::Approx(all * (1 - std::pow(0.88, 5))).epsilon(0.01));
        CHECK(camera_in(desk, "close").eye()[1] > 0);
        CHECK(camera_in(desk, "close").eye()[1] < 0.01);
        CHECK(camera_in(desk, "closer").eye()[1] > 0);
    }

    TEST_CASE("flying ahead stops before a surface") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        // At the shortest frame time this is three times the initial distance of the wall.
        const Ended ended = desk.view(
            "wait done\nmouse 70% 30%\npress right\nhold shift\nhold W\nwait frames 300\nlet W\n"
            "let shift\nrelease right\n" +
                camera_to("there") + "quit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Point eye = camera_in(desk, "there").eye();
        CHECK(eye[0] == doctest::Approx(0));
        CHECK(eye[2] > -1);
        CHECK(eye[2] < 1);
    }

    TEST_CASE("views from two sides look at the same point") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view("wait done\ndrag 60% 60% 70% 70% left\nwait done\nkey 1\n" +
                                          camera_to("front") + "key 3\n" + camera_to("right") +
                                          "wait picture\nkey 1\n" + camera_to("again") + "quit\n",
                                      kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Point front = camera_in(desk, "front").eye();
        const Point right = camera_in(desk, "right").eye();
        CHECK(right[0] > 1 + kNear);  // seen from behind the wall
        CHECK(front[2] - right[2] == doctest::Approx(right[0] - front[0]));
        CHECK(distance(camera_in(desk, "again").eye(), front) < kNear);
    }
}

}  // namespace weft::app::testing
