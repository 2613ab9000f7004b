// panel_textures.h — rows of fields that name files: material pictures, environment maps.
//
// A picture has a thumbnail, a button to replace it by a file, and one to remove it. Interface
// thread, while the window's context lives.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/view/window/picture_texture.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

struct Session;
struct Ui;

class PictureRows {
public:
    PictureRows(Session& session, Ui& ui) : session_(session), ui_(ui) {}

    // Draws the row of one field, marked "panel/label". A field that names no file gets the row of
    // draw_field().
    void draw(std::string_view panel, const scene::EditField& field);

    // Sets a field to the file chosen for it since the last frame. Call once per frame, outside of
    // all panels: it also draws the chooser.
    void draw_chooser();

    // Call after the scene was read again: some thumbnails show placeholders.
    void forget_thumbnails() { thumbnails_.clear(); }

private:
    void draw_file_row(std::string_view panel, const scene::EditField& field);
    void draw_thumbnail(u32 texture);
    const PictureTexture& thumbnail_of(u32 texture);

    Session& session_;
    Ui& ui_;
    std::string chosen_field_;  // the field to set to the chosen file
    scene::TexelMeaning chosen_meaning_ = scene::TexelMeaning::Linear;  // of that field
    // By name and by the first word in the arena.
    std::map<std::pair<std::string, u32>, std::unique_ptr<PictureTexture>> thumbnails_;
};

}  // namespace weft::app
