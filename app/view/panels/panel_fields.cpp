#include "app/view/panels/panel_fields.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/models/field_help.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/number_bar.h"
#include "engine/film/view_transform.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;
using scene::EditField;
using scene::EditKind;
using scene::edits::floats_text;

using Floats = std::array<float, 4>;

Floats floats_of(const Json& value) {
    Floats floats{};
    if (value.is_number()) {
        floats[0] = value.get<float>();
    }
    for (std::size_t k = 0; value.is_array() && k < std::min(value.size(), floats.size()); ++k) {
        floats[k] = value[k].is_number() ? value[k].get<float>() : 0;
    }
    return floats;
}

// Digits after the point, from the range.
int digits_of(const EditField& field) {
    const double span = std::abs(field.high - field.low);
    return span > 300 ? 0 : span > 20 ? 1 : 3;
}

// A format such as "%.3f m", with digits and unit.
std::string number_format(const EditField& field) {
    std::string format =
        field.is_logarithmic ? "%.4g" : "%." + std::to_string(digits_of(field)) + "f";
    for (const char letter : field.unit.empty() ? std::string() : ' ' + field.unit) {
        format += letter;
        format += letter == '%' ? "%" : "";
    }
    return format;
}

float clamped(const EditField& field, float value) {
    return static_cast<float>(std::clamp(static_cast<double>(value), field.least, field.most));
}

// The result of begin_field().
struct FieldRoom {
    bool fits = true;                    // the result of begin_numbers()
    int list_flags = 0;                  // the result of begin_choice()
    std::optional<NumberLook> places{};  // set if the numbers are a position in the scene
};

// A bar over the usual range; typing accepts the field's whole range.
bool number_widget(const EditField& field, float& value) {
    const auto low = static_cast<float>(field.low);
    const auto high = static_cast<float>(field.high);
    const std::string format = number_format(field);
    const bool is_changed =
        high > low ? bar_number("##value", value, {low, high, format.c_str(), field.is_logarithmic})
                   : ImGui::DragFloat("##value", &value, 0.01F, 0, 0, format.c_str());
    value = clamped(field, value);
    return is_changed;
}

// The widest number that the field may show.
std::string sample_of(const EditField& field) {
    const double most = std::max(std::abs(field.low), std::abs(field.high));
    const double number = most > 100 ? 888.888 : most > 1 ? 88.888 : 8.888;
    const std::string digits = field.is_logarithmic
                                   ? fmt::format("{:.4g}", number)
                                   : fmt::format("{:.{}f}", number, digits_of(field));
    return (field.low < 0 ? "-" : "") + digits + (field.unit.empty() ? "" : ' ' + field.unit);
}

bool vector_widget(const EditField& field, Floats& values, const FieldRoom& room) {
    const float speed = static_cast<float>(std::max(1e-4, (field.high - field.low) * 0.002));
    const std::size_t count = std::min<std::size_t>(field.count, values.size());
    const std::string format = room.places ? room.places->format() : number_format(field);
    const bool is_changed = drag_numbers({values.data(), count},
                                         room.places ? room.places->speed : speed,
                                         0,
                                         0,
                                         format.c_str(),
                                         room.fits);
    for (float& value : values) {
        value = clamped(field, value);
    }
    return is_changed;
}

// A colour beyond 1: a swatch for its hue and a number for its strength.
bool bright_widget(const EditField& field, Floats& rgb) {
    const float brightest = std::max({rgb[0], rgb[1], rgb[2]});
    std::array<float, 3> hue{1, 1, 1};
    for (std::size_t k = 0; k < 3 && brightest > 0; ++k) {
        hue[k] = shown_of_linear(rgb[k] / brightest);
    }
    bool is_changed = ImGui::ColorEdit3(
        "##hue", hue.data(), ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_Float);
    float strength = brightest;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-reset_width() - 2);
    if (number_widget(field, strength)) {
        is_changed = true;
    }
    if (is_changed) {
        const float peak = std::max({hue[0], hue[1], hue[2], 1e-6F});
        for (std::size_t k = 0; k < 3; ++k) {
            rgb[k] = clamped(field, linear_of_shown(hue[k]) / linear_of_shown(peak) * strength);
        }
    }
    return is_changed;
}

// A swatch, with three numbers beside it if they fit.
bool colour_widget(const EditField& field, Floats& rgb, bool fits) {
    if (field.high > 1) {
        return bright_widget(field, rgb);
    }
    std::array<float, 3> shown{};
    for (std::size_t k = 0; k < 3; ++k) {
        shown[k] = shown_of_linear(rgb[k]);
    }
    const std::array<float, 3> before = shown;
    const bool is_changed =
        ImGui::ColorEdit3("##value",
                          shown.data(),
                          ImGuiColorEditFlags_Float | ImGuiColorEditFlags_HDR |
                              (fits ? ImGuiColorEditFlags_None : ImGuiColorEditFlags_NoInputs));
    for (std::size_t k = 0; k < 3; ++k) {
        if (shown[k] != before[k]) {
            rgb[k] = clamped(field, linear_of_shown(shown[k]));
        }
    }
    return is_changed;
}

// The widest title.
const char* widest_of(const std::vector<std::string>& choices) {
    const auto width = [](const std::string& one, const std::string& other) {
        return ImGui::CalcTextSize(one.c_str()).x < ImGui::CalcTextSize(other.c_str()).x;
    };
    const auto widest = std::max_element(choices.begin(), choices.end(), width);
    return widest == choices.end() ? "" : widest->c_str();
}

// `flags` come from begin_choice().
bool choice_widget(const EditField& field, std::string& value, int flags) {
    bool is_changed = false;
    if (ImGui::BeginCombo("##value", value.c_str(), flags)) {
        for (const std::string& choice : field.choices) {
            if (ImGui::Selectable(choice.c_str(), choice == value)) {
                value = choice;
                is_changed = true;
            }
        }
        ImGui::EndCombo();
    }
    return is_changed;
}

// Draws the widget; returns the JSON to send if the person changed the value.
std::optional<std::string> value_widget(const EditField& field,
                                        const Json& value,
                                        const FieldRoom& room) {
    Floats floats = floats_of(value);
    switch (field.kind) {
        case EditKind::Number:
            return number_widget(field, floats[0]) ? std::optional(floats_text({floats.data(), 1}))
                                                   : std::nullopt;
        case EditKind::Colour:
            return colour_widget(field, floats, room.fits)
                       ? std::optional(floats_text({floats.data(), 3}))
                       : std::nullopt;
        case EditKind::Vector:
            return vector_widget(field, floats, room)
                       ? std::optional(floats_text({floats.data(), std::min(field.count, 4U)}))
                       : std::nullopt;
        case EditKind::Flag: {
            bool is_on = value.is_boolean() && value.get<bool>();
            return ImGui::Checkbox("##value", &is_on)
                       ? std::optional<std::string>(is_on ? "true" : "false")
                       : std::nullopt;
        }
        case EditKind::Choice: {
            std::string word = value.is_string() ? value.get<std::string>() : "";
            return choice_widget(field, word, room.list_flags) ? std::optional(Json(word).dump())
                                                               : std::nullopt;
        }
        case EditKind::Texture:
        case EditKind::File:
        case EditKind::PlaneList:
        case EditKind::PathList:
        case EditKind::Materials:
        case EditKind::Name:
            break;  // drawn in rows of their own
    }
    return std::nullopt;
}

FieldRoom begin_field(const Session& session, const EditField& field) {
    const float swatch = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
    switch (field.kind) {
        case EditKind::Number:
            return {begin_numbers(field.label, tip_of(field), 1, sample_of(field).c_str())};
        case EditKind::Vector: {
            if (field.unit != "m") {
                return {begin_numbers(
                    field.label, tip_of(field), field.count, sample_of(field).c_str())};
            }
            const NumberLook look = look_of_places(session);
            const bool fits = begin_numbers(
                field.label + " (m)", tip_of(field), field.count, look.widest().c_str());
            return {fits, 0, look};
        }
        case EditKind::Colour:
            return {
                field.high > 1
                    ? begin_numbers(field.label, tip_of(field), 1, sample_of(field).c_str(), swatch)
                    : begin_numbers(field.label, tip_of(field), 3, "0.000", swatch)};
        case EditKind::Choice:
            return {true, begin_choice(field.label, tip_of(field), widest_of(field.choices))};
        default:
            return {begin_numbers(field.label, tip_of(field), 0, "")};
    }
}

}  // namespace

std::string_view field_name(const EditField& field) {
    const std::size_t slash = field.path.rfind('/');
    return std::string_view(field.path).substr(slash == std::string::npos ? 0 : slash + 1);
}

void draw_field(Session& session, Ui& ui, std::string_view panel, const EditField& field) {
    const base::Result<std::string> text =
        scene::read_value(session.document.scene(), session.document.context(), field.path);
    if (!text.is_ok()) {
        return;  // the object is gone, such as a light just deleted
    }
    ImGui::PushID(field.path.c_str());
    const FieldRoom room = begin_field(session, field);
    if (field.kind == EditKind::Number || field.kind == EditKind::Vector ||
        (field.kind == EditKind::Colour && room.fits)) {
        take_keyboard(ui);
    }
    const auto changed = value_widget(field, Json::parse(text.value(), nullptr, false), room);
    end_numbers();
    mark_row(ui, panel, field.label);
    if (changed) {
        send_edit(session, ui, field.path, *changed);
    }
    end_drag(session);
    draw_reset(session, ui, panel, field);
    ImGui::PopID();
}

void draw_reset(Session& session, Ui& ui, std::string_view panel, const EditField& field) {
    const std::optional<std::string> original = session.document.original_value(field.path);
    if (!original) {
        return;  // still has the file's value
    }
    ImGui::SameLine(0, 2);
    if (sign_button("reset", "↺", "Back to what the file has")) {
        session.dragged.clear();
        send_edit(session, ui, field.path, *original);
        session.dragged.clear();
    }
    mark_row(ui, panel, "Reset " + field.label);
}

std::string tip_of(const EditField& field) {
    std::string tip(field_help(field.path));
    if (field.kind == EditKind::Number) {
        tip += "\nDouble-click: type a number";
    }
    return tip + std::string(kSetLine) + field.path + "=...";
}

const EditField* find_field(const std::vector<EditField>& fields, std::string_view name) {
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const EditField& field) {
        return field_name(field) == name;
    });
    return found == fields.end() ? nullptr : &*found;
}

float shown_of_linear(float linear) {
    return linear > 1
               ? linear
               : static_cast<float>(film::srgb_encode(std::max(0.0, static_cast<double>(linear))));
}

float linear_of_shown(float shown) {
    return shown > 1
               ? shown
               : static_cast<float>(film::srgb_decode(std::max(0.0, static_cast<double>(shown))));
}

}  // namespace weft::app
