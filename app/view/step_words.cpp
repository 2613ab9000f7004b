#include "app/view/step_words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "engine/scene/edit_path.h"

namespace weft::app {

namespace {

using scene::Edit;
using scene::edits::Address;

// "jade", "the camera".
std::string object_words(const Address& address) {
    return address.name.empty() ? "the " + address.family : address.name;
}

// As its panel says, in small letters: "base colour"; the field's own name where no object has it.
std::string field_words(const Document& document, const Edit& edit, const Address& address) {
    const std::string object = edit.path.substr(0, edit.path.size() - address.field.size() - 1);
    for (const scene::EditField& field :
         scene::editable_fields(document.scene(), document.context(), object)) {
        if (field.path == edit.path) {
            std::string words = field.label;
            words[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
            const bool is_map = field.kind == scene::EditKind::Texture && !words.ends_with("map");
            return is_map ? words + " map" : words;
        }
    }
    return address.field;
}

std::string edit_words(const Document& document, const Edit& edit, const Edit& inverse) {
    const auto parsed = scene::edits::parse_path(edit.path);
    if (!parsed.is_ok()) {
        return edit.path;
    }
    const Address& address = parsed.value();
    const std::string object = object_words(address);
    if (!address.field.empty()) {
        const bool is_eye = address.family == "nodes" && address.field == "visible";
        return is_eye ? (edit.value == "false" ? "hiding " : "showing ") + object
                      : field_words(document, edit, address) + " of " + object;
    }
    return edit.value == "null"      ? "deleting " + object
           : inverse.value == "null" ? "adding " + object
                                     : object + " as a whole";
}

// The object of an edit, with its number among those of one name.
std::string object_of(const Edit& edit) {
    const auto parsed = scene::edits::parse_path(edit.path);
    const bool has_field = parsed.is_ok() && !parsed.value().field.empty();
    return has_field ? edit.path.substr(0, edit.path.size() - parsed.value().field.size() - 1)
                     : edit.path;
}

}  // namespace

std::string step_words(const Document& document, const Document::Step& step) {
    if (step.gesture != 0) {
        return "a move of the camera";
    }
    if (step.edits.size() == 1) {
        return edit_words(document, step.edits.front(), step.inverses.front());
    }
    const auto all = [&step](const auto& holds) {
        return std::all_of(step.edits.begin(), step.edits.end(), holds);
    };
    if (all([](const Edit& edit) { return edit.path.ends_with("/visible"); })) {
        return fmt::format("what is hidden of {} objects", step.edits.size());
    }
    const bool has_copy = step.edits.front().value.find("\"copy_of\"") != std::string::npos;
    if (step.edits.size() == 2 && has_copy && step.edits[1].path.ends_with("/material")) {
        return "an own " + edit_words(document, step.edits[1], step.inverses[1]);
    }
    const std::string object = object_of(step.edits.front());
    const auto parsed = scene::edits::parse_path(object);
    const bool is_one =
        parsed.is_ok() && all([&object](const Edit& edit) { return object_of(edit) == object; });
    const std::string changes = fmt::format("{} changes", step.edits.size());
    return is_one ? changes + " of " + object_words(parsed.value()) : changes;
}

}  // namespace weft::app
