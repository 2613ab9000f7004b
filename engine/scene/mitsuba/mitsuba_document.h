// mitsuba_document.h — the elements of a Mitsuba scene: XML with its includes, defaults and aliases
// in place, and names of version 0.x as those of 3.x.
//
// Private to the Mitsuba importer; one thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/files/asset_root.h"
#include "engine/scene/model/size_rule.h"
#include "scheduler/base/result.h"

namespace pugi {
class xml_node;
}

namespace weft::scene::mitsuba {

// A place in a file of the scene; the name outlives the import.
struct Place {
    const std::string* file = nullptr;
    u32 line = 0;
    u32 column = 0;

    [[nodiscard]] std::string text() const {
        return *file + ":" + std::to_string(line) + ":" + std::to_string(column);
    }
};

base::Error error_at(const Place& place, const std::string& sentence);
// The error of a file that the scene names at `place`.
base::Error error_of_file(const Place& place, base::Error error);

// One element; $names in its attributes are replaced.
struct Element {
    std::string tag;  // "shape", "float", ...
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<Element> children;
    Place place;
    mutable bool is_used = false;  // somebody asked for it

    [[nodiscard]] bool has(std::string_view attribute) const;
    // Empty: there is none.
    [[nodiscard]] const std::string& attribute(std::string_view name) const;

    [[nodiscard]] const std::string& name() const { return attribute("name"); }

    [[nodiscard]] const std::string& type() const { return attribute("type"); }

    [[nodiscard]] const std::string& id() const { return attribute("id"); }

    // "<float name="fov">", for sentences.
    [[nodiscard]] std::string text() const;
};

class Document {
public:
    // Files must lie in the folders of `roots`; `size` counts their bytes and what they become.
    Document(const AssetRoots& roots, SizeRule& size) : roots_(roots), size_(size) {}

    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    base::Status read(const std::string& path);

    // The element "scene", valid while the document lives.
    [[nodiscard]] const Element& scene() const { return scene_; }

    // The element with the id, or with an alias of it; null: none.
    [[nodiscard]] const Element* find(const std::string& id) const;

    // The path of a file that the scene names: beside it, or in a folder of <path>. Empty: it lies
    // where the scene may not read.
    [[nodiscard]] std::optional<std::string> find_file(const std::string& name) const;

private:
    // A file that is being read.
    struct Source {
        const std::string* path;
        std::vector<std::size_t> line_ends;
        bool is_old;  // of a version before 2
        std::size_t depth;
    };

    base::Status read_file(const std::string& path, std::size_t depth, Element& into);
    base::Status read_children(const pugi::xml_node& node,
                               const Source& source,
                               std::size_t level,
                               Element& into);
    // Reads one element into `into`, or as an included file, a default, an alias or a folder.
    base::Status read_element(const pugi::xml_node& node,
                              const Source& source,
                              std::size_t level,
                              Element& into);
    base::Result<Element> read_attributes(const pugi::xml_node& node, const Source& source);
    base::Result<std::string> filled(std::string_view value, const Place& place);
    void index(const Element& element);

    const AssetRoots& roots_;
    SizeRule& size_;
    std::deque<std::string> files_;
    std::vector<std::string> folders_;
    std::map<std::string, std::string, std::less<>> defaults_;
    std::map<std::string, std::string, std::less<>> aliases_;
    std::map<std::string, const Element*, std::less<>> by_id_;
    Element scene_;
};

}  // namespace weft::scene::mitsuba
