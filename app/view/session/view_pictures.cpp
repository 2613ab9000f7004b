#include "app/view/session/view_pictures.h"

#include <algorithm>
#include <utility>

#include "app/view/session/send_edit.h"
#include "engine/scene/files/json_text.h"

namespace weft::app {

namespace {

// A step of its own.
bool set_file(ViewState& state, const std::string& field, const std::string& file) {
    state.panels.dragged.clear();
    const bool is_set = send_edit(state, field, scene::json_to_text(file));
    state.panels.dragged.clear();
    return is_set;
}

void take_map(ViewState& state, const PictureWish& wish, scene::Environment map) {
    const std::string name = map.name;
    state.document.offer_environment(std::move(map));
    if (set_file(state, wish.field, name)) {
        state.say_of_edits("Loaded " + name + " as the environment (Ctrl+Z undoes it)");
    }
}

void take_pictures(ViewState& state, PictureWish wish, Pictures pictures) {
    const auto field =
        scene::read_value(state.document.scene(), state.document.context(), wish.field);
    if (!field.is_ok()) {
        state.say(field.error());
        return;
    }
    if (!state.document.take_pictures(wish.beside, std::move(pictures))) {
        // Others came into the scene meanwhile: behind those, then.
        wish.beside = state.document.pictures();
        state.picture_reader.start(std::move(wish));
        return;
    }
    if (set_file(state, wish.field, wish.file)) {
        state.say_of_edits("Loaded " + wish.file + " onto the material (Ctrl+Z undoes it)");
    }
}

}  // namespace

void light_with(ViewState& state, const std::string& map) {
    if (!state.document.is_open()) {
        state.say_while("No scene is open",
                        [](const ViewState& s) { return !s.document.is_open(); });
        return;
    }
    state.picture_reader.start({.file = map, .field = "environment/file"});
}

void paint_with(ViewState& state,
                const std::string& field,
                scene::TexelMeaning meaning,
                const std::string& file) {
    const scene::Arena<scene::Texture>& known = state.document.scene().textures;
    if (std::any_of(known.begin(), known.end(), [&](const scene::Texture& texture) {
            return texture.name == file && texture.meaning == meaning;
        })) {
        state.picture_reader.forget();
        set_file(state, field, file);
        return;
    }
    state.picture_reader.start(
        {.file = file, .field = field, .meaning = meaning, .beside = state.document.pictures()});
}

void take_read(ViewState& state) {
    auto read = state.picture_reader.poll();
    if (!read) {
        return;
    }
    if (!read->is_ok()) {
        state.say(read->error());
        return;
    }
    ReadPicture& picture = read->value();
    remember_picture(state.remembered, picture.wish.file);
    if (auto* const map = std::get_if<scene::Environment>(&picture.made)) {
        take_map(state, picture.wish, std::move(*map));
    } else {
        take_pictures(state, std::move(picture.wish), std::move(std::get<Pictures>(picture.made)));
    }
}

}  // namespace weft::app
