#include "app/view/models/outliner_rows.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>

#include "app/view/models/object_name.h"
#include "engine/scene/edit/edit_path.h"

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

std::string name_of(const std::string& path) {
    std::string name = shown_name(path);
    return name.empty() ? "(no name)" : name;
}

// `given_name`: empty, or what the thing is called in place of the name in its path.
OutlinerRow row_of(RowKind kind,
                   std::string path,
                   u32 first,
                   const std::string& given_name = std::string()) {
    OutlinerRow row;
    row.kind = kind;
    row.name = given_name.empty() ? name_of(path) : given_name;
    row.path = std::move(path);
    row.first = first;
    return row;
}

// By group: the first instance in it or below it, by which it is placed among objects.
std::vector<u32> first_instances(const scene::Scene& scene) {
    std::vector<u32> first(scene.groups.size(), kNone);
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        for (u32 group = scene.instances[k].group; group != kNone && first[group] == kNone;
             group = scene.groups[group].parent) {
            first[group] = k;
        }
    }
    return first;
}

// What stands in each group, and outside all of them: groups and objects in the order of the file,
// then lights and cameras.
class Standing {
public:
    explicit Standing(const scene::Scene& scene) : by_group_(scene.groups.size() + 1) {
        for (u32 k = 0; k < scene.groups.size(); ++k) {
            const scene::Group& group = scene.groups[k];
            add(group.parent,
                row_of(RowKind::Group, scene::group_path(scene, k), k, group.given_name));
        }
        add_objects(scene);
        put_in_order(first_instances(scene));
        add_family(scene, "lights", RowKind::Light, scene.lights);
        add_family(scene, "cameras", RowKind::Camera, scene.cameras);
    }

    // Appends all that is outside of groups and passes the test, with what is below it.
    template <typename Test>
    void append(OutlinerRows& list, const Test& is_wanted) {
        struct Open {
            u32 row = 0;
            u32 depth = 0;
        };

        std::vector<Open> open;
        const auto push = [&](const std::vector<u32>& rows, u32 depth) {
            for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
                if (depth > 1 || is_wanted(rows_[*row])) {
                    open.push_back({*row, depth});
                }
            }
        };
        push(by_group_.back(), 1);
        while (!open.empty()) {
            const auto [row, depth] = open.back();
            open.pop_back();
            list.push_back(std::move(rows_[row]));
            list.back().depth = depth;
            if (list.back().kind == RowKind::Group) {
                push(by_group_[list.back().first], depth + 1);
            }
        }
    }

private:
    void add(u32 group, OutlinerRow row) {
        std::vector<u32>& standing = group < by_group_.size() ? by_group_[group] : by_group_.back();
        standing.push_back(static_cast<u32>(rows_.size()));
        rows_.push_back(std::move(row));
    }

    // Groups and objects by their first instances; both are there, and nothing else.
    void put_in_order(const std::vector<u32>& first_of_group) {
        const auto place = [&](u32 index) {
            const OutlinerRow& row = rows_[index];
            return row.kind == RowKind::Group ? first_of_group[row.first] : row.first;
        };
        for (std::vector<u32>& standing : by_group_) {
            std::stable_sort(standing.begin(), standing.end(), [&](u32 left, u32 right) {
                return place(left) < place(right);
            });
        }
    }

    // One row per node: its instances share a path.
    void add_objects(const scene::Scene& scene) {
        std::unordered_map<std::string, u32> known;
        for (u32 instance = 0; instance < scene.instances.size(); ++instance) {
            std::string path = scene::node_path(scene, instance);
            const auto [at, is_new] = known.try_emplace(path, static_cast<u32>(rows_.size()));
            if (is_new) {
                const scene::Instance& first = scene.instances[instance];
                add(first.group,
                    row_of(RowKind::Object,
                           std::move(path),
                           instance,
                           first.given_name == kNone ? "" : scene::present_name(scene, first)));
            }
            ++rows_[at->second].instance_count;
        }
    }

    template <typename Items>
    void add_family(const scene::Scene& scene,
                    const char* family,
                    RowKind kind,
                    const Items& items) {
        const std::vector<std::string> paths = scene::object_paths(scene, family);
        for (u32 k = 0; k < paths.size(); ++k) {
            add(items[k].group, row_of(kind, paths[k], k, items[k].given_name));
        }
    }

    OutlinerRows rows_;
    std::vector<std::vector<u32>> by_group_;  // indices into rows_; the last: outside of groups
};

void append_section(OutlinerRows& rows, const char* title) {
    OutlinerRow row;
    row.kind = RowKind::Section;
    row.name = row.path = title;
    rows.push_back(std::move(row));
}

RowKind kind_of(std::string_view family) {
    return family == "groups"    ? RowKind::Group
           : family == "lights"  ? RowKind::Light
           : family == "cameras" ? RowKind::Camera
                                 : RowKind::Object;
}

// Collections and their members; `tree` has the rows of those.
void append_collections(OutlinerRows& rows,
                        const std::vector<scene::Collection>& collections,
                        const OutlinerRows& tree) {
    std::unordered_map<std::string_view, const OutlinerRow*> by_path;
    for (const OutlinerRow& row : tree) {
        by_path.emplace(row.path, &row);
    }
    for (const scene::Collection& collection : collections) {
        rows.push_back(row_of(RowKind::Collection,
                              scene::edits::object_path("collections", collection.name, 1),
                              kNone));
        rows.back().depth = 1;
        for (const std::string& member : collection.members) {
            const auto known = by_path.find(member);
            OutlinerRow row = known == by_path.end()
                                  ? row_of(kind_of(family_of(member)), member, kNone)
                                  : *known->second;
            row.depth = 2;
            row.is_member = true;
            rows.push_back(std::move(row));
        }
    }
}

// Sets `end` of all rows from their depths.
void close_rows(OutlinerRows& rows) {
    std::vector<u32> open;
    for (u32 k = 0; k <= rows.size(); ++k) {
        while (!open.empty() && (k == rows.size() || rows[open.back()].depth >= rows[k].depth)) {
            rows[open.back()].end = k;
            open.pop_back();
        }
        open.push_back(k);
    }
}

// Hash a text (FNV-1a).
void stir(u64& stamp, std::string_view text) {
    for (const char letter : text) {
        stamp = (stamp ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
    }
    stamp = (stamp ^ 0x100) * 0x100000001b3ULL;  // separates the texts
}

template <typename Items>
void stir_names(u64& stamp, const char* family, const Items& items) {
    stir(stamp, family);
    for (const auto& item : items) {
        stir(stamp, item.name);
        if constexpr (requires { item.given_name; }) {
            stir(stamp, item.given_name);
        }
    }
}

}  // namespace

OutlinerRows outliner_rows(const scene::Scene& scene,
                           const std::vector<scene::Collection>& collections) {
    Standing standing(scene);
    OutlinerRows tree;
    append_section(tree, "Objects");
    standing.append(tree, [](const OutlinerRow& row) {
        return row.kind == RowKind::Group || row.kind == RowKind::Object;
    });
    append_section(tree, "Lights");
    standing.append(tree, [](const OutlinerRow& row) { return row.kind == RowKind::Light; });
    tree.push_back(row_of(RowKind::Environment, "environment", kNone));
    tree.back().name = "Environment";
    tree.back().depth = 1;
    if (!scene.cameras.empty()) {
        append_section(tree, "Cameras");
        standing.append(tree, [](const OutlinerRow& row) { return row.kind == RowKind::Camera; });
    }
    append_section(tree, "Materials");
    const std::vector<std::string> materials = scene::object_paths(scene, "materials");
    for (u32 k = 0; k < materials.size(); ++k) {
        tree.push_back(row_of(RowKind::Material, materials[k], k));
        tree.back().depth = 1;
    }
    OutlinerRows rows;
    if (!collections.empty()) {
        append_section(rows, "Collections");
        append_collections(rows, collections, tree);
    }
    rows.insert(
        rows.end(), std::make_move_iterator(tree.begin()), std::make_move_iterator(tree.end()));
    close_rows(rows);
    return rows;
}

u64 outliner_stamp(const scene::Scene& scene, const std::vector<scene::Collection>& collections) {
    u64 stamp = 0xcbf29ce484222325ULL;
    for (const scene::Instance& instance : scene.instances) {
        stir(stamp, instance.node);
        stamp += instance.place + (u64{instance.group} << 32);
        if (instance.given_name != kNone) {
            stir(stamp, scene::present_name(scene, instance));
        }
    }
    stir_names(stamp, "groups", scene.groups);
    stir_names(stamp, "lights", scene.lights);
    stir_names(stamp, "cameras", scene.cameras);
    stir_names(stamp, "materials", scene.materials);
    for (const scene::Collection& collection : collections) {
        stir(stamp, "collection");
        stir(stamp, collection.name);
        for (const std::string& member : collection.members) {
            stir(stamp, member);
        }
    }
    return stamp;
}

std::vector<u32> search_rows(const OutlinerRows& rows, std::string_view search) {
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

std::vector<u32> listed_rows(const OutlinerRows& rows,
                             const Folds& folds,
                             std::string_view search) {
    std::vector<u32> listed;
    if (words_of(search).empty()) {
        for (u32 row = 0; row < rows.size();) {
            listed.push_back(row);
            row = folds.is_folded(rows[row]) ? rows[row].end : row + 1;
        }
        return listed;
    }
    // A row is listed if the next match lies in it or below it.
    const std::vector<u32> matches = search_rows(rows, search);
    auto next = matches.begin();
    for (u32 row = 0; row < rows.size(); ++row) {
        next = std::lower_bound(next, matches.end(), row);
        const bool has_match = next != matches.end() && *next < rows[row].end;
        const bool is_section = rows[row].kind == RowKind::Section;
        if (has_match || is_section) {
            listed.push_back(row);
        }
    }
    return listed;
}

bool unfold_to(const OutlinerRows& rows, u32 row, Folds& folds) {
    bool was_folded = false;
    u32 depth = rows[row].depth;
    for (u32 k = row; k-- > 0 && depth > 0;) {
        if (rows[k].depth < depth) {
            depth = rows[k].depth;
            if (folds.is_folded(rows[k])) {
                folds.turn(rows[k]);
                was_folded = true;
            }
        }
    }
    return was_folded;
}

}  // namespace weft::app
