// welcome.h — the content of the empty window: how to open a scene, recent scenes, and examples.
//
// Interface thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft::app {

struct PicturePlace;
struct RenderLink;
struct Session;
struct Ui;

class WelcomeWindow {
public:
    // Draws it in the middle of this part of the window, while no scene is open or loading.
    void draw(Session& session, const RenderLink& link, Ui& ui, const PicturePlace& place);

private:
    std::optional<std::vector<std::string>> examples_;  // set when it is first drawn
};

}  // namespace weft::app
