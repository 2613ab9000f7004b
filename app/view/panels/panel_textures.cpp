#include "app/view/panels/panel_textures.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include <imgui.h>

#include "app/view/models/thumbnail.h"
#include "app/view/panels/panel_fields.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_pictures.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;

constexpr u32 kThumbnailSide = 96;
constexpr const char* kChooserTitle = "Choose a picture";

// The file in a value: a text, or an object with a "file".
std::string file_of(const Json& value) {
    if (value.is_string()) {
        return value.get<std::string>();
    }
    const auto file = value.is_object() ? value.find("file") : value.end();
    return file != value.end() && file->is_string() ? file->get<std::string>() : std::string();
}

u32 texture_named(const scene::Scene& scene, const std::string& name) {
    for (u32 texture = 0; texture < scene.textures.size(); ++texture) {
        if (scene.textures[texture].name == name) {
            return texture;
        }
    }
    return kNone;
}

// A number and its picture have the same label; append "map" to the picture's.
std::string label_of(const scene::EditField& field) {
    const bool is_plain = field.kind == scene::EditKind::File || field.label.ends_with("map");
    return is_plain ? field.label : field.label + " map";
}

bool is_read_for(const Session& session, const scene::EditField& field) {
    return session.picture_reader.is_busy() && session.picture_reader.wish().field == field.path;
}

// The file's name without its folder, or that of the file being read; for a picture embedded in the
// scene, its name there and its number.
std::string shown_name(const Session& session,
                       const scene::EditField& field,
                       const std::string& file,
                       u32 texture) {
    const auto name = [](const std::string& path) {
        return std::filesystem::path(path).filename().string();
    };
    if (is_read_for(session, field)) {
        return "reading " + name(session.picture_reader.wish().file);
    }
    const std::string label =
        texture == kNone ? std::string() : session.document.scene().textures[texture].label;
    return file.empty() ? "none" : label.empty() ? name(file) : label + " · " + name(file);
}

void give_up_reading(Session& session, const scene::EditField& field) {
    if (is_read_for(session, field)) {
        session.picture_reader.forget();
    }
}

std::vector<std::string> picture_endings(const scene::EditField& field) {
    if (field.kind == scene::EditKind::File) {
        return {".hdr", ".exr", ".png", ".jpg", ".jpeg", ".tif", ".tiff"};
    }
    return {".png", ".jpg", ".jpeg", ".webp", ".tga", ".bmp", ".tif", ".tiff", ".exr", ".hdr"};
}

}  // namespace

const PictureTexture& PictureRows::thumbnail_of(u32 texture) {
    const scene::Scene& scene = session_.document.scene();
    const scene::Texture& source = scene.textures[texture];
    auto& slot = thumbnails_[{source.name, source.record.mip_offset[0]}];
    if (!slot) {
        slot = std::make_unique<PictureTexture>();
        const Thumbnail picture = make_thumbnail(scene, texture, kThumbnailSide);
        slot->upload(picture.width, picture.height, picture.rgba, true);
    }
    return *slot;
}

void PictureRows::draw_thumbnail(u32 texture) {
    const PictureTexture& picture = thumbnail_of(texture);
    const shaders::TextureRecord& record = session_.document.scene().textures[texture].record;
    const float side = ImGui::GetFrameHeight();
    ImGui::Image(picture.id(), ImVec2(side, side));
    if (ImGui::IsItemHovered()) {
        ImGui::BeginTooltip();
        ImGui::Image(picture.id(),
                     ImVec2(side * 7,
                            side * 7 * static_cast<float>(record.height) /
                                static_cast<float>(record.width)));
        const scene::Texture& source = session_.document.scene().textures[texture];
        if (!source.label.empty()) {
            ImGui::TextUnformatted(source.label.c_str());
        }
        ImGui::TextUnformatted(source.name.c_str());
        ImGui::TextDisabled("%u × %u", record.width, record.height);
        ImGui::EndTooltip();
    }
    ImGui::SameLine(0, 4);
}

void PictureRows::draw(std::string_view panel, const scene::EditField& field) {
    if (field.kind == scene::EditKind::Texture || field.kind == scene::EditKind::File) {
        draw_file_row(panel, field);
    } else {
        draw_field(session_, ui_, panel, field);
    }
}

void PictureRows::draw_file_row(std::string_view panel, const scene::EditField& field) {
    const auto text =
        scene::read_value(session_.document.scene(), session_.document.context(), field.path);
    if (!text.is_ok()) {
        return;
    }
    const std::string file = file_of(Json::parse(text.value(), nullptr, false));
    ImGui::PushID(field.path.c_str());
    const std::string label = label_of(field);
    begin_row(label, tip_of(field));
    const u32 texture = field.kind == scene::EditKind::Texture && !file.empty()
                            ? texture_named(session_.document.scene(), file)
                            : kNone;
    if (texture != kNone) {
        draw_thumbnail(texture);
    }
    const std::string shown = shown_name(session_, field, file, texture);
    const float width = ImGui::GetContentRegionAvail().x - 2 * (reset_width() + 2);
    if (ImGui::Button((shown + "###swap").c_str(), ImVec2(width, 0))) {
        chosen_field_ = field.path;
        chosen_meaning_ = field.meaning;
        const bool is_map = field.kind == scene::EditKind::File;
        ui_.chooser.open({.purpose = kChooserTitle,
                          .subject = is_map ? "environment" : "texture",
                          .endings = picture_endings(field),
                          .near_file = file});
    }
    mark_row(ui_, panel, label);
    mark_row(ui_, panel, label + " " + shown);
    ImGui::SameLine(0, 2);
    if (!file.empty()) {
        if (sign_button("clear", "×", "Without")) {
            give_up_reading(session_, field);
            session_.dragged.clear();
            send_edit(session_, ui_, field.path, "null");
            session_.dragged.clear();
        }
        mark_row(ui_, panel, "Clear " + label);
    } else {
        ImGui::Dummy(ImVec2(reset_width(), 1));
    }
    draw_reset(session_, ui_, panel, field);
    ImGui::PopID();
}

void PictureRows::draw_chooser() {
    ui_.chooser.draw(ui_.marks, session_.remembered.folders);
    if (const auto file = ui_.chooser.take(kChooserTitle)) {
        if (chosen_field_ == "environment/file") {
            light_with(session_, ui_, *file);
            return;
        }
        paint_with(session_, chosen_field_, chosen_meaning_, *file);
    }
}

}  // namespace weft::app
