// mitsuba_document.cpp — see mitsuba_document.h. pugixml expands no entities but those of XML.
#include "engine/scene/mitsuba/mitsuba_document.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <pugixml.hpp>

#include "engine/scene/parts/text_words.h"
#include "scheduler/base/input_file.h"

namespace weft::scene::mitsuba {

namespace {

// Files that may include each other at once: more means that files include themselves.
constexpr std::size_t kMostOpen = 16;
// Files that one scene may include: files that each include the next one twice soon exceed it.
constexpr std::size_t kMostFiles = 10000;
// Elements within each other.
constexpr std::size_t kMostNested = 64;
// Bytes of a value after its $names are replaced.
constexpr std::size_t kMostValueBytes = std::size_t{1} << 20;
// What pugixml and the importer make of a byte, at most: an element of four bytes.
constexpr u64 kBytesPerByte = 100;

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

bool is_name_letter(char c) {
    return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') || c == '_';
}

// "intIOR" as "int_ior".
std::string snake_case(const std::string& name) {
    std::string made;
    for (std::size_t k = 0; k < name.size(); ++k) {
        const bool begins_word = k > 0 && is_upper(name[k]) && is_lower(name[k - 1]);
        made += begins_word ? "_" : "";
        made += is_upper(name[k]) ? static_cast<char>(name[k] + 32) : name[k];
    }
    return made;
}

std::vector<std::size_t> line_ends_of(std::string_view text) {
    std::vector<std::size_t> ends;
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
        ends.push_back(at);
    }
    return ends;
}

Place place_at(const std::string* file,
               const std::vector<std::size_t>& line_ends,
               std::ptrdiff_t offset) {
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    const auto end = std::lower_bound(line_ends.begin(), line_ends.end(), at);
    const std::size_t begin = end == line_ends.begin() ? 0 : end[-1] + 1;
    return {file,
            static_cast<u32>(end - line_ends.begin()) + 1,
            static_cast<u32>(at - std::min(begin, at)) + 1};
}

bool is_version_before_2(std::string_view version) {
    const std::optional<u32> major = number_of<u32>(version.substr(0, version.find('.')));
    return major && *major < 2;
}

// Conductors of version 0.x are copper where they do not say more, those of 3.x reflect all.
void add_old_default(Element& element) {
    const std::string& type = element.type();
    const bool is_conductor =
        element.tag == "bsdf" && (type == "conductor" || type == "roughconductor");
    const bool is_plain =
        std::none_of(element.children.begin(), element.children.end(), [](const Element& child) {
            return child.name() == "material";
        });
    if (is_conductor && is_plain) {
        Element metal;
        metal.tag = "string";
        metal.attributes = {{"name", "material"}, {"value", "Cu"}};
        metal.place = element.place;
        element.children.push_back(std::move(metal));
    }
}

}  // namespace

base::Error error_at(const Place& place, const std::string& sentence) {
    return {base::ErrorKind::Scene, place.text() + ": " + sentence};
}

base::Error error_of_file(const Place& place, base::Error error) {
    error.sentence = place.text() + ": " + error.sentence;
    return error;
}

bool Element::has(std::string_view attribute) const {
    return std::any_of(attributes.begin(), attributes.end(), [&](const auto& entry) {
        return entry.first == attribute;
    });
}

const std::string& Element::attribute(std::string_view name) const {
    static const std::string none;
    const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& entry) {
        return entry.first == name;
    });
    return found == attributes.end() ? none : found->second;
}

std::string Element::text() const {
    std::string text = "<" + tag.substr(0, 40);
    for (const char* const attribute_name : {"type", "name", "id"}) {
        if (has(attribute_name)) {
            text += std::string(" ") + attribute_name + "=\"" +
                    attribute(attribute_name).substr(0, 40) + "\"";
        }
    }
    return text + ">";
}

base::Status Document::read(const std::string& path) {
    scene_.tag = "scene";
    WEFT_TRY(read_file(path, 0, scene_));
    index(scene_);
    return base::Done{};
}

base::Status Document::read_file(const std::string& path, std::size_t depth, Element& into) {
    const base::Result<std::vector<u8>> bytes = base::read_input_file(path, "a Mitsuba scene");
    WEFT_TRY(bytes);
    size_.add_read(bytes.value().size());
    WEFT_TRY(size_.add_made(kBytesPerByte * bytes.value().size(), path));
    files_.push_back(path);
    Source source{&files_.back(), line_ends_of(base::as_text(bytes.value())), false, depth};
    pugi::xml_document xml;
    const pugi::xml_parse_result parsed = xml.load_buffer(
        bytes.value().data(), bytes.value().size(), pugi::parse_default, pugi::encoding_auto);
    if (!parsed) {
        return error_at(place_at(source.path, source.line_ends, parsed.offset),
                        "is no XML that can be read (" + std::string(parsed.description()) +
                            "); expected a Mitsuba scene.");
    }
    const pugi::xml_node root = xml.document_element();
    source.is_old = is_version_before_2(root.attribute("version").value());
    const bool is_scene = std::string_view(root.name()) == "scene";
    if (depth == 0 && !is_scene) {
        return error_at(
            place_at(source.path, source.line_ends, root.offset_debug()),
            "begins with <" + std::string(root.name()).substr(0, 40) + ">; expected <scene>.");
    }
    if (depth == 0) {
        into.place = place_at(source.path, source.line_ends, root.offset_debug());
    }
    return is_scene ? read_children(root, source, 0, into) : read_element(root, source, 0, into);
}

base::Status Document::read_children(const pugi::xml_node& node,
                                     const Source& source,
                                     std::size_t level,
                                     Element& into) {
    for (const pugi::xml_node child : node.children()) {
        if (child.type() == pugi::node_element) {
            WEFT_TRY(read_element(child, source, level, into));
        }
    }
    return base::Done{};
}

base::Status Document::read_element(const pugi::xml_node& node,
                                    const Source& source,
                                    std::size_t level,
                                    Element& into) {
    base::Result<Element> read = read_attributes(node, source);
    WEFT_TRY(read);
    Element& element = read.value();
    if (level >= kMostNested) {
        return error_at(element.place,
                        element.text() + " lies within more than " + std::to_string(kMostNested) +
                            " elements; expected fewer.");
    }
    if (element.tag == "default") {
        // The first one counts.
        defaults_.try_emplace(element.name(), element.attribute("value"));
        return base::Done{};
    }
    if (element.tag == "alias") {
        aliases_[element.attribute("as")] = element.id();
        return base::Done{};
    }
    if (element.tag == "path" || element.tag == "resource") {
        folders_.push_back(
            element.attribute(element.has("value") ? std::string_view("value") : "path"));
        return base::Done{};
    }
    if (element.tag == "include") {
        const std::string& name = element.attribute("filename");
        if (source.depth + 1 >= kMostOpen || files_.size() >= kMostFiles) {
            return error_at(element.place,
                            "includes \"" + name + "\" as file " +
                                std::to_string(files_.size() + 1) +
                                "; expected files that do not include themselves.");
        }
        const std::optional<std::string> path = find_file(name);
        if (!path) {
            return outside_error(element.place.text() + ": an included file", name);
        }
        // Its errors name the included file.
        return read_file(*path, source.depth + 1, into);
    }
    WEFT_TRY(read_children(node, source, level + 1, element));
    if (source.is_old) {
        add_old_default(element);
    }
    into.children.push_back(std::move(element));
    return base::Done{};
}

base::Result<Element> Document::read_attributes(const pugi::xml_node& node, const Source& source) {
    Element element;
    element.tag = node.name();
    element.place = place_at(source.path, source.line_ends, node.offset_debug());
    if (element.tag == "lookAt") {
        element.tag = "lookat";
    }
    for (const pugi::xml_attribute attribute : node.attributes()) {
        base::Result<std::string> value = filled(attribute.value(), element.place);
        WEFT_TRY(value);
        const bool is_renamed = source.is_old && element.tag != "default" &&
                                std::string_view(attribute.name()) == "name";
        element.attributes.emplace_back(
            attribute.name(), is_renamed ? snake_case(value.value()) : std::move(value.value()));
    }
    return element;
}

base::Result<std::string> Document::filled(std::string_view value, const Place& place) {
    if (value.find('$') == std::string_view::npos) {
        return std::string(value);
    }
    std::string made;
    while (!value.empty()) {
        const std::size_t plain = std::min(value.find('$'), value.size());
        made += value.substr(0, plain);
        value.remove_prefix(plain);
        if (value.empty()) {
            break;
        }
        // The longest name that is known; "$ab" may be $a before a b.
        std::size_t length = 1;
        while (length < value.size() && is_name_letter(value[length])) {
            ++length;
        }
        auto found = defaults_.end();
        for (std::size_t tried = length; tried > 1 && found == defaults_.end(); --tried) {
            found = defaults_.find(value.substr(1, tried - 1));
        }
        if (found == defaults_.end()) {
            return error_at(place,
                            "names the parameter \"" + std::string(value.substr(0, length)) +
                                "\"; expected one that a <default> sets before.");
        }
        made += found->second;
        value.remove_prefix(found->first.size() + 1);
        if (made.size() > kMostValueBytes) {
            return error_at(place,
                            "has a value of more than " + std::to_string(kMostValueBytes) +
                                " bytes from its parameters; expected a shorter one.");
        }
    }
    WEFT_TRY(size_.add_made(made.size(), "its parameters"));
    return made;
}

void Document::index(const Element& element) {
    for (const Element& child : element.children) {
        if (child.tag != "ref" && !child.id().empty()) {
            by_id_.try_emplace(child.id(), &child);
        }
        index(child);
    }
}

const Element* Document::find(const std::string& id) const {
    const auto alias = aliases_.find(id);
    const auto found = by_id_.find(alias == aliases_.end() ? id : alias->second);
    return found == by_id_.end() ? nullptr : found->second;
}

std::optional<std::string> Document::find_file(const std::string& name) const {
    std::error_code problem;
    const std::optional<std::string> beside = roots_.find(name);
    if (beside && std::filesystem::is_regular_file(*beside, problem)) {
        return beside;
    }
    for (const std::string& folder : folders_) {
        const std::optional<std::string> in_folder =
            roots_.find((std::filesystem::path(folder) / name).string());
        if (in_folder && std::filesystem::is_regular_file(*in_folder, problem)) {
            return in_folder;
        }
    }
    return beside;
}

}  // namespace weft::scene::mitsuba
