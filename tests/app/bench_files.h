// bench_files.h — the files that `weft bench` writes, as its tests read them.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

using nlohmann::json;

inline json json_of(const std::string& path) {
    json read = json::parse(film::bytes_of(path), nullptr, false);
    REQUIRE(read.is_object());
    return read;
}

// Parses XML of elements, attributes and the five predefined entities. Returns the first fault, or
// an empty text if there is none.
inline std::string xml_fault(const std::string& text) {
    std::vector<std::string> open;
    bool has_root = false;
    std::size_t at = text.starts_with("<?xml ") ? text.find("?>") + 2 : 0;
    while (at < text.size()) {
        if (text[at] == '&') {
            const std::string entity = text.substr(at, text.find(';', at) + 1 - at);
            const std::set<std::string> known = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
            if (known.count(entity) == 0) {
                return "unknown entity " + entity;
            }
        }
        if (text[at] != '<') {
            ++at;
            continue;
        }
        const std::size_t end = text.find('>', at);
        if (end == std::string::npos) {
            return "a tag without end";
        }
        const std::string tag = text.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag.find('<') != std::string::npos ||
            std::count(tag.begin(), tag.end(), '"') % 2 != 0) {
            return "a broken tag " + tag;
        }
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1)) {
                return "an unexpected end of " + tag;
            }
            open.pop_back();
            continue;
        }
        if (open.empty() && has_root) {
            return "a second root " + tag;
        }
        has_root = true;
        if (tag.back() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    return open.empty() && has_root ? "" : "something is left open";
}

}  // namespace weft::app::testing
