#include "app/view/shell/view_files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <imgui.h>

#include "app/command/edit_file.h"
#include "app/view/session/choose_files.h"
#include "app/view/session/render_line.h"
#include "app/view/session/render_link.h"
#include "app/view/session/save_picture.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_pictures.h"
#include "app/view/session/view_scene.h"
#include "engine/film/whole_file.h"
#include "engine/scene/model/framing_camera.h"
#include "scheduler/base/trace_log.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnsaved = "Unsaved edits";
constexpr const char* kLeaving = "Leave?";

// Removes the file of this session's unsaved edits, which are saved or discarded. Edits of an
// earlier session stay while the question about them is open.
void forget_unsaved(Session& session) {
    if (session.files.left_behind.empty()) {
        session.files.autosave->discard();
    }
}

// Whether `path` is this session's file of edits but holds other edits: some of them failed to
// apply, or another session saved there since.
bool has_others(const Session& session, const std::string& path) {
    std::error_code problem;
    return path == edits_name(session) && fs::is_regular_file(path, problem) &&
           text_of(path) != session.files.edits_text;
}

bool write_edits(Session& session, Ui& ui, const std::string& path) {
    std::string aside;
    if (has_others(session, path)) {
        const base::Result<std::string> moved = move_aside(path);
        if (!moved.is_ok()) {
            ui.say(moved.error());
            return false;
        }
        aside = moved.value();
    }
    if (path == default_edit_file(session.options.scenes)) {
        // For the data folder of an example scene; the write below reports a failure.
        std::error_code problem;
        fs::create_directories(fs::path(path).parent_path(), problem);
    }
    const base::Status written = save_edits(session.document, scene_file(session), path);
    if (!written.is_ok()) {
        ui.say(written.error());
        return false;
    }
    session.files.edits_file = path;
    session.files.edits_text = text_of(path);
    // Edits that came from a file or the command line name pictures that nobody chose here.
    for (const std::string& picture :
         picture_files(session.document.edits(), session.document.context().folder)) {
        remember_picture(session.remembered, picture);
    }
    forget_unsaved(session);
    ui.say(path + " is written" +
           (aside.empty() ? "" : "; the edits that were there before are in " + aside));
    return true;
}

// Apply them to the scene as it was opened: they were kept relative to that. A file whose edits
// were not all made stays, under another name: autosave needs its own.
void recover(Session& session, Ui& ui) {
    Document& document = session.document;
    while (document.undo()) {
    }
    const base::Status read = load_fitting_edits(document, session.files.left_behind);
    base::Status given = base::Done{};
    if (read.is_ok() || document.can_undo()) {
        given = add_given_edits(document, session.options.edits_file, session.options.sets);
    } else {
        while (document.redo()) {
        }
    }
    if (!read.is_ok()) {
        ui.say(base::Error{read.error().kind,
                           set_aside(session.files.left_behind, read.error().sentence)});
    } else if (!given.is_ok()) {
        ui.say(given.error());
    } else {
        say_of_edits(ui, session, "The edits of the last session are recovered");
    }
}

// Places the answers side by side, or below one another if the window is too narrow for three.
bool answer_button(Ui& ui, const char* window, const char* answer) {
    const float width = ImGui::GetFontSize() * 9;
    const bool is_clicked = ImGui::Button(answer, ImVec2(width, 0));
    ui.marks.mark(fmt::format("{}/{}", window, answer));
    if (4 * width < ImGui::GetIO().DisplaySize.x) {
        ImGui::SameLine();
    }
    return is_clicked;
}

// A modal question in the middle of the window; true while it is open.
bool begin_question(const char* title, const std::string& text) {
    if (!ImGui::IsPopupOpen(title)) {
        ImGui::OpenPopup(title);
    }
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos(
        ImVec2(window.x / 2, window.y * 0.4F), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
    if (!ImGui::BeginPopupModal(title,
                                nullptr,
                                ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings)) {
        return false;
    }
    ImGui::PushTextWrapPos(std::min(ImGui::GetFontSize() * 30, window.x * 0.9F));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy(ImVec2(0, ImGui::GetFontSize() / 2));
    return true;
}

void end_question(bool is_answered) {
    ImGui::NewLine();
    if (is_answered) {
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

void ask_about_unsaved(Session& session, Ui& ui) {
    std::string& left_behind = session.files.left_behind;
    if (left_behind.empty() ||
        !begin_question(kUnsaved,
                        "Edits of " + scene_file(session) +
                            " were left before they were saved. Shall they be made again?")) {
        return;
    }
    bool is_answered = true;
    if (answer_button(ui, kUnsaved, "Recover")) {
        recover(session, ui);
    } else if (answer_button(ui, kUnsaved, "Throw away")) {
        session.files.autosave->discard();
    } else {
        is_answered = false;
    }
    if (is_answered) {
        left_behind.clear();
    }
    end_question(is_answered);
}

void ask_about_leaving(Session& session, Ui& ui) {
    if (!begin_question(kLeaving, "The edits of " + scene_file(session) + " are not saved.")) {
        return;
    }
    bool is_answered = true;
    if (answer_button(ui, kLeaving, "Save")) {
        ui.is_quit_wanted = write_edits(session, ui, edits_name(session));
    } else if (answer_button(ui, kLeaving, "Do not save")) {
        forget_unsaved(session);
        ui.is_quit_wanted = true;
    } else {
        is_answered = answer_button(ui, kLeaving, "Stay") ||
                      ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false);
    }
    session.files.is_leaving = !is_answered;
    end_question(is_answered);
}

base::Status write_trace(const std::string& path) {
    const std::string text = base::trace_json();
    auto file = film::WholeFile::open(path);
    WEFT_TRY(file);
    file.value().write_at(text.data(), text.size(), 0);
    return file.value().commit();
}

// `weft render` frames a scene without cameras by the picture's aspect, so the command states the
// camera.
void say_camera(const Session& session, std::vector<scene::Edit>& edits) {
    const scene::Scene& scene = session.document.scene();
    const std::string added = scene::framing_camera(session.bounds, 1).name;
    if (!scene.cameras.empty() && scene.cameras.front().name == added) {
        std::erase_if(edits, [](const scene::Edit& edit) { return edit.path == "camera"; });
        edits.push_back(
            {"camera", scene::read_value(scene, session.document.context(), "camera").value()});
    }
}

}  // namespace

void read_edits(Session& session, Ui& ui, const std::string& path) {
    const base::Status read = load_edits(session.document, path);
    if (read.is_ok()) {
        say_of_edits(ui, session, "Loaded the edits of " + path + " (Ctrl+Z undoes them)");
    } else {
        ui.say(read.error());
    }
}

void save_edits(Session& session, Ui& ui) {
    if (has_scene(session, ui)) {
        write_edits(session, ui, edits_name(session));
    }
}

void copy_command(const Session& session, const RenderLink& link, Ui& ui) {
    if (!has_scene(session, ui)) {
        return;
    }
    const std::string folder = session.document.context().folder;
    RenderOptions options = session.options;
    if (session.missing.empty()) {
        options.missing_file = RenderOptions().missing_file;  // no picture needs a placeholder
    }
    frame::RenderSettings settings = frame_settings(link);
    if (link.status.prepared_job == link.job) {
        settings.samples_per_pixel = link.status.picture_samples;
    }
    RenderLine line = {options, settings, "", with_whole_files(session.document.edits(), folder)};
    if (!session.files.edits_file.empty() && !session.document.is_changed() &&
        !has_others(session, session.files.edits_file)) {
        // The file of edits has everything but later camera moves.
        const auto camera =
            scene::read_value(session.document.scene(), session.document.context(), "camera");
        line.edits_file = session.files.edits_file;
        line.edits = {{"camera", camera.value()}};
    }
    // The command states the size of the picture. Edits come after its options, so those of a file
    // are followed by edits that keep the size.
    const auto is_of_frame = [](const scene::Edit& edit) {
        return edit.path.starts_with("frame/");
    };
    std::erase_if(line.edits, is_of_frame);
    const std::vector<scene::Edit> edits = session.document.edits();
    if (!line.edits_file.empty() && std::any_of(edits.begin(), edits.end(), is_of_frame)) {
        line.edits.push_back(
            {"frame/size", fmt::format("[{}, {}]", settings.width, settings.height)});
        line.edits.push_back({"frame/percent", "100"});
    }
    if (settings.height > settings.width && line.edits_file.empty()) {
        say_camera(session, line.edits);
    }
    ImGui::SetClipboardText(render_line(line).c_str());
    ui.say("The command that renders this picture is on the clipboard");
}

void leave(Session& session, Ui& ui) {
    if (session.document.is_open() && session.document.is_changed()) {
        session.files.is_leaving = true;
    } else {
        ui.is_quit_wanted = true;
    }
}

void take_chosen(Session& session, RenderLink& link, Ui& ui) {
    FileChooser& chooser = ui.chooser;
    if (const auto file = chooser.take(kOpenScene)) {
        open_scene(session, link, {*file});
    }
    if (const auto folder = chooser.take(kFindMissing)) {
        look_for_missing(session, *folder);
    }
    if (const auto file = chooser.take(kOpenEnvironment)) {
        light_with(session, ui, *file);
    }
    if (const auto file = chooser.take(kSavePicture)) {
        save_picture(session, link, ui, *file);
    }
    if (const auto file = chooser.take(kReadEdits)) {
        read_edits(session, ui, *file);
    }
    if (const auto file = chooser.take(kSaveEdits)) {
        write_edits(session, ui, *file);
    }
    if (const auto file = chooser.take(kSaveTrace)) {
        begin_saving(
            link, ui, *file, *file + " is written; ui.perfetto.dev opens it", [path = *file] {
                return write_trace(path);
            });
    }
}

void draw_questions(Session& session, Ui& ui) {
    // Ask one question at a time; the one about leaving comes first.
    if (session.files.is_leaving) {
        ask_about_leaving(session, ui);
    } else {
        ask_about_unsaved(session, ui);
    }
}

bool is_asking(const Session& session, const Ui& ui) {
    return ui.chooser.is_open() || !session.files.left_behind.empty() || session.files.is_leaving;
}

}  // namespace weft::app
