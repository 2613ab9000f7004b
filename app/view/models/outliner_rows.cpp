#include "app/view/models/outliner_rows.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "app/view/models/object_name.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

namespace {

std::string small_letters(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return small;
}

std::vector<std::string> words_of(std::string_view search) {
    std::vector<std::string> words(1);
    for (const char letter : small_letters(search)) {
        if (letter == ' ') {
            words.emplace_back();
        } else {
            words.back() += letter;
        }
    }
    std::erase(words, "");
    return words;
}

// One row per node: its instances share a path.
std::vector<OutlinerRow> object_rows(const scene::Scene& scene) {
    std::unordered_map<std::string, u32> row_of;
    std::vector<OutlinerRow> rows;
    for (u32 instance = 0; instance < scene.instances.size(); ++instance) {
        std::string path = scene::node_path(scene, instance);
        const auto [found, is_new] = row_of.try_emplace(path, static_cast<u32>(rows.size()));
        if (is_new) {
            std::string name = shown_name(path);
            rows.push_back({name.empty() ? "(no name)" : std::move(name),
                            std::move(path),
                            scene.instances[instance].node,
                            instance,
                            0});
        }
        ++rows[found->second].instance_count;
    }
    return rows;
}

std::vector<OutlinerRow> family_rows(const scene::Scene& scene, const std::string& family) {
    std::vector<OutlinerRow> rows;
    for (const std::string& path : scene::object_paths(scene, family)) {
        rows.push_back({shown_name(path), path, "", static_cast<u32>(rows.size()), 0});
    }
    return rows;
}

// Hash a text (FNV-1a).
void stir(u64& stamp, std::string_view text) {
    for (const char letter : text) {
        stamp = (stamp ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
    }
    stamp = (stamp ^ 0x100) * 0x100000001b3ULL;  // separates the texts
}

}  // namespace

OutlinerRows outliner_rows(const scene::Scene& scene) {
    return {{object_rows(scene), family_rows(scene, "lights"), family_rows(scene, "materials")}};
}

u64 outliner_stamp(const scene::Scene& scene) {
    u64 stamp = 0xcbf29ce484222325ULL;
    for (const scene::Instance& instance : scene.instances) {
        stir(stamp, instance.node);
        stamp += instance.place;
    }
    stir(stamp, "lights");
    for (const scene::Light& light : scene.lights) {
        stir(stamp, light.name);
    }
    stir(stamp, "materials");
    for (const scene::Material& material : scene.materials) {
        stir(stamp, material.name);
    }
    return stamp;
}

std::vector<u32> search_rows(const std::vector<OutlinerRow>& rows, std::string_view search) {
    const std::vector<std::string> words = words_of(search);
    std::vector<u32> found;
    for (u32 row = 0; row < rows.size(); ++row) {
        const std::string name = words.empty() ? std::string() : small_letters(rows[row].name);
        if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                return name.find(word) != std::string::npos;
            })) {
            found.push_back(row);
        }
    }
    return found;
}

}  // namespace weft::app
