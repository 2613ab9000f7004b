#include "app/view/session/view_pictures.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/files/json_text.h"

namespace weft::app {

namespace {

// A step of its own.
bool set_file(Session& session, Ui& ui, const std::string& field, const std::string& file) {
    session.dragged.clear();
    const bool is_set = send_edit(session, ui, field, scene::json_to_text(file));
    session.dragged.clear();
    return is_set;
}

void take_map(Session& session, Ui& ui, const ReadPicture& picture, scene::Environment map) {
    const PictureWish& wish = picture.wish;
    session.document.offer_environment(std::move(map));
    if (set_file(session, ui, wish.field, picture.name)) {
        say_of_edits(ui, session, "Loaded " + wish.file + " as the environment (Ctrl+Z undoes it)");
    }
}

void take_pictures(Session& session, Ui& ui, ReadPicture picture, Pictures pictures) {
    PictureWish& wish = picture.wish;
    const auto field =
        scene::read_value(session.document.scene(), session.document.context(), wish.field);
    if (!field.is_ok()) {
        ui.say(field.error());
        return;
    }
    if (!session.document.take_pictures(wish.beside, std::move(pictures))) {
        // The scene got other pictures meanwhile: read it again, to append it to those.
        wish.beside = session.document.pictures();
        session.picture_reader.start(std::move(wish));
        return;
    }
    if (set_file(session, ui, wish.field, picture.name)) {
        say_of_edits(ui, session, "Loaded " + wish.file + " onto the material (Ctrl+Z undoes it)");
    }
}

}  // namespace

void light_with(Session& session, Ui& ui, const std::string& map) {
    if (!session.document.is_open()) {
        ui.say_while("No scene is open", [&session] { return !session.document.is_open(); });
        return;
    }
    std::vector<scene::Environment> maps = session.document.context().environments;
    maps.push_back(session.document.scene().environment);
    session.picture_reader.start({.file = map,
                                  .field = "environment/file",
                                  .maps = std::move(maps),
                                  .colours = session.options.colours});
}

void paint_with(Session& session,
                const std::string& field,
                scene::TexelMeaning meaning,
                const std::string& file) {
    session.picture_reader.start({.file = file,
                                  .field = field,
                                  .meaning = meaning,
                                  .beside = session.document.pictures(),
                                  .colours = session.options.colours});
}

void take_read(Session& session, Ui& ui) {
    auto read = session.picture_reader.poll();
    if (!read) {
        return;
    }
    if (!read->is_ok()) {
        ui.say(read->error());
        return;
    }
    ReadPicture& picture = read->value();
    remember_picture(session.remembered, picture.wish.file);
    if (auto* const map = std::get_if<scene::Environment>(&picture.made)) {
        take_map(session, ui, picture, std::move(*map));
    } else {
        Pictures pictures = std::move(std::get<Pictures>(picture.made));
        take_pictures(session, ui, std::move(picture), std::move(pictures));
    }
}

}  // namespace weft::app
