#include "app/view/session/step_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "app/view/models/placement.h"
#include "engine/scene/edit/edit_path.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;
using scene::Edit;
using scene::EditKind;
using scene::edits::Address;

constexpr float kDegreesPerRadian = 180 / std::numbers::pi_v<float>;

// One edit of a step, parsed.
struct Change {
    const Edit& edit;
    const Edit& inverse;
    Address address;
    Json value;
    Json before;  // the same field, from the inverse
};

// "jade", "the camera".
std::string object_words(const Address& address) {
    return address.name.empty() ? "the " + address.family : address.name;
}

std::string length_words(float metres) {
    return metres >= 100     ? fmt::format("{:.0f} m", metres)
           : metres >= 10    ? fmt::format("{:.1f} m", metres)
           : metres >= 0.01F ? fmt::format("{:.2f} m", metres)
                             : fmt::format("{:.2g} mm", 1000 * metres);
}

std::string angle_words(float degrees) {
    return degrees < 10 ? fmt::format("{:.1f}°", degrees) : fmt::format("{:.0f}°", degrees);
}

// A JSON list of exactly N numbers; none if the value is anything else.
template <std::size_t N>
std::optional<std::array<float, N>> numbers_of(const Json& value) {
    std::array<float, N> numbers{};
    if (!value.is_array() || value.size() != N) {
        return std::nullopt;
    }
    for (std::size_t k = 0; k < N; ++k) {
        if (!value[k].is_number()) {
            return std::nullopt;
        }
        numbers[k] = value[k].get<float>();
    }
    return numbers;
}

float angle_between(const Vec3& a, const Vec3& b) {
    return kDegreesPerRadian * std::atan2(length(cross(a, b)), dot(a, b));
}

// The angle of the rotation between two placements, from the trace of its matrix.
float turned_deg(const math::Affine& from, const math::Affine& to) {
    float trace = 0;
    for (u32 axis = 0; axis < 3; ++axis) {
        trace +=
            dot(math::normalize(math::column(from, axis)), math::normalize(math::column(to, axis)));
    }
    return kDegreesPerRadian * std::acos(std::clamp((trace - 1) / 2, -1.0F, 1.0F));
}

std::string scale_words(const Vec3& before, const Vec3& after) {
    Vec3 by{};
    for (u32 axis = 0; axis < 3; ++axis) {
        by[axis] = before[axis] != 0 ? after[axis] / before[axis] : 0;
    }
    const bool is_even = std::abs(by[1] - by[0]) < 1e-3F * std::abs(by[0]) &&
                         std::abs(by[2] - by[0]) < 1e-3F * std::abs(by[0]);
    return is_even ? fmt::format("{:.3g}", by[0])
                   : fmt::format("{:.3g} × {:.3g} × {:.3g}", by[0], by[1], by[2]);
}

// "moved dome by 0.10 m"; if several things changed, only their names.
std::string placing_words(const std::string& object,
                          const math::Affine& from,
                          const math::Affine& to) {
    constexpr float kLeastTurn = 0.05F;  // degrees; below it the rotation is rounding error
    const Placement before = placement_of(from);
    const Placement after = placement_of(to);
    const float moved_m = length(after.position_m - before.position_m);
    const float turned = turned_deg(from, to);
    const bool is_scaled = length(after.scale - before.scale) > 1e-4F * length(before.scale);
    const bool is_turned = turned > kLeastTurn;
    if (!is_turned && !is_scaled) {
        return "moved " + object + " by " + length_words(moved_m);
    }
    // A rotation about the object's own origin keeps its position; any other also moves it.
    const bool is_moved = moved_m > 1e-4F * (1 + length(before.position_m));
    std::string what = is_moved ? "moved" : "";
    what += is_turned ? (what.empty() ? "turned" : " and turned") : "";
    what += is_scaled ? (what.empty() ? "scaled" : " and scaled") : "";
    what += ' ' + object;
    return is_moved || (is_turned && is_scaled) ? what
           : is_turned                          ? what + " by " + angle_words(turned)
                       : what + " by " + scale_words(before.scale, after.scale);
}

// Words for a light's position or direction; none for other fields.
std::optional<std::string> light_words(const Change& change) {
    const std::string& field = change.address.field;
    const auto now = numbers_of<3>(change.value);
    const Json before = change.before.is_object() && change.before.contains(field)
                            ? change.before[field]
                            : change.before;
    const auto then = numbers_of<3>(before);
    if (change.address.family != "lights" || !now || !then) {
        return std::nullopt;
    }
    const Vec3 after = math::vec3_at(now->data());
    const Vec3 prior = math::vec3_at(then->data());
    const std::string object = object_words(change.address);
    if (field == "position") {
        return "moved " + object + " by " + length_words(length(after - prior));
    }
    return field == "direction" ? std::optional("turned " + object + " by " +
                                                angle_words(angle_between(prior, after)))
                                : std::nullopt;
}

std::optional<scene::EditField> field_of(const Document& document, const Change& change) {
    const std::string& path = change.edit.path;
    const std::string object = path.substr(0, path.size() - change.address.field.size() - 1);
    for (const scene::EditField& field :
         scene::editable_fields(document.scene(), document.context(), object)) {
        if (field.path == path) {
            return field;
        }
    }
    return std::nullopt;
}

// The panel's label in lower case, "base colour"; the field's name if no object has it.
std::string field_words(const std::optional<scene::EditField>& field, const Address& address) {
    std::string words = field ? field->label : address.field;
    std::replace(words.begin(), words.end(), '_', ' ');
    words[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
    const bool is_map = field && field->kind == EditKind::Texture && !words.ends_with("map");
    return is_map ? words + " map" : words;
}

// "0.25", "3 m", "on", "spot", "wood.png"; empty if a few words cannot say it.
std::string value_words(const std::optional<scene::EditField>& field, const Json& value) {
    if (value.is_number()) {
        const std::string unit = field ? field->unit : "";
        const std::string number = fmt::format("{:.4g}", value.get<double>());
        return unit.empty() || unit == "°" ? number + unit : number + ' ' + unit;
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? "on" : "off";
    }
    const bool has_file = value.is_object() && value.contains("file");
    const Json& text = has_file ? value["file"] : value;
    if (!text.is_string()) {
        return "";
    }
    const auto word = text.get<std::string>();
    const bool is_file =
        field && (field->kind == EditKind::Texture || field->kind == EditKind::File);
    return is_file ? std::filesystem::path(word).filename().string() : word;
}

std::string material_words(const Change& change) {
    const std::string object = object_words(change.address);
    if (!change.value.is_string()) {
        return "changed the materials of " + object;
    }
    const auto material = scene::edits::parse_path(change.value.get<std::string>());
    return material.is_ok() ? "gave " + object + " the material " + material.value().name
                            : "changed the material of " + object;
}

// Words for fields that need their own phrasing.
std::optional<std::string> special_words(const Change& change) {
    const std::string& family = change.address.family;
    const std::string& field = change.address.field;
    const std::string object = object_words(change.address);
    const bool is_on = change.value == Json(true);
    const bool is_thing = family == "nodes" || family == "groups" || family == "cameras";
    if ((is_thing || family == "collections") && field == "visible") {
        return (is_on ? "showed " : "hid ") + object;
    }
    if (family == "lights" && field == "visible") {
        return (is_on ? "switched on " : "switched off ") + object;
    }
    if (family == "nodes" && field == "material") {
        return material_words(change);
    }
    if (change.edit.path == "view/clip_planes") {
        return fmt::format("changed the section: {} planes", change.value.size());
    }
    if (change.edit.path == "view/clip_cap") {
        return std::string(is_on ? "closed" : "opened") + " the section";
    }
    const auto from = numbers_of<12>(change.before);
    const auto to = numbers_of<12>(change.value);
    if (is_thing && field == "transform" && from && to) {
        return placing_words(object, *from, *to);
    }
    return light_words(change);
}

std::string value_set_words(const Document& document, const Change& change) {
    const auto field = field_of(document, change);
    const std::string of =
        change.address.family == "view" ? "" : " of " + object_words(change.address);
    const std::string what = "the " + field_words(field, change.address) + of;
    if (change.value.is_null()) {
        return "removed " + what;
    }
    const std::string value = value_words(field, change.value);
    return value.empty() ? "changed " + what : "set " + what + " to " + value;
}

std::string edit_words(const Document& document, const Edit& edit, const Edit& inverse) {
    auto parsed = scene::edits::parse_path(edit.path);
    if (!parsed.is_ok()) {
        return "changed " + edit.path;
    }
    const Change change{edit,
                        inverse,
                        std::move(parsed.value()),
                        Json::parse(edit.value, nullptr, false),
                        Json::parse(inverse.value, nullptr, false)};
    if (!change.address.field.empty()) {
        return special_words(change).value_or(value_set_words(document, change));
    }
    const std::string object = object_words(change.address);
    return change.value.is_null()    ? "deleted " + object
           : change.before.is_null() ? "added " + object
                                     : "changed " + object;
}

// The edited object; its number distinguishes objects of the same name.
std::string object_of(const Edit& edit) {
    const auto parsed = scene::edits::parse_path(edit.path);
    const bool has_field = parsed.is_ok() && !parsed.value().field.empty();
    return has_field ? edit.path.substr(0, edit.path.size() - parsed.value().field.size() - 1)
                     : edit.path;
}

}  // namespace

std::string step_words(const Document& document, const Document::Step& step) {
    if (step.gesture != 0) {
        return "moved the camera";
    }
    if (step.edits.size() == 1) {
        return edit_words(document, step.edits.front(), step.inverses.front());
    }
    const auto all = [&step](const auto& holds) {
        return std::all_of(step.edits.begin(), step.edits.end(), holds);
    };
    if (all([](const Edit& edit) { return edit.path.ends_with("/visible"); })) {
        const bool hides = all([](const Edit& edit) { return edit.value == "false"; });
        const bool shows = all([](const Edit& edit) { return edit.value == "true"; });
        return hides || shows
                   ? fmt::format("{} {} objects", hides ? "hid" : "showed", step.edits.size())
                   : fmt::format("changed what is hidden of {} objects", step.edits.size());
    }
    if (all([](const Edit& edit) { return edit.value == "null"; })) {
        return fmt::format("deleted {} things", step.edits.size());
    }
    if (all([](const Edit& edit) {
            return edit.path.ends_with("/transform") || edit.path.ends_with("/position") ||
                   edit.path.ends_with("/direction");
        })) {
        return "moved several things";
    }
    const bool has_copy = step.edits.front().value.find("\"copy_of\"") != std::string::npos;
    const auto last = scene::edits::parse_path(step.edits[1].path);
    if (step.edits.size() == 2 && has_copy && last.is_ok() && last.value().field == "material") {
        return "gave " + object_words(last.value()) + " its own material";
    }
    const std::string object = object_of(step.edits.front());
    const auto parsed = scene::edits::parse_path(object);
    const bool is_one =
        parsed.is_ok() && all([&object](const Edit& edit) { return object_of(edit) == object; });
    return is_one ? fmt::format(
                        "changed {} values of {}", step.edits.size(), object_words(parsed.value()))
                  : fmt::format("made {} changes", step.edits.size());
}

}  // namespace weft::app
