#include "app/view/models/heat_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "engine/scene/edit/edit.h"

namespace weft::app {

namespace {

template <typename Named>
std::string name_of(const Named& all, u32 index, const char* kind) {
    const std::string& name = all[index].name;
    return name.empty() ? fmt::format("{} {}", kind, index) : name;
}

double number_of(const HeatLine& line, HeatColumn column) {
    switch (column) {
        case HeatColumn::Name:
            break;
        case HeatColumn::Share:
            return line.row.share;
        case HeatColumn::Occupancy:
            return line.occupancy();
        case HeatColumn::Fibres:
            return static_cast<double>(line.row.sum.fibres);
        case HeatColumn::Visits:
            return static_cast<double>(line.row.sum.visits);
        case HeatColumn::Wasted:
            return static_cast<double>(line.row.sum.lanes_wasted());
    }
    return 0;
}

// Appends the text from `told` to names that several lines share, unless the texts are equal too.
void tell_apart(std::vector<HeatLine>& lines,
                const std::function<std::string(const HeatLine&)>& told) {
    std::unordered_map<std::string, u32> count;
    for (const HeatLine& line : lines) {
        ++count[line.name];
    }
    for (HeatLine& line : lines) {
        if (count[line.name] > 1) {
            const std::string more = told(line);
            line.name += more.empty() || more == line.name ? "" : " · " + more;
        }
    }
}

// Its number among all of the same name, from 1.
template <typename Named>
std::unordered_map<u32, u32> ordinals(const Named& all, const std::vector<HeatLine>& lines) {
    std::unordered_map<u32, u32> of;
    for (const HeatLine& line : lines) {
        of.emplace(line.row.index, 0);
    }
    std::unordered_map<std::string_view, u32> met;
    for (u32 index = 0; index < all.size(); ++index) {
        const u32 ordinal = ++met[all[index].name];
        if (const auto found = of.find(index); found != of.end()) {
            found->second = ordinal;
        }
    }
    return of;
}

// Distinguish meshes of the same name by their object, then by their material, then by number: a
// file may be one unnamed object with a thousand parts.
void tell_lines_apart(const scene::Scene& scene, bool is_mesh, std::vector<HeatLine>& lines) {
    if (is_mesh) {
        tell_apart(lines, [&](const HeatLine& line) {
            return line.path.empty() ? "" : scene.instances[line.row.instance].node;
        });
        tell_apart(lines, [&](const HeatLine& line) {
            return line.path.empty()
                       ? ""
                       : scene.materials[scene.instances[line.row.instance].material].name;
        });
    }
    const auto number = is_mesh ? ordinals(scene.meshes, lines) : ordinals(scene.materials, lines);
    tell_apart(lines, [&](const HeatLine& line) {
        return fmt::format("no. {}", number.at(line.row.index));
    });
}

}  // namespace

double HeatLine::occupancy() const {
    return row.sum.lanes_issued == 0 ? 1
                                     : static_cast<double>(row.sum.lanes_active) /
                                           static_cast<double>(row.sum.lanes_issued);
}

std::vector<HeatLine> heat_lines(const scene::Scene& scene,
                                 const std::vector<trace::HeatRow>& rows,
                                 trace::HeatGroup group) {
    const bool is_mesh = group == trace::HeatGroup::Mesh;
    const std::size_t count = is_mesh ? scene.meshes.size() : scene.materials.size();
    std::vector<HeatLine> lines;
    for (const trace::HeatRow& row : rows) {
        if (row.index == kNone) {
            lines.push_back({"tree above several objects", "", row});
        } else if (row.index < count && row.instance < scene.instances.size()) {
            lines.push_back({is_mesh ? name_of(scene.meshes, row.index, "mesh")
                                     : name_of(scene.materials, row.index, "material"),
                             is_mesh ? scene::node_path(scene, row.instance)
                                     : scene::material_path(scene, row.index),
                             row});
        }
    }
    tell_lines_apart(scene, is_mesh, lines);
    return lines;
}

void sort_lines(std::vector<HeatLine>& lines, HeatColumn column, bool is_descending) {
    std::stable_sort(lines.begin(), lines.end(), [&](const HeatLine& a, const HeatLine& b) {
        const HeatLine& first = is_descending ? b : a;
        const HeatLine& second = is_descending ? a : b;
        return column == HeatColumn::Name ? first.name < second.name
                                          : number_of(first, column) < number_of(second, column);
    });
}

std::string heat_sentence(const HeatLine& line, u32 lanes) {
    return fmt::format("{}: {:.0f} % of the time at {:.0f}/{} occupancy",
                       line.name,
                       100 * line.row.share,
                       line.occupancy() * lanes,
                       lanes);
}

}  // namespace weft::app
