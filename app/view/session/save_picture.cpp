#include "app/view/session/save_picture.h"

#include <fmt/format.h>
#include <utility>

#include "app/command/edit_options.h"
#include "app/command/version.h"
#include "app/view/session/render_link.h"
#include "app/view/session/saved_targets.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"

namespace weft::app {

namespace {

film::ImageConfig image_config(const Session& session, const RenderLink& link) {
    film::ImageConfig config = pick_image_config(session.options);
    const live::LiveView view = shown_view(link, session.document);
    config.view = view.transform;
    config.config_view = view.config_view;
    config.exposure_stops = view.exposure_stops;
    config.layers = link.settings.aovs;
    config.has_alpha = link.settings.is_film_transparent;
    config.metadata = {{"version", kVersion}, {"command_line", session.command_line}};
    return config;
}

}  // namespace

void save_picture(const Session& session, RenderLink& link, Ui& ui, const std::string& path) {
    if (link.scene == nullptr) {
        ui.say_while("No scene is open: there is no picture to save",
                     [&session] { return !session.document.is_open(); });
        return;
    }
    const base::Status place = check_picture_place(session, path);
    if (!place.is_ok()) {
        ui.say(place.error());
        return;
    }
    const film::ImageConfig config = image_config(session, link);
    const base::Status target = film::check_image_target(path, config);
    if (!target.is_ok()) {
        ui.say(target.error());
        return;
    }
    if (is_closing_section(session, link)) {
        ui.say(base::Error{base::ErrorKind::Output,
                           path + ": not begun; expected the section to be closed first"});
        return;
    }
    if (!is_frame_rendered(link)) {
        ui.say(base::Error{
            base::ErrorKind::Output,
            fmt::format("{}: not begun; expected the {} × {} pixels of the frame to be rendered "
                        "(View/The frame's pixels) instead of {} × {}",
                        path,
                        link.frame[0],
                        link.frame[1],
                        link.settings.width,
                        link.settings.height)});
        return;
    }
    if (begin_saving(link, ui, path, path + " is written", [&live = *link.live, path, config] {
            return live.save(path, config);
        })) {
        ui.say(path + " will be written when every pixel has the same number of samples");
    }
}

bool begin_saving(RenderLink& link,
                  Ui& ui,
                  const std::string& path,
                  const std::string& written,
                  std::function<base::Status()> write) {
    if (link.saver.is_busy()) {
        ui.say(base::Error{
            base::ErrorKind::Output,
            path + ": not begun; expected " + link.saver.path() + " to be written first"});
        return false;
    }
    link.saver.start(path, written, std::move(write));
    return true;
}

void take_saved(RenderLink& link, Ui& ui) {
    const auto outcome = link.saver.poll();
    if (!outcome) {
        return;
    }
    if (outcome->is_ok()) {
        ui.say(link.saver.written());
    } else {
        ui.say(outcome->error());
    }
}

}  // namespace weft::app
