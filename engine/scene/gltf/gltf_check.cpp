// gltf_check.cpp — walks the table of rules over a document, then the few rules that join several
// properties.
#include "engine/scene/gltf/gltf_check.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace weft::scene::gltf {

namespace {

using base::Done;
using base::Error;
using base::Status;

constexpr u64 kMaxVertexStride = 252;

// First token of a JSON pointer and what follows: "/a/b" gives {"a", "/b"}.
std::pair<std::string_view, const char*> split(const char* path) {
    const std::string_view rest(path + 1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    return {rest.substr(0, end), path + 1 + end};
}

struct Place {
    const std::string& file;
    const Json& root;
};

Error wrong(const Place& place,
            const std::string& pointer,
            const Json& found,
            const std::string& expected) {
    std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) {
        text = text.substr(0, 37) + "...";
    }
    return scene_error(place.file, pointer, "is " + text + ", " + expected + " expected");
}

u64 length_of(const Place& place, const char* target) {
    const Json::json_pointer pointer{std::string(target)};
    return place.root.contains(pointer) && place.root[pointer].is_array()
               ? place.root[pointer].size()
               : 0;
}

// A JSON pointer in pieces on the callers' stacks; joined only for an error.
class Pointer {
public:
    Pointer() = default;

    Pointer(const Pointer& parent, std::string_view key) : parent_(&parent), key_(key) {}

    Pointer(const Pointer& parent, std::size_t index) : parent_(&parent), index_(index) {}

    [[nodiscard]] std::string text() const {
        return parent_ == nullptr ? std::string()
                                  : parent_->text() + "/" +
                                        (key_.empty() ? std::to_string(index_) : std::string(key_));
    }

private:
    const Pointer* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
};

Error wrong(const Place& place,
            const Pointer& pointer,
            const Json& found,
            const std::string& expected) {
    return wrong(place, pointer.text(), found, expected);
}

// An integer in [0, limit]; 3.0 becomes 3.
Status check_count(const Place& place, Json& value, const Pointer& pointer, u64 limit) {
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (number >= 0 && number <= 9007199254740992.0 && number == std::floor(number)) {
            value = static_cast<u64>(number);
        }
    }
    if (!value.is_number_unsigned() || value.get<u64>() > limit) {
        return wrong(place, pointer, value, "an integer in [0, " + std::to_string(limit) + "]");
    }
    return Done{};
}

Status check_index(const Place& place, Json& value, const Pointer& pointer, const char* target) {
    const u64 length = length_of(place, target);
    const Status count = check_count(place, value, pointer, ~u64{0});
    if (!count.is_ok() || value.get<u64>() >= length) {
        return wrong(
            place,
            pointer,
            value,
            "an index into " + std::string(target) + " (" + std::to_string(length) + " elements)");
    }
    return Done{};
}

// Calls check_one(element, pointer of element) for each element or member of `value`.
template <typename Check>
Status check_each(Json& value, const Pointer& pointer, const Check& check_one) {
    std::size_t index = 0;
    for (auto it = value.begin(); it != value.end(); ++it, ++index) {
        WEFT_TRY(value.is_object() ? check_one(*it, Pointer(pointer, it.key()))
                                   : check_one(*it, Pointer(pointer, index)));
    }
    return Done{};
}

Status check_array(const Place& place, const Rule& rule, Json& value, const Pointer& pointer) {
    if (!value.is_array()) {
        return wrong(place, pointer, value, "an array");
    }
    if (rule.kind == Kind::Numbers && rule.limit != 0 && value.size() != rule.limit) {
        return wrong(
            place, pointer, value, "an array of " + std::to_string(rule.limit) + " numbers");
    }
    return check_each(value, pointer, [&](Json& element, const Pointer& at) -> Status {
        switch (rule.kind) {
            case Kind::Objects:
                return element.is_object() ? Status(Done{})
                                           : wrong(place, at, element, "an object");
            case Kind::Texts:
                return element.is_string() ? Status(Done{}) : wrong(place, at, element, "a string");
            case Kind::Numbers:
                return element.is_number() ? Status(Done{}) : wrong(place, at, element, "a number");
            default:
                return check_index(place, element, at, rule.target);
        }
    });
}

Status check_value(const Place& place, const Rule& rule, Json& value, const Pointer& pointer) {
    switch (rule.kind) {
        case Kind::Object:
            return value.is_object() ? Status(Done{}) : wrong(place, pointer, value, "an object");
        case Kind::Text:
            return value.is_string() ? Status(Done{}) : wrong(place, pointer, value, "a string");
        case Kind::Flag:
            return value.is_boolean() ? Status(Done{})
                                      : wrong(place, pointer, value, "true or false");
        case Kind::Number:
            return value.is_number() ? Status(Done{}) : wrong(place, pointer, value, "a number");
        case Kind::Count:
            return check_count(place, value, pointer, rule.limit);
        case Kind::Index:
            return check_index(place, value, pointer, rule.target);
        case Kind::IndexMap:
            if (!value.is_object()) {
                return wrong(place, pointer, value, "an object");
            }
            return check_each(value, pointer, [&](Json& element, const Pointer& at) {
                return check_index(place, element, at, rule.target);
            });
        default:
            return check_array(place, rule, value, pointer);
    }
}

// Follows `path` from `value`. A missing parent ends the walk; "*" visits all elements of an array.
Status follow(
    const Place& place, const Rule& rule, const char* path, Json& value, const Pointer& pointer) {
    if (*path == '\0') {
        return check_value(place, rule, value, pointer);
    }
    const auto [token, rest] = split(path);
    if (token == "*") {
        const char* after = rest;
        return check_each(value, pointer, [&](Json& element, const Pointer& at) {
            return follow(place, rule, after, element, at);
        });
    }
    const std::string_view key = token;
    const auto member = value.find(key);
    if (member == value.end()) {
        const bool is_last = *rest == '\0';
        if (rule.is_required && is_last) {
            return scene_error(place.file, Pointer(pointer, key).text(), "is missing");
        }
        return Done{};
    }
    return follow(place, rule, rest, *member, Pointer(pointer, key));
}

Status check_asset(const Place& place) {
    for (const char* key : {"version", "minVersion"}) {
        const std::string version = text_at(place.root["asset"], key);
        if (!version.empty() && version.rfind("2.", 0) != 0) {
            return scene_error(place.file,
                               std::string("/asset/") + key,
                               "is \"" + version + "\", \"2.0\" expected");
        }
        if (std::string_view(key) == "minVersion" && !version.empty() && version != "2.0") {
            return scene_error(place.file,
                               "/asset/minVersion",
                               "is \"" + version + "\", at most \"2.0\" is understood");
        }
    }
    return Done{};
}

Status check_extensions(const Place& place) {
    const Json* required = find(place.root, "extensionsRequired");
    std::string missing;
    for (std::size_t i = 0; required != nullptr && i < required->size(); ++i) {
        const std::string name = (*required)[i].get<std::string>();
        if (!is_known_extension(name)) {
            missing += (missing.empty() ? "" : ", ") + name;
        }
    }
    if (!missing.empty()) {
        return scene_error(place.file,
                           "/extensionsRequired",
                           "asks for " + missing + ", which is not understood here");
    }
    return Done{};
}

Status check_accessors(const Place& place) {
    const Json* accessors = find(place.root, "accessors");
    for (std::size_t i = 0; accessors != nullptr && i < accessors->size(); ++i) {
        const Json& accessor = (*accessors)[i];
        const std::string pointer = "/accessors/" + std::to_string(i);
        const u64 type = accessor["componentType"].get<u64>();
        if (type < 5120 || type > 5126 || type == 5124) {
            return wrong(place,
                         pointer + "/componentType",
                         accessor["componentType"],
                         "5120, 5121, 5122, 5123, 5125 or 5126");
        }
        const std::string shape = text_at(accessor, "type");
        if (shape != "SCALAR" && shape != "VEC2" && shape != "VEC3" && shape != "VEC4" &&
            shape != "MAT2" && shape != "MAT3" && shape != "MAT4") {
            return wrong(
                place, pointer + "/type", accessor["type"], "SCALAR, VEC2 to VEC4 or MAT2 to MAT4");
        }
        const Json* sparse = find(accessor, "sparse");
        if (sparse != nullptr && (*sparse)["count"].get<u64>() > accessor["count"].get<u64>()) {
            return wrong(place,
                         pointer + "/sparse/count",
                         (*sparse)["count"],
                         "at most the accessor's count");
        }
    }
    return Done{};
}

Status check_cameras(const Place& place) {
    const Json* cameras = find(place.root, "cameras");
    for (std::size_t i = 0; cameras != nullptr && i < cameras->size(); ++i) {
        const std::string type = text_at((*cameras)[i], "type");
        const std::string pointer = "/cameras/" + std::to_string(i);
        if (type != "perspective" && type != "orthographic") {
            return wrong(place,
                         pointer + "/type",
                         (*cameras)[i]["type"],
                         "\"perspective\" or \"orthographic\"");
        }
        if (find((*cameras)[i], type.c_str()) == nullptr) {
            return scene_error(place.file, pointer + "/" + type, "is missing");
        }
    }
    return Done{};
}

Status check_strides(const Place& place) {
    const Json* views = find(place.root, "bufferViews");
    for (std::size_t i = 0; views != nullptr && i < views->size(); ++i) {
        const Json* stride = find((*views)[i], "byteStride");
        if (stride != nullptr && stride->get<u64>() > kMaxVertexStride) {
            return wrong(
                place, "/bufferViews/" + std::to_string(i) + "/byteStride", *stride, "at most 252");
        }
    }
    return Done{};
}

}  // namespace

const Json* find_extension(const Json& object, const char* name) {
    const Json* extensions = find(object, "extensions");
    return extensions == nullptr ? nullptr : find(*extensions, name);
}

Status check_json(Json& json, const std::string& path) {
    const Place place{path, json};
    for (const Rule& rule : rules()) {
        WEFT_TRY(follow(place, rule, rule.path, json, Pointer()));
        // An unknown extension is reported before faults inside it.
        if (std::string_view(rule.path) == "/extensionsRequired") {
            WEFT_TRY(check_extensions(place));
        }
    }
    for (const auto check : {check_asset, check_accessors, check_cameras, check_strides}) {
        WEFT_TRY(check(place));
    }
    return Done{};
}

}  // namespace weft::scene::gltf
