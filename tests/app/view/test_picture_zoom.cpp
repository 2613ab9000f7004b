// test_picture_zoom.cpp — the picture's place in its pane, and the pixels that are rendered of it.
#include <array>

#include <doctest/doctest.h>

#include "app/view/models/picture_zoom.h"

namespace weft::app {

TEST_SUITE("app/view/picture_zoom") {
    TEST_CASE("a fitted picture is whole and centred and keeps its aspect") {
        const PictureZoom zoom;
        const PicturePlace pane{100, 50, 800, 600};
        const PicturePlace wide = zoom.place(pane, 1600, 400);
        CHECK(wide.width == 800);
        CHECK(wide.height == 200);
        CHECK(wide.x == 100);
        CHECK(wide.y == 250);
        const PicturePlace high = zoom.place(pane, 30, 60);
        CHECK(high.width == 300);
        CHECK(high.height == 600);
        CHECK(high.x == 350);
        CHECK(zoom.is_fit());
    }

    TEST_CASE("as many pixels are rendered as the frame or its place in the pane has") {
        using Size = std::array<u32, 2>;
        const PicturePlace pane{100, 50, 800, 600};
        CHECK(rendered_size(pane, {1600, 400}, 0) == Size{1600, 400});
        CHECK(rendered_size(pane, {1600, 400}, 1) == Size{800, 200});
        CHECK(rendered_size(pane, {1600, 400}, 2) == Size{400, 100});
        CHECK(rendered_size(pane, {1600, 400}, 4) == Size{200, 50});
        CHECK(rendered_size(pane, {30, 60}, 1) == Size{300, 600});
        CHECK(rendered_size({0, 0, 1, 3}, {30, 60}, 4) == Size{1, 1});
        CHECK(rendered_size({}, {30, 60}, 4) == Size{30, 60});
    }

    TEST_CASE("the point under the mouse stays in place while the picture is enlarged") {
        PictureZoom zoom;
        const PicturePlace pane{100, 50, 800, 600};
        const auto u_at = [&](float x) {
            const PicturePlace place = zoom.place(pane, 1600, 1200);
            return (x - place.x) / place.width;
        };
        const float before = u_at(300);
        zoom.zoom_at(pane, 1600, 1200, 300, 200, 2);
        CHECK(!zoom.is_fit());
        CHECK(u_at(300) == doctest::Approx(before).epsilon(0.005));
        CHECK(zoom.place(pane, 1600, 1200).width == doctest::Approx(1600).epsilon(0.001));
        zoom.zoom_at(pane, 1600, 1200, 300, 200, 0.5F);
        CHECK(u_at(300) == doctest::Approx(before).epsilon(0.01));
        zoom.fit();
        CHECK(zoom.place(pane, 1600, 1200).width == 800);
    }

    TEST_CASE("one to one shows a window coordinate per pixel and pans with the mouse") {
        PictureZoom zoom;
        const PicturePlace pane{0, 0, 400, 300};
        zoom.set_scale(pane, 1000, 500, 1);
        const PicturePlace place = zoom.place(pane, 1000, 500);
        CHECK(place.width == 1000);
        CHECK(place.height == 500);
        CHECK(place.x == -300);
        CHECK(place.y == -100);
        zoom.pan(pane, 1000, 500, -40, 25);
        CHECK(zoom.place(pane, 1000, 500).x == -340);
        CHECK(zoom.place(pane, 1000, 500).y == -75);
        // The picture cannot be moved out of the window.
        zoom.pan(pane, 1000, 500, 1e6F, -1e6F);
        const PicturePlace corner = zoom.place(pane, 1000, 500);
        CHECK(corner.x == 200);
        CHECK(corner.y == -350);
        const PicturePlace seen = common_part(corner, pane);
        CHECK(seen.x == 200);
        CHECK(seen.width == 200);
        CHECK(seen.height == 150);
    }
}

}  // namespace weft::app
