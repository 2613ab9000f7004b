#include "engine/film/light_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::film {

namespace {

constexpr std::string_view kPrefix = "light_";

base::Error usage(std::string sentence) {
    return {base::ErrorKind::Usage, "--light-groups: " + std::move(sentence)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> words;
    for (;;) {
        const std::size_t end = std::min(text.find(separator), text.size());
        words.push_back(text.substr(0, end));
        if (end == text.size()) {
            return words;
        }
        text.remove_prefix(end + 1);
    }
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

base::Status check_name(std::string_view name, const LightGroups& before) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_letter)) {
        return usage(fmt::format(
            "the name of group '{}' names channels; expected letters a to z, digits and _", name));
    }
    if (name.size() > kMostGroupLetters) {
        return usage(fmt::format("the name of group '{}' has {} letters; expected at most {}",
                                 name,
                                 name.size(),
                                 kMostGroupLetters));
    }
    if (name == kRestGroup) {
        return usage("the group rest is that of all other lights; expected another name");
    }
    if (std::any_of(before.begin(), before.end(), [&](const LightGroup& group) {
            return group.name == name;
        })) {
        return usage(fmt::format("the group {} is there twice; expected one of a name", name));
    }
    return base::Done{};
}

}  // namespace

base::Result<LightGroups> parse_light_groups(const std::string& text) {
    LightGroups groups;
    for (const std::string_view part : split(text, ';')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            return usage(fmt::format(
                "expected NAME=PATTERN,...;NAME=PATTERN,..., found '{}' without =", part));
        }
        const std::string_view name = part.substr(0, equals);
        WEFT_TRY(check_name(name, groups));
        LightGroup group{std::string(name), {}};
        for (const std::string_view pattern : split(part.substr(equals + 1), ',')) {
            if (pattern.empty()) {
                return usage(fmt::format(
                    "group {} has an empty pattern; expected names with commas between", name));
            }
            group.patterns.emplace_back(pattern);
        }
        groups.push_back(std::move(group));
    }
    if (groups.size() >= kMostLightGroups) {
        return usage(fmt::format(
            "found {} groups; at most {} are possible", groups.size(), kMostLightGroups - 1));
    }
    return groups;
}

std::string text_of(const LightGroups& groups) {
    std::string text;
    for (const LightGroup& group : groups) {
        text += fmt::format(
            "{}{}={}", text.empty() ? "" : ";", group.name, fmt::join(group.patterns, ","));
    }
    return text;
}

std::vector<std::string> light_layer_names(const LightGroups& groups) {
    std::vector<std::string> names;
    for (const LightGroup& group : groups) {
        names.push_back(std::string(kPrefix) + group.name);
    }
    if (!groups.empty()) {
        names.push_back(std::string(kPrefix) + std::string(kRestGroup));
    }
    return names;
}

std::vector<Aov> light_layers(const LightGroups& groups) {
    std::vector<Aov> layers;
    for (u32 k = 0; k < light_layer_names(groups).size(); ++k) {
        layers.push_back(light_group(k));
    }
    return layers;
}

namespace {

// The place behind the letter of UTF-8 that begins at `at`.
std::size_t behind_letter(std::string_view text, std::size_t at) {
    do {
        ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U);
    return at;
}

}  // namespace

// Greedy: after a `*` the rest is tried at each place in turn, and only the last `*` is ever moved.
bool is_match(std::string_view pattern, std::string_view name) {
    std::size_t at = 0;
    std::size_t star = std::string_view::npos;  // behind the last `*`
    std::size_t tried = 0;                      // where the rest was tried last
    std::size_t letter = 0;
    while (letter < name.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = ++at;
            tried = letter;
        } else if (at < pattern.size() && pattern[at] == '?') {
            ++at;
            letter = behind_letter(name, letter);
        } else if (at < pattern.size() && pattern[at] == name[letter]) {
            ++at;
            ++letter;
        } else if (star != std::string_view::npos) {
            at = star;
            tried = behind_letter(name, tried);
            letter = tried;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace weft::film
