// test_view_colours.cpp — the viewer's state with a colour config: choices are edits, and pictures
// show them.
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "app/view/panels/panels.h"
#include "app/view/session/render_link.h"
#include "engine/live/layer_colours.h"
#include "tests/app/view/one_panel.h"
#include "tests/engine/colour/sample_config.h"
#include "tests/engine/film/film_scenes.h"

using namespace weft;
using namespace weft::app;
using weft::app::testing::Screen;

namespace {

using Config = std::shared_ptr<const colour::ColourConfig>;

// Opens the screen's scene with a config.
Config open_with_config(Screen& screen, const film::TestFolder& folder) {
    const auto config = colour::ColourConfig::read(colour::write_config(folder.file("colours")));
    REQUIRE(config.is_ok());
    Document& document = screen.state.session.document;
    scene::EditContext context = document.context();
    context.colours = config.value();
    context.display = config.value()->default_display();
    context.view_transform = "dimmed";
    document.open(document.shared_scene(), context);
    return config.value();
}

void draw_view(ViewState& state) {
    draw_view_panel(state.session, state.link, state.ui);
}

}  // namespace

TEST_SUITE("app/view/colours") {
    TEST_CASE("the panel has display and look with a config, and not without") {
        const film::TestFolder folder;
        Screen screen(draw_view);
        screen.draw();
        CHECK(screen.state.ui.marks.find("View/View transform").has_value());
        CHECK(!screen.state.ui.marks.find("View/Display device").has_value());
        CHECK(!screen.state.ui.marks.find("View/Look").has_value());
        open_with_config(screen, folder);
        screen.draw();
        screen.draw();
        for (const char* const row : {"View/Display device", "View/View transform", "View/Look"}) {
            CHECK_MESSAGE(screen.state.ui.marks.find(row).has_value(), row);
        }
    }

    TEST_CASE("display, view and look are edits that pictures show and undo takes back") {
        const film::TestFolder folder;
        Screen screen(draw_view);
        const Config config = open_with_config(screen, folder);
        Document& document = screen.state.session.document;
        const auto shown = [&] { return shown_view(screen.state.link, document).config_view; };
        const auto of_config = [&](const colour::ViewChoice& choice) {
            return config->view(choice).value();
        };
        CHECK(shown() == of_config({"screen", "dimmed"}));
        REQUIRE(document.edit({"view/display", "\"projector\""}).is_ok());
        CHECK(shown() == of_config({"projector", "mirrored"}));
        REQUIRE(document.edit({"view/look", "\"dim\""}).is_ok());
        CHECK(shown() == of_config({"projector", "mirrored", "dim"}));
        CHECK(document.undo());
        CHECK(document.undo());
        CHECK(shown() == of_config({"screen", "dimmed"}));
        // One of ours.
        REQUIRE(document.edit({"view/transform", "\"filmic\""}).is_ok());
        CHECK(shown() == nullptr);
        CHECK(shown_view(screen.state.link, document).transform == film::ViewTransform::Filmic);
    }

    TEST_CASE("a view that cannot be shown is refused, and the one before stays") {
        const film::TestFolder folder;
        Screen screen(draw_view);
        const Config config = open_with_config(screen, folder);
        Document& document = screen.state.session.document;
        const auto before = shown_view(screen.state.link, document).config_view;
        const base::Status lost = document.edit({"view/transform", "\"lost\""});
        REQUIRE(!lost.is_ok());
        CHECK(lost.error().sentence.find("nowhere.cube") != std::string::npos);
        CHECK(!document.edit({"view/display", "\"wall\""}).is_ok());
        CHECK(shown_view(screen.state.link, document).config_view == before);
        CHECK(document.done().empty());
    }

    TEST_CASE("bytes of a live picture are those of the view, after the exposure") {
        const film::TestFolder folder;
        Screen screen(draw_view);
        open_with_config(screen, folder);
        Document& document = screen.state.session.document;
        REQUIRE(document.edit({"view/transform", "\"plain\""}).is_ok());
        REQUIRE(document.edit({"view/exposure", "-1"}).is_ok());
        const live::LiveView view = shown_view(screen.state.link, document);
        const std::array<float, 4> mean = {0.5F, 0.08F, 2, 1};
        std::array<u8, 4> shown{};
        live::beauty_bytes(mean.data(), view, live::display_of(view), shown.data());
        for (std::size_t c = 0; c < 3; ++c) {
            const float expected = 255 * std::sqrt(std::fmin(mean[c] / 2, 1.0F));
            CHECK(std::fabs(static_cast<float>(shown[c]) - expected) < 0.51F);
        }
        CHECK(shown[3] == 255);
        // The same through the view transform of an albedo.
        live::LiveView albedo = view;
        albedo.layer = film::Aov::Albedo;
        live::layer_bytes(albedo, live::display_of(albedo), mean.data(), 0, shown.data());
        CHECK(std::fabs(static_cast<float>(shown[0]) - 255 * std::sqrt(0.5F)) < 0.51F);
    }
}
