#include "engine/frame/scene_groups.h"

#include <algorithm>
#include <numeric>

#include "engine/frame/frame_vocabulary.h"
#include "scheduler/command/submitter.h"

namespace weft::frame {

namespace {

// By item of a row: its place in the former row, or kNone where it is new. Where the rows have the
// same length, or what is left of them has, items match by place; where the former row is longer,
// items that differ were taken out, and where it is shorter, they were put in.
template <typename IsSame>
std::vector<u32> matches_of(std::size_t former_count, std::size_t count, const IsSame& is_same) {
    std::vector<u32> matches(count, kNone);
    u32 old = 0;
    for (u32 now = 0; now < count; ++now) {
        while (former_count - old > count - now && !is_same(old, now)) {
            ++old;
        }
        const std::size_t left = former_count - old;
        if (left >= count - now || (left > 0 && is_same(old, now))) {
            matches[now] = old++;
        }
    }
    return matches;
}

bool match_by_place(u32 /*old*/, u32 /*now*/) {
    return true;
}

// The former numbers of what matches, and new ones.
std::vector<u32> numbers_of(const std::vector<u32>& matches,
                            const std::vector<u32>& former,
                            u32& next_number) {
    std::vector<u32> numbers;
    numbers.reserve(matches.size());
    for (const u32 match : matches) {
        numbers.push_back(match == kNone ? next_number++ : former[match]);
    }
    return numbers;
}

// Puts the instances of a scene into the groups of the scene before.
class Regrouping {
public:
    Regrouping(const SceneGroups& former,
               const ListedScene& before,
               const ListedScene& now,
               SceneGroups& made,
               u32& next_number)
        : former_(former),
          before_(before.instances.items()),
          now_(now.instances.items()),
          made_(made),
          next_number_(next_number) {}

    void run() {
        made_.surfaces = former_.surfaces;
        made_.surface_of_group = former_.surface_of_group;
        made_.is_changed.assign(made_.surface_of_group.size(), false);
        made_.instances.resize(now_.size());
        for (u32 k = 0; k < made_.surfaces.size(); ++k) {
            surface_numbers_.emplace(key_of(made_.surfaces[k]), k);
        }
        const std::vector<u32> matches = matches_of(
            before_.size(), now_.size(), [&](u32 old, u32 now) { return is_same(old, now); });
        mark_leavers(matches);
        made_.layers = former_.layers;
        for (u32 k = 0; k < now_.size(); ++k) {
            matches[k] == kNone ? enter(k) : go_on(matches[k], k);
        }
        join_all();
        put_in_order();
        mark_layers();
    }

private:
    static u64 key_of(const Surface& surface) {
        return u64{surface.material} << 32 | surface.planes;
    }

    [[nodiscard]] Surface former_surface(u32 old) const {
        return {former_.materials[before_[old].material], before_[old].clip_planes};
    }

    [[nodiscard]] Surface surface(u32 now) const {
        return {made_.materials[now_[now].material], now_[now].clip_planes};
    }

    [[nodiscard]] bool is_same(u32 old, u32 now) const {
        return former_surface(old) == surface(now) && has_same_layer(old, now);
    }

    [[nodiscard]] bool has_same_layer(u32 old, u32 now) const {
        return before_[old].group == now_[now].group && before_[old].node == now_[now].node;
    }

    // The groups of instances that are in the scene no more.
    void mark_leavers(const std::vector<u32>& matches) {
        std::vector<bool> stays(before_.size(), false);
        for (const u32 match : matches) {
            if (match != kNone) {
                stays[match] = true;
            }
        }
        for (std::size_t old = 0; old < before_.size(); ++old) {
            if (!stays[old]) {
                made_.is_changed[former_.instances[old].group] = true;
            }
        }
    }

    void go_on(u32 old, u32 now) {
        GroupedInstance& instance = made_.instances[now] = former_.instances[old];
        if (!has_same_layer(old, now)) {
            instance.layer = layer_of(now_[now]);
            made_.is_changed[instance.group] = true;
        }
        if (former_surface(old) != surface(now)) {
            made_.is_changed[instance.group] = true;
            instance.group = kNone;
            joining_.push_back(now);
        }
    }

    void enter(u32 now) {
        made_.instances[now] = {next_number_++, layer_of(now_[now]), kNone};
        joining_.push_back(now);
    }

    // Copies the names that former groups share only where there is a new one.
    u32 layer_of(const scene::Instance& instance) {
        const Layer layer{instance.node, instance.group};
        const auto next = static_cast<u32>(made_.layers->size());
        if (!own_layers_) {
            const auto known = made_.layers->find(layer);
            if (known != made_.layers->end()) {
                return known->second;
            }
            own_layers_ = std::make_shared<LayerNumbers>(*made_.layers);
            made_.layers = own_layers_;
        }
        return own_layers_->try_emplace(layer, next).first->second;
    }

    u32 surface_number(const Surface& wanted) {
        const auto next = static_cast<u32>(made_.surfaces.size());
        const auto [at, is_new] = surface_numbers_.try_emplace(key_of(wanted), next);
        if (is_new) {
            made_.surfaces.push_back(wanted);
        }
        return at->second;
    }

    // Puts each joining instance into a group of its surface that has room, else into an empty one.
    void join_all() {
        std::vector<u32> sizes(made_.surface_of_group.size(), 0);
        for (const GroupedInstance& instance : made_.instances) {
            if (instance.group != kNone) {
                ++sizes[instance.group];
            }
        }
        std::vector<u32> empty;
        std::vector<u32> with_room(made_.surfaces.size(), kNone);  // by surface
        for (auto group = static_cast<u32>(sizes.size()); group-- > 0;) {
            u32& surface = made_.surface_of_group[group];
            if (sizes[group] == 0) {
                surface = kNone;
                empty.push_back(group);
            } else if (sizes[group] < made_.group_size) {
                with_room[surface] = group;
            }
        }
        for (const u32 now : joining_) {
            const u32 wanted = surface_number(surface(now));
            with_room.resize(made_.surfaces.size(), kNone);
            u32& group = with_room[wanted];
            if (group == kNone || sizes[group] == made_.group_size) {
                group = take_empty(empty, sizes);
                made_.surface_of_group[group] = wanted;
            }
            ++sizes[group];
            made_.instances[now].group = group;
            made_.is_changed[group] = true;
        }
    }

    u32 take_empty(std::vector<u32>& empty, std::vector<u32>& sizes) {
        if (!empty.empty()) {
            const u32 group = empty.back();
            empty.pop_back();
            return group;
        }
        sizes.push_back(0);
        made_.surface_of_group.push_back(kNone);
        made_.is_changed.push_back(true);
        return static_cast<u32>(sizes.size()) - 1;
    }

    void put_in_order() {
        const std::vector<u32>& surface_of = made_.surface_of_group;
        made_.order.reserve(surface_of.size());
        for (u32 group = 0; group < surface_of.size(); ++group) {
            if (surface_of[group] != kNone) {
                made_.order.push_back(group);
            }
        }
        std::stable_sort(made_.order.begin(), made_.order.end(), [&](u32 left, u32 right) {
            return surface_of[left] < surface_of[right];
        });
    }

    void mark_layers() {
        made_.is_layer_used.assign(made_.layers->size(), false);
        for (const GroupedInstance& instance : made_.instances) {
            made_.is_layer_used[instance.layer] = true;
        }
    }

    const SceneGroups& former_;
    const std::vector<scene::Instance>& before_;
    const std::vector<scene::Instance>& now_;
    SceneGroups& made_;
    u32& next_number_;
    std::unordered_map<u64, u32> surface_numbers_;
    std::shared_ptr<LayerNumbers> own_layers_;  // null while no layer is new
    std::vector<u32> joining_;
};

// By number: the place in the scene.
std::vector<u64> bindings_of(const SceneGroups& groups, u32 number_count) {
    std::vector<u64> bindings(number_count, command::kUnbound);
    for (std::size_t k = 0; k < groups.materials.size(); ++k) {
        bindings[groups.materials[k]] = k;
    }
    for (std::size_t k = 0; k < groups.textures.size(); ++k) {
        bindings[groups.textures[k]] = k;
    }
    for (std::size_t k = 0; k < groups.instances.size(); ++k) {
        bindings[groups.instances[k].number] = k;
    }
    return bindings;
}

}  // namespace

ListedScene::ListedScene(const scene::Scene& scene)
    : instances(scene.instances),
      groups(scene.groups),
      materials(scene.materials),
      slots(scene.slots),
      texture_count(scene.textures.size()) {}

std::shared_ptr<const SceneGroups> no_groups(u32 group_size) {
    const auto made = std::make_shared<SceneGroups>();
    made->group_size = std::max(group_size, 1U);
    made->layers = std::make_shared<const LayerNumbers>();
    made->bindings.assign(kLookResources, command::kUnbound);
    return made;
}

std::shared_ptr<const SceneGroups> regrouped(const std::shared_ptr<const SceneGroups>& former,
                                             const ListedScene& before,
                                             const ListedScene& now) {
    // Materials and textures of rows as long as before match by place, so that nothing changes.
    if (now.instances.shares_with(before.instances) &&
        now.materials.size() == before.materials.size() &&
        now.texture_count == before.texture_count) {
        return former;
    }
    const auto made = std::make_shared<SceneGroups>();
    made->group_size = former->group_size;
    auto next_number = static_cast<u32>(former->bindings.size());
    made->materials = numbers_of(
        matches_of(
            before.materials.size(),
            now.materials.size(),
            [&](u32 old, u32 k) { return before.materials[old].name == now.materials[k].name; }),
        former->materials,
        next_number);
    made->textures = numbers_of(matches_of(before.texture_count, now.texture_count, match_by_place),
                                former->textures,
                                next_number);
    Regrouping(*former, before, now, *made, next_number).run();
    made->bindings = bindings_of(*made, next_number);
    return made;
}

}  // namespace weft::frame
