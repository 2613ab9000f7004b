#include "app/serve/request.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/scene/files/json_text.h"

namespace weft::app::serve {

namespace {

using scene::Json;

// Characters of a wrong value that a sentence repeats.
constexpr std::size_t kMostShown = 60;

base::Error wrong(const std::string& member, const Json* maybe_found, const std::string& expected) {
    std::string found = maybe_found ? scene::json_to_text(*maybe_found) : "none";
    if (found.size() > kMostShown) {
        found = found.substr(0, kMostShown) + "…";
    }
    return {base::ErrorKind::Usage, member + ": found " + found + ", expected " + expected};
}

// Text that may be a name: no file name or option holds a zero, and system calls would end there.
bool is_name(const Json& text) {
    return scene::is_text(text) && scene::text_of(text).find('\0') == std::string::npos;
}

base::Status read_name(const Json& message, const char* name, std::string& text) {
    const Json* const found = scene::find(message, name);
    if (found == nullptr || !is_name(*found) || scene::text_of(*found).empty()) {
        return wrong(name, found, "a text");
    }
    text = scene::text_of(*found);
    return base::Done{};
}

// Reads a list of texts; a member that is absent stays empty.
base::Status read_texts(const Json& message, const char* name, std::vector<std::string>& texts) {
    const Json* const list = scene::find(message, name);
    if (list == nullptr) {
        return base::Done{};
    }
    constexpr const char* kExpected = "a list of texts";
    if (!scene::is_list(*list)) {
        return wrong(name, list, kExpected);
    }
    for (std::size_t k = 0; k < scene::size_of(*list); ++k) {
        const Json& text = scene::item(*list, k);
        if (!is_name(text)) {
            return wrong(std::string(name) + "/" + std::to_string(k), &text, "a text");
        }
        texts.push_back(scene::text_of(text));
    }
    return base::Done{};
}

base::Status read_flag(const Json& message, const char* name, bool& flag) {
    const Json* const found = scene::find(message, name);
    if (found == nullptr) {
        return base::Done{};
    }
    const std::string text = scene::json_to_text(*found);
    if (text != "true" && text != "false") {
        return wrong(name, found, "true or false");
    }
    flag = text == "true";
    return base::Done{};
}

base::Status read_hello(const Json& message, Request& request) {
    const Json* const version = scene::find(message, "version");
    if (version == nullptr || !scene::is_count(*version)) {
        return wrong("version", version, "the number of a version of the protocol");
    }
    request.version = scene::count_of(*version);
    return base::Done{};
}

base::Status read_load(const Json& message, Request& request) {
    WEFT_TRY(read_texts(message, "scenes", request.scenes));
    if (request.scenes.empty()) {
        return wrong("scenes", scene::find(message, "scenes"), "a list with at least one scene");
    }
    return read_texts(message, "options", request.options);
}

base::Status read_settings(const Json& message, Request& request) {
    WEFT_TRY(read_texts(message, "options", request.options));
    WEFT_TRY(read_flag(message, "denoise", request.is_denoised));
    const Json* const pixels = scene::find(message, "pixels");
    if (pixels == nullptr) {
        return base::Done{};
    }
    const bool is_text = scene::is_text(*pixels);
    if (!is_text || (scene::text_of(*pixels) != "linear" && scene::text_of(*pixels) != "display")) {
        return wrong("pixels", pixels, "\"linear\" or \"display\"");
    }
    request.pixels = scene::text_of(*pixels) == "linear" ? PixelKind::Linear : PixelKind::Display;
    return base::Done{};
}

base::Status read_edits(const Json& message, Request& request) {
    const Json* const list = scene::find(message, "edits");
    if (list == nullptr || !scene::is_list(*list)) {
        return wrong("edits", list, "a list of {\"path\": ..., \"value\": ...}");
    }
    for (std::size_t k = 0; k < scene::size_of(*list); ++k) {
        const Json& edit = scene::item(*list, k);
        const Json* const path = scene::find(edit, "path");
        const Json* const value = scene::find(edit, "value");
        if (path == nullptr || value == nullptr || !scene::is_text(*path) ||
            scene::size_of(edit) != 2) {
            return wrong(
                "edits/" + std::to_string(k), &edit, "{\"path\": \"...\", \"value\": ...}");
        }
        request.edits.push_back({scene::text_of(*path), scene::json_to_text(*value)});
    }
    return base::Done{};
}

base::Status read_mesh(const Json& message, Request& request) {
    WEFT_TRY(read_name(message, "mesh", request.mesh));
    return read_name(message, "file", request.file);
}

// A file in the server's folder: no name leads out of it, or to what is hidden.
base::Status read_save(const Json& message, Request& request) {
    WEFT_TRY(read_name(message, "file", request.file));
    if (request.file.front() == '.' || request.file.find('/') != std::string::npos) {
        return wrong("file",
                     scene::find(message, "file"),
                     "the name of a file without a folder, which does not begin with a dot");
    }
    return base::Done{};
}

base::Status read_pause(const Json& message, Request& request) {
    if (scene::find(message, "paused") == nullptr) {
        return wrong("paused", nullptr, "true or false");
    }
    return read_flag(message, "paused", request.is_paused);
}

base::Status read_nothing(const Json& /*message*/, Request& /*request*/) {
    return base::Done{};
}

// A message: its name, the members that it may have beside "do" and "id", and what reads them.
struct MessageRow {
    std::string_view name;
    Action action;
    std::array<std::string_view, 3> members;
    base::Status (*read)(const Json& message, Request& request);
};

constexpr std::array<MessageRow, 9> kMessages = {{
    {"hello", Action::Hello, {"version"}, read_hello},
    {"load", Action::Load, {"scenes", "options"}, read_load},
    {"settings", Action::Settings, {"options", "pixels", "denoise"}, read_settings},
    {"edit", Action::Edit, {"edits"}, read_edits},
    {"mesh", Action::Mesh, {"mesh", "file"}, read_mesh},
    {"save", Action::Save, {"file"}, read_save},
    {"pause", Action::Pause, {"paused"}, read_pause},
    {"status", Action::Status, {}, read_nothing},
    {"quit", Action::Quit, {}, read_nothing},
}};

std::string message_names() {
    std::string names;
    for (const MessageRow& row : kMessages) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

base::Status check_members(const Json& message, const MessageRow& row) {
    for (const scene::JsonMember& member : scene::members(message)) {
        const bool is_known =
            member.name == "do" || member.name == "id" ||
            (!member.name.empty() &&
             std::find(row.members.begin(), row.members.end(), member.name) != row.members.end());
        if (!is_known) {
            return base::Error{base::ErrorKind::Usage,
                               std::string(row.name) + ": has no member \"" +
                                   member.name.substr(0, kMostShown) + "\""};
        }
    }
    return base::Done{};
}

base::Result<Request> read_message(const Json& message) {
    const Json* const name = scene::find(message, "do");
    const auto* const row =
        std::find_if(kMessages.begin(), kMessages.end(), [&](const MessageRow& candidate) {
            return name != nullptr && scene::is_text(*name) &&
                   candidate.name == scene::text_of(*name);
        });
    if (row == kMessages.end()) {
        return wrong("do", name, "one of " + message_names());
    }
    Request request;
    request.action = row->action;
    WEFT_TRY(check_members(message, *row));
    const base::Status read = row->read(message, request);
    if (!read.is_ok()) {
        return base::Error{read.error().kind, std::string(row->name) + "/" + read.error().sentence};
    }
    return request;
}

}  // namespace

ReadRequest read_request(std::string_view text) {
    const base::Result<Json> message = scene::parse_json(text);
    if (!message.is_ok()) {
        return {0, base::Error{base::ErrorKind::Usage, "a message: " + message.error().sentence}};
    }
    const Json* const id = scene::find(message.value(), "id");
    if (id != nullptr && !scene::is_count(*id)) {
        return {0, wrong("id", id, "a whole number")};
    }
    return {id != nullptr ? scene::count_of(*id) : 0, read_message(message.value())};
}

}  // namespace weft::app::serve
