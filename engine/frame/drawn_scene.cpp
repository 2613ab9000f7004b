#include "engine/frame/drawn_scene.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "engine/accel/placing.h"
#include "engine/frame/frame_vocabulary.h"
#include "engine/frame/hidden_lights.h"
#include "engine/scene/model/scene_tree.h"
#include "scheduler/base/trace_log.h"

namespace weft::frame {

namespace {

base::Error drawing_error(const char* sentence) {
    return {base::ErrorKind::Render, sentence};
}

// What the number of an instance is bound to whose node is hidden, but not all nodes of its layer.
constexpr u64 kHidden = command::kUnbound - 1;

// What a look hides.
struct HiddenParts {
    std::vector<u8> predicates;  // by layer: 1 where it is drawn
    std::vector<bool> is_alone;  // DrawnScene::is_hidden_alone
};

// Draws the environment, which no predicate hides.
const command::ListPtr& surroundings_list() {
    static const command::ListPtr list = [] {
        command::Recorder recorder(frame_vocabulary(),
                                   {.max_commands = 4, .max_patches = 0, .max_operands = 0});
        recorder.bind(slots::kMissRoutine, kLookMiss);
        recorder.push_render_enable_override(command::RenderEnable::Always);
        recorder.draw(kDrawSurroundings, {});
        recorder.pop_render_enable_override();
        return recorder.finish("surroundings").value();
    }();
    return list;
}

bool is_same_record(const shaders::MaterialRecord& left, const shaders::MaterialRecord& right) {
    return std::memcmp(&left, &right, sizeof left) == 0;
}

// One submission under way: its routines write the drawing.
class Drawing {
public:
    Drawing(const std::shared_ptr<const SceneLists>& lists,
            const SceneLook& look,
            HiddenParts hidden,
            const DrawnScene* maybe_former);

    base::Status run();

    [[nodiscard]] DrawnScene take() { return std::move(drawn_); }

private:
    [[nodiscard]] command::Routines routines();
    base::Status draw_instance(const command::Call& call);
    base::Status draw_surroundings(const command::Call& call);
    void take_over();
    void choose_groups();
    void reset(const command::CommandList& group);
    void reset(std::size_t instance);
    base::Status submit();
    [[nodiscard]] bool stands(u32 surface) const;
    base::Status run_surface(u32 surface, std::span<const u32> groups);

    const SceneLists& lists_;
    const SceneGroups& groups_;
    const ListedScene& scene_;
    const DrawnScene* former_;           // null: there is none
    std::vector<command::ListPtr> run_;  // the lists to be submitted next
    std::vector<bool> is_due_;  // by group: its list or a predicate of it differs from before
    std::vector<u64> resources_;
    DrawnScene drawn_;
    command::Submitter submitter_;
    command::RenderState state_;
};

Drawing::Drawing(const std::shared_ptr<const SceneLists>& lists,
                 const SceneLook& look,
                 HiddenParts hidden,
                 const DrawnScene* maybe_former)
    : lists_(*lists),
      groups_(lists->groups()),
      scene_(lists->scene()),
      former_(maybe_former),
      resources_(groups_.bindings),
      submitter_(frame_vocabulary(), routines()),
      state_(frame_vocabulary().shape) {
    // Bind the look.
    resources_[kLookPlanes] = (u64{1} << look.clip_planes.size()) - 1;
    resources_[kLookMiss] = static_cast<u64>(
        look.environment_is_visible ? MissRoutine::Surroundings : MissRoutine::Transparent);
    // Begin with the former drawing, or with nothing drawn.
    drawn_.lists = lists;
    drawn_.predicates = std::move(hidden.predicates);
    drawn_.is_hidden_alone = std::move(hidden.is_alone);
    for (std::size_t number = 0; number < drawn_.is_hidden_alone.size(); ++number) {
        if (drawn_.is_hidden_alone[number]) {
            resources_[number] = kHidden;
        }
    }
    drawn_.surfaces.resize(groups_.surfaces.size());
    drawn_.tables.clip_planes = look.clip_planes;
    drawn_.tables.environment_is_visible = false;
    take_over();
    choose_groups();
}

void Drawing::reset(std::size_t instance) {
    drawn_.tables.is_visible[instance] = false;
    drawn_.tables.cut_by[instance] = 0;
    drawn_.tables.instance_materials[instance] = scene_.instances[instance].material;
    drawn_.is_flagged[instance] = false;
}

// Groups draw each of their instances once, by its number.
void Drawing::reset(const command::CommandList& group) {
    for (const u64 number : group.operands) {
        reset(groups_.bindings[number]);
    }
}

void Drawing::take_over() {
    trace::TablesConfig& tables = drawn_.tables;
    tables.slots = scene_.slots.items();
    tables.materials.reserve(scene_.materials.size());
    for (const scene::Material& material : scene_.materials) {
        tables.materials.push_back(material.record);
    }
    // Instances that stayed where they are.
    if (former_ && &former_->lists->groups() == &groups_) {
        tables.is_visible = former_->tables.is_visible;
        tables.cut_by = former_->tables.cut_by;
        tables.instance_materials = former_->tables.instance_materials;
        drawn_.is_flagged = former_->is_flagged;
        return;
    }
    // Instances that others were put before, or taken from before: by their numbers.
    const std::size_t count = scene_.instances.size();
    tables.is_visible.resize(count);
    tables.cut_by.resize(count);
    tables.instance_materials.resize(count);
    drawn_.is_flagged.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        const u32 number = groups_.instances[k].number;
        const u64 old = former_ && number < former_->lists->groups().bindings.size()
                            ? former_->lists->groups().bindings[number]
                            : command::kUnbound;
        if (old == command::kUnbound || old >= former_->tables.cut_by.size()) {
            reset(k);
            continue;
        }
        tables.is_visible[k] = former_->tables.is_visible[old];
        tables.cut_by[k] = former_->tables.cut_by[old];
        tables.instance_materials[k] = former_->tables.instance_materials[old];
        drawn_.is_flagged[k] = former_->is_flagged[old];
    }
}

void Drawing::choose_groups() {
    const std::vector<command::ListPtr>& now = lists_.group_lists();
    is_due_.assign(now.size(), true);
    if (!former_) {
        return;
    }
    // Groups with other lists.
    const std::vector<command::ListPtr>& before = former_->lists->group_lists();
    for (std::size_t group = 0; group < std::min(now.size(), before.size()); ++group) {
        is_due_[group] = now[group] != before[group];
    }
    // Groups with instances whose layer was shown or hidden.
    const std::size_t known = former_->predicates.size();
    const auto is_turned = [&](u32 layer) {
        return layer >= known || drawn_.predicates[layer] != former_->predicates[layer];
    };
    if (drawn_.predicates != former_->predicates) {
        for (const GroupedInstance& instance : groups_.instances) {
            if (is_turned(instance.layer)) {
                is_due_[instance.group] = true;
            }
        }
    }
    // Groups with instances that were shown or hidden alone.
    const auto is_in = [](const std::vector<bool>& numbers, u32 number) {
        return number < numbers.size() && numbers[number];
    };
    if (drawn_.is_hidden_alone != former_->is_hidden_alone) {
        for (const GroupedInstance& instance : groups_.instances) {
            if (is_in(drawn_.is_hidden_alone, instance.number) !=
                is_in(former_->is_hidden_alone, instance.number)) {
                is_due_[instance.group] = true;
            }
        }
    }
}

command::Routines Drawing::routines() {
    const auto refuse = [](const command::Call&) -> base::Status {
        return drawing_error("a scene's list draws a frame");
    };
    const auto refuse_patch = [](const command::Call&, command::CommandWriter&) -> base::Status {
        return drawing_error("a scene's list asks for the view");
    };
    return {{[this](const command::Call& call) { return draw_instance(call); },
             [this](const command::Call& call) { return draw_surroundings(call); },
             refuse},
            {refuse_patch, [this](const command::Call& call, command::CommandWriter& out) {
                 return draw_surface(call, drawn_.tables, out);
             }}};
}

base::Status Drawing::draw_instance(const command::Call& call) {
    const u64 instance = call.resource_at(call.operands()[0]);
    if (instance == command::kUnbound) {
        return drawing_error("a list draws an instance that the scene does not have");
    }
    if (instance == kHidden) {
        return base::Done{};
    }
    const u64 material = call.state().value(slots::kHitRecord);
    const u32 planes = call.clip_planes();
    drawn_.tables.is_visible[instance] = true;
    drawn_.tables.instance_materials[instance] = static_cast<u32>(material);
    drawn_.tables.cut_by[instance] = planes;
    drawn_.is_flagged[instance] =
        planes != 0 || accel::needs_flag(drawn_.tables.materials[material]);
    return base::Done{};
}

base::Status Drawing::draw_surroundings(const command::Call& call) {
    drawn_.tables.environment_is_visible =
        call.resource(slots::kMissRoutine) == static_cast<u64>(MissRoutine::Surroundings);
    return base::Done{};
}

base::Status Drawing::submit() {
    const base::Result<command::SubmitFigures> figures =
        submitter_.submit(run_, {resources_, drawn_.predicates}, state_);
    WEFT_TRY(figures);
    drawn_.figures.submitted.add(figures.value());
    return base::Done{};
}

// Whether the surface's list would write the rows and leave the state that it did before.
bool Drawing::stands(u32 surface) const {
    if (!former_ || former_->tables.clip_planes.size() != drawn_.tables.clip_planes.size() ||
        surface >= former_->surfaces.size() ||
        former_->lists->surface_lists()[surface] != lists_.surface_lists()[surface]) {
        return false;
    }
    const ListedScene& before = former_->lists->scene();
    const u32 number = groups_.surfaces[surface].material;
    const u64 row = groups_.bindings[number];
    return row == former_->lists->groups().bindings[number] &&
           before.slots.shares_with(scene_.slots) &&
           (before.materials.shares_with(scene_.materials) ||
            is_same_record(before.materials[row].record, scene_.materials[row].record));
}

// Submits the surface's list, then those groups that do not stand as they were drawn before.
base::Status Drawing::run_surface(u32 surface, std::span<const u32> groups) {
    DrawnSurface& left = drawn_.surfaces[surface];
    const bool has_due =
        std::any_of(groups.begin(), groups.end(), [&](u32 group) { return is_due_[group]; });
    if (!has_due && stands(surface)) {
        left = former_->surfaces[surface];
        drawn_.tables.materials[left.material] = former_->tables.materials[left.material];
        drawn_.figures.taken_over += groups.size();
        return base::Done{};
    }
    run_ = {look_list(), lists_.surface_lists()[surface]};
    WEFT_TRY(submit());
    // Compare the state that groups inherit.
    left = surface_in(state_, drawn_.tables);
    const bool is_as_before =
        former_ && surface < former_->surfaces.size() && former_->surfaces[surface] == left;
    run_.clear();
    for (const u32 group : groups) {
        if (!is_as_before || is_due_[group]) {
            run_.push_back(lists_.group_lists()[group]);
            reset(*run_.back());  // what is hidden now is not drawn
        }
    }
    drawn_.figures.executed += run_.size();
    drawn_.figures.taken_over += groups.size() - run_.size();
    return submit();
}

base::Status Drawing::run() {
    run_ = {look_list(), surroundings_list()};
    WEFT_TRY(submit());
    const std::span<const u32> order = groups_.order;
    for (std::size_t begin = 0; begin < order.size();) {
        const u32 surface = groups_.surface_of_group[order[begin]];
        std::size_t end = begin + 1;
        while (end < order.size() && groups_.surface_of_group[order[end]] == surface) {
            ++end;
        }
        WEFT_TRY(run_surface(surface, order.subspan(begin, end - begin)));
        begin = end;
    }
    const bool has_same_lists = former_ && former_->lists == drawn_.lists;
    drawn_.figures.recorded = has_same_lists ? 0 : lists_.recorded_count();
    drawn_.figures.reused = lists_.list_count() - drawn_.figures.recorded;
    return base::Done{};
}

struct NodePlaceHash {
    std::size_t operator()(const scene::NodePlace& one) const {
        return std::hash<std::string_view>()(one.node) ^ (one.place * 0x9e3779b97f4a7c15U);
    }
};

// Hidden lights are switched off when the tables are made.
base::Result<HiddenParts> hidden_parts(const SceneLists& lists, const SceneLook& look) {
    const SceneGroups& groups = lists.groups();
    HiddenParts parts;
    parts.predicates.assign(groups.is_layer_used.size(), 1);
    if (look.hidden.empty()) {
        return parts;
    }
    const scene::Arena<scene::Group>& branches = lists.scene().groups;
    const std::vector<bool> is_branch_hidden = scene::hidden_groups(branches, look.hidden);
    // By hidden name: a node bears it. A bare name means all nodes of the name.
    std::unordered_map<std::string_view, bool> is_met;
    std::unordered_map<scene::NodePlace, std::string_view, NodePlaceHash> single_nodes;
    for (const std::string& name : look.hidden) {
        is_met.emplace(name, false);
        if (const std::optional<scene::NodePlace> node = scene::hidden_node(name)) {
            single_nodes.emplace(*node, name);
        }
    }
    for (const auto& [layer, number] : *groups.layers) {
        const auto named = groups.is_layer_used[number] ? is_met.find(layer.node) : is_met.end();
        if (named != is_met.end()) {
            named->second = true;
        }
        const bool is_hidden = named != is_met.end() || scene::is_in(is_branch_hidden, layer.group);
        parts.predicates[number] = is_hidden ? 0 : 1;
    }
    if (!single_nodes.empty()) {
        parts.is_alone.resize(groups.bindings.size());
        for (std::size_t k = 0; k < groups.instances.size(); ++k) {
            const scene::Instance& instance = lists.scene().instances[k];
            const auto single = single_nodes.find({instance.node, instance.place});
            if (single != single_nodes.end()) {
                is_met.at(single->second) = true;
                parts.is_alone[groups.instances[k].number] = true;
            }
        }
    }
    for (const scene::Group& branch : branches) {
        if (const auto named = is_met.find(scene::hidden_name(branch)); named != is_met.end()) {
            named->second = true;
        }
    }
    for (const std::string& name : look.hidden) {
        if (!is_met.at(name) && !is_light_name(name)) {
            return base::Error{base::ErrorKind::Usage,
                               "--hide " + name + ": no node of the scene has this name"};
        }
    }
    return parts;
}

}  // namespace

void DrawingFigures::add(const DrawingFigures& other) {
    submitted.add(other.submitted);
    recorded += other.recorded;
    reused += other.reused;
    executed += other.executed;
    taken_over += other.taken_over;
}

base::Result<DrawnScene> draw_scene(const std::shared_ptr<const SceneLists>& lists,
                                    const SceneLook& look,
                                    const DrawnScene* maybe_former) {
    const base::TraceMark mark("submit", "groups", lists->groups().order.size());
    if (look.clip_planes.size() > shaders::kMaxClipPlanes) {
        return base::Error{base::ErrorKind::Usage,
                           "--clip-plane: there may be " + std::to_string(shaders::kMaxClipPlanes) +
                               "; found " + std::to_string(look.clip_planes.size())};
    }
    base::Result<HiddenParts> hidden = hidden_parts(*lists, look);
    WEFT_TRY(hidden);
    Drawing drawing(lists, look, std::move(hidden.value()), maybe_former);
    WEFT_TRY(drawing.run());
    return drawing.take();
}

}  // namespace weft::frame
