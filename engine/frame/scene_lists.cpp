#include "engine/frame/scene_lists.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

#include "engine/frame/frame_vocabulary.h"
#include "scheduler/base/trace_log.h"

namespace weft::frame {

namespace {

// The most commands of a surface: its routine and constants, its textures and samplers.
constexpr u32 kSurfaceCommands = 2 + 2 * kMaterialTextures;
constexpr u32 kInstanceCommands = 2;  // its layer and its draw

// What a surface's list says of its material.
struct HitState {
    bool is_unlit = false;
    std::array<u32, kMaterialTextures> textures{};  // numbers; kNone: none
    std::array<u64, kMaterialTextures> samplers{};  // packed_sampler()

    friend bool operator==(const HitState&, const HitState&) = default;
};

HitState hit_state(const ListedScene& scene, const SceneGroups& groups, u64 material) {
    const shaders::MaterialRecord& record = scene.materials[material].record;
    HitState state;
    state.is_unlit = (record.flags & shaders::kMaterialUnlit) != 0;
    for (u32 texture = 0; texture < kMaterialTextures; ++texture) {
        const u32 slot = texture_slot(record, texture);
        state.textures[texture] = kNone;
        if (slot != kNone) {
            const shaders::TextureSlot& read = scene.slots[slot];
            state.textures[texture] = groups.textures[read.texture];
            state.samplers[texture] = packed_sampler(read);
        }
    }
    return state;
}

// No number names a second resource. Where most numbers are unused, all lists are recorded again.
bool has_too_many_numbers(const SceneGroups& groups) {
    constexpr std::size_t kSpare = 4096;
    return groups.bindings.size() > 2 * groups.instances.size() + 2 * groups.materials.size() +
                                        2 * groups.textures.size() + kSpare;
}

// Whether surfaces may have other lists than before. `groups` are those of `now`.
bool has_other_materials(const ListedScene& before, const ListedScene& now) {
    return !before.materials.shares_with(now.materials) || !before.slots.shares_with(now.slots) ||
           before.texture_count != now.texture_count;
}

}  // namespace

const command::ListPtr& look_list() {
    static const command::ListPtr list = [] {
        command::Recorder recorder(frame_vocabulary(),
                                   {.max_commands = 2, .max_patches = 0, .max_operands = 0});
        recorder.unbind_all();
        recorder.bind(slots::kScenePlanes, kLookPlanes);
        return recorder.finish("look").value();
    }();
    return list;
}

// One recording under way. Threads take its lists in turn: first those of surfaces, then groups.
struct SceneLists::Recording {
    SceneLists& made;
    std::vector<u32> surfaces;              // to be recorded
    std::vector<u32> groups;                // to be recorded
    std::vector<std::vector<u32>> members;  // of those groups, in the order of instances
    std::vector<std::optional<base::Error>> errors;
    std::atomic<std::size_t> next{0};

    explicit Recording(SceneLists& lists) : made(lists) {}

    [[nodiscard]] bool keeps_surface(const SceneLists& former, u32 surface) const;
    void choose_surfaces(const SceneLists* maybe_former);
    void choose_groups(const SceneLists* maybe_former);
    base::Result<command::ListPtr> record_surface(command::Recorder& recorder, u32 surface) const;
    base::Result<command::ListPtr> record_group(command::Recorder& recorder, std::size_t at) const;
    void record_some();
    base::Status run(u32 thread_count);
};

bool SceneLists::Recording::keeps_surface(const SceneLists& former, u32 surface) const {
    if (surface >= former.surface_lists_.size() || !former.surface_lists_[surface]) {
        return false;
    }
    if (!has_other_materials(former.scene_, made.scene_)) {
        return true;
    }
    const u32 material = made.groups_->surfaces[surface].material;
    return hit_state(former.scene_, *former.groups_, former.groups_->bindings[material]) ==
           hit_state(made.scene_, *made.groups_, made.groups_->bindings[material]);
}

void SceneLists::Recording::choose_surfaces(const SceneLists* maybe_former) {
    const SceneGroups& all = *made.groups_;
    made.surface_lists_.resize(all.surfaces.size());
    u32 last = kNone;
    for (const u32 group : all.order) {
        const u32 surface = all.surface_of_group[group];
        if (surface == last) {
            continue;
        }
        last = surface;
        if (maybe_former && keeps_surface(*maybe_former, surface)) {
            made.surface_lists_[surface] = maybe_former->surface_lists_[surface];
        } else {
            surfaces.push_back(surface);
        }
    }
}

void SceneLists::Recording::choose_groups(const SceneLists* maybe_former) {
    const SceneGroups& all = *made.groups_;
    made.group_lists_.resize(all.surface_of_group.size());
    const bool is_regrouped = !maybe_former || maybe_former->groups_ != made.groups_;
    std::vector<u32> place(made.group_lists_.size(), kNone);  // in `groups`
    for (const u32 group : all.order) {
        if (is_regrouped && all.is_changed[group]) {
            place[group] = static_cast<u32>(groups.size());
            groups.push_back(group);
        } else {
            made.group_lists_[group] = maybe_former->group_lists_[group];
        }
    }
    members.resize(groups.size());
    for (u32 k = 0; k < all.instances.size() && !groups.empty(); ++k) {
        const u32 at = place[all.instances[k].group];
        if (at != kNone) {
            members[at].push_back(k);
        }
    }
}

// Sets only what differs from an empty state, which the list before leaves; the patch turns it into
// the record and the planes that draws inherit.
base::Result<command::ListPtr> SceneLists::Recording::record_surface(command::Recorder& recorder,
                                                                     u32 surface) const {
    const Surface& recorded = made.groups_->surfaces[surface];
    const HitState state =
        hit_state(made.scene_, *made.groups_, made.groups_->bindings[recorded.material]);
    if (state.is_unlit) {
        recorder.set(slots::kHitRoutine, static_cast<u64>(HitRoutine::Unlit));
    }
    recorder.bind(slots::kHitConstants, recorded.material);
    for (u32 texture = 0; texture < kMaterialTextures; ++texture) {
        if (state.textures[texture] != kNone) {
            recorder.bind({slots::kHitTextures, texture}, state.textures[texture]);
            recorder.set({slots::kHitSamplers, texture}, state.samplers[texture]);
        }
    }
    const u64 planes = recorded.planes;
    recorder.request_patch(kPatchSurface, {&planes, 1});
    return recorder.finish("surface " + std::to_string(surface));
}

base::Result<command::ListPtr> SceneLists::Recording::record_group(command::Recorder& recorder,
                                                                   std::size_t at) const {
    const base::TraceMark mark("record", "group", groups[at]);
    u32 layer = kNone;
    for (const u32 k : members[at]) {
        const GroupedInstance& instance = made.groups_->instances[k];
        if (layer != instance.layer) {
            layer = instance.layer;
            recorder.set_predicate(layer);
        }
        const u64 operand = instance.number;
        recorder.draw(kDrawInstance, {&operand, 1});
    }
    return recorder.finish("group " + std::to_string(groups[at]));
}

// Records until no list is left. Any thread.
void SceneLists::Recording::record_some() {
    base::TraceMark mark("record lists");
    u64 recorded = 0;
    const u32 group_size = made.groups_->group_size;
    command::Recorder recorder(
        frame_vocabulary(),
        {.max_commands = std::max(group_size * kInstanceCommands, kSurfaceCommands),
         .max_patches = 1,
         .max_operands = group_size});
    // Relaxed: only numbers are handed out; the join publishes the lists.
    for (std::size_t item = next.fetch_add(1, std::memory_order_relaxed); item < errors.size();
         item = next.fetch_add(1, std::memory_order_relaxed)) {
        const bool is_surface = item < surfaces.size();
        const std::size_t at = is_surface ? item : item - surfaces.size();
        base::Result<command::ListPtr> list =
            is_surface ? record_surface(recorder, surfaces[at]) : record_group(recorder, at);
        ++recorded;
        if (list.is_ok()) {
            (is_surface ? made.surface_lists_[surfaces[at]] : made.group_lists_[groups[at]]) =
                list.value();
        } else {
            errors[item] = list.error();
        }
    }
    mark.note("lists", recorded);
}

// On this thread, and on others where there is enough to record.
base::Status SceneLists::Recording::run(u32 thread_count) {
    errors.resize(surfaces.size() + groups.size());
    std::size_t work = surfaces.size();
    for (const std::vector<u32>& each : members) {
        work += each.size();
    }
    const std::size_t whole_groups =
        (work + made.groups_->group_size - 1) / made.groups_->group_size;
    {
        std::vector<std::jthread> threads;
        try {
            for (std::size_t k = 1; k < std::min<std::size_t>(thread_count, whole_groups); ++k) {
                threads.emplace_back([this, k] {
                    base::name_traced_thread("recorder " + std::to_string(k));
                    record_some();
                });
            }
        } catch (const std::system_error&) {
            // The threads that did start record all lists.
        }
        if (!errors.empty()) {
            record_some();
        }
    }
    // Report the first error.
    for (const std::optional<base::Error>& error : errors) {
        if (error) {
            return *error;
        }
    }
    return base::Done{};
}

base::Result<std::shared_ptr<const SceneLists>> SceneLists::record(
    const scene::Scene& scene,
    const SceneListsConfig& config,
    const std::shared_ptr<const SceneLists>& maybe_former) {
    const SceneLists* former = maybe_former.get();
    if (former && (former->groups_->group_size != std::max(config.group_size, 1U) ||
                   has_too_many_numbers(*former->groups_))) {
        former = nullptr;
    }
    // Number and group the instances.
    const std::shared_ptr<SceneLists> made(new SceneLists(scene));
    made->groups_ = former ? regrouped(former->groups_, former->scene_, made->scene_)
                           : regrouped(no_groups(config.group_size), {}, made->scene_);
    if (former && made->groups_ == former->groups_ &&
        !has_other_materials(former->scene_, made->scene_)) {
        return maybe_former;
    }
    // Record what changed.
    Recording recording(*made);
    recording.choose_surfaces(former);
    recording.choose_groups(former);
    WEFT_TRY(recording.run(config.thread_count));
    made->recorded_count_ = recording.errors.size();
    for (const std::vector<command::ListPtr>* lists :
         {&made->surface_lists_, &made->group_lists_}) {
        made->list_count_ += static_cast<u64>(
            std::count_if(lists->begin(), lists->end(), [](const auto& list) { return list; }));
    }
    return std::shared_ptr<const SceneLists>(made);
}

}  // namespace weft::frame
