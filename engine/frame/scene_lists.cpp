#include "engine/frame/scene_lists.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "engine/accel/placing.h"
#include "engine/frame/frame_vocabulary.h"
#include "engine/frame/hidden_lights.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/command/recorder.h"
#include "scheduler/command/render_state.h"

namespace weft::frame {

namespace {

// The most commands of one instance: its layer and planes, its material with routine, constants,
// textures and samplers, and the draw.
constexpr u32 kCommandsPerInstance = 2 + 2 + 2 * kMaterialTextures + 1;

template <typename T>
bool is_same(const T& left, const T& right) {
    return std::memcmp(&left, &right, sizeof(T)) == 0;
}

// Resource numbers: materials first, then textures.
u32 texture_resource(const scene::Scene& scene, u32 texture) {
    return static_cast<u32>(scene.materials.size()) + texture;
}

void bind_material(command::Recorder& recorder, const scene::Scene& scene, u32 material) {
    const shaders::MaterialRecord& record = scene.materials[material].record;
    const bool is_unlit = (record.flags & shaders::kMaterialUnlit) != 0;
    recorder.set(slots::kHitRoutine,
                 static_cast<u64>(is_unlit ? HitRoutine::Unlit : HitRoutine::Lit));
    recorder.bind(slots::kHitConstants, material);
    for (u32 texture = 0; texture < kMaterialTextures; ++texture) {
        const u32 slot = texture_slot(record, texture);
        if (slot != kNone) {
            const shaders::TextureSlot& read = scene.slots[slot];
            recorder.bind({slots::kHitTextures, texture}, texture_resource(scene, read.texture));
            recorder.set({slots::kHitSamplers, texture}, packed_sampler(read));
        }
    }
}

// The shading table while lists are executed: the scene's records, and new records for states that
// differ from the importer's.
class ShadingTable {
public:
    explicit ShadingTable(const scene::Scene& scene) : scene_(scene), slots_(scene.slots.items()) {
        for (const scene::Material& material : scene.materials) {
            records_.push_back(material.record);
        }
    }

    // The number of the record for the call's state.
    u32 material_of(const command::Call& call) {
        // Take the scene's record, and whether the bound routine is unlit.
        const u64 constants = call.resource(slots::kHitConstants);
        shaders::MaterialRecord record = scene_.materials[constants].record;
        const bool is_unlit =
            call.state().value(slots::kHitRoutine) == static_cast<u64>(HitRoutine::Unlit);
        record.flags = is_unlit ? record.flags | shaders::kMaterialUnlit
                                : record.flags & ~shaders::kMaterialUnlit;
        // Bind the textures.
        for (u32 texture = 0; texture < kMaterialTextures; ++texture) {
            u32& slot = texture_slot(record, texture);
            slot = slot == kNone ? kNone : slot_of(call, texture, slot);
        }
        return place_of(static_cast<u32>(constants), record);
    }

    [[nodiscard]] const std::vector<shaders::MaterialRecord>& records() const { return records_; }

    [[nodiscard]] const std::vector<shaders::TextureSlot>& slots() const { return slots_; }

private:
    // Without a texture only the factor counts.
    u32 slot_of(const command::Call& call, u32 texture, u32 slot) {
        const u64 bound = call.resource({slots::kHitTextures, texture});
        if (bound == command::kUnbound) {
            return kNone;
        }
        shaders::TextureSlot read = scene_.slots[slot];
        read.texture = static_cast<u32>(bound);
        unpack_sampler(call.state().value_or({slots::kHitSamplers, texture}, packed_sampler(read)),
                       read);
        return find_or_add(slots_, slot, scene_.slots.size(), read);
    }

    u32 place_of(u32 material, const shaders::MaterialRecord& record) {
        return find_or_add(records_, material, scene_.materials.size(), record);
    }

    // `likely` is the scene's own row; rows from `own_count` on were made here.
    template <typename T>
    static u32 find_or_add(std::vector<T>& table, u32 likely, std::size_t own_count, const T& row) {
        if (is_same(table[likely], row)) {
            return likely;
        }
        const auto made = table.begin() + static_cast<std::ptrdiff_t>(own_count);
        const auto found =
            std::find_if(made, table.end(), [&](const T& other) { return is_same(other, row); });
        const auto place = static_cast<u32>(found - table.begin());
        if (found == table.end()) {
            table.push_back(row);
        }
        return place;
    }

    const scene::Scene& scene_;
    std::vector<shaders::MaterialRecord> records_;
    std::vector<shaders::TextureSlot> slots_;
};

// Combines the enabled planes with the material's mask (C4c): none for a material that is never
// cut. Other materials have no mask: traversal tests each of their hits against the planes
// (clip_planes.h).
u32 planes_that_cut(u32 enabled, const shaders::MaterialRecord& material) {
    const bool is_whole = (material.flags & shaders::kMaterialWhole) != 0;
    const std::optional<u32> mask = is_whole ? std::optional<u32>(0) : std::nullopt;
    return command::combined_clip_planes(enabled, {&mask, 1});
}

// The state that the draw routines write.
struct Execution {
    const scene::Scene& scene;
    ShadingTable shading;
    DrawnScene drawn;

    explicit Execution(const scene::Scene& from) : scene(from), shading(from) {
        const std::size_t count = scene.instances.size();
        drawn.tables.is_visible.assign(count, false);
        drawn.tables.environment_is_visible = false;
        drawn.tables.cut_by.assign(count, 0);
        drawn.is_flagged.assign(count, false);
        for (const scene::Instance& instance : scene.instances) {
            drawn.tables.instance_materials.push_back(instance.material);
        }
    }

    base::Status draw_instance(const command::Call& call) {
        const u64 instance = call.operands()[0];
        ENSURE(instance, <, scene.instances.size());
        const u32 material = shading.material_of(call);
        const u32 planes = planes_that_cut(call.clip_planes(), shading.records()[material]);
        drawn.tables.is_visible[instance] = true;
        drawn.tables.instance_materials[instance] = material;
        drawn.tables.cut_by[instance] = planes;
        drawn.is_flagged[instance] = planes != 0 || accel::needs_flag(shading.records()[material]);
        return base::Done{};
    }

    base::Status draw_surroundings(const command::Call& call) {
        drawn.tables.environment_is_visible =
            call.state().value(slots::kMissRoutine) == static_cast<u64>(MissRoutine::Surroundings);
        return base::Done{};
    }
};

command::Routines routines_for(Execution& execution) {
    const auto refuse = [](const command::Call&) -> base::Status {
        return base::Error{base::ErrorKind::Render, "a scene's list draws a frame"};
    };
    const auto refuse_patch = [](const command::Call&, command::CommandWriter&) -> base::Status {
        return base::Error{base::ErrorKind::Render, "a scene's list asks for the view"};
    };
    return {
        {[&](const command::Call& call) { return execution.draw_instance(call); },
         [&](const command::Call& call) { return execution.draw_surroundings(call); },
         refuse},
        {refuse_patch, [](const command::Call& call, command::CommandWriter& out) -> base::Status {
             const u64 planes = call.state().value(slots::kScenePlanes) & call.operands()[0];
             out.set_clip_planes(static_cast<u32>(planes));
             return base::Done{};
         }}};
}

// The list before the groups: it resets the state, sets the scene's clip planes and draws the
// environment, which no predicate hides.
base::Result<command::ListPtr> record_head(const SceneLook& look) {
    command::Recorder recorder(frame_vocabulary(),
                               {.max_commands = 8, .max_patches = 1, .max_operands = 8});
    recorder.unbind_all();
    const auto planes = static_cast<u32>(look.clip_planes.size());
    recorder.set(slots::kScenePlanes, (u64{1} << planes) - 1);
    recorder.set(slots::kMissRoutine,
                 static_cast<u64>(look.environment_is_visible ? MissRoutine::Surroundings
                                                              : MissRoutine::Transparent));
    recorder.push_render_enable_override(command::RenderEnable::Always);
    recorder.draw(kDrawSurroundings, {});
    recorder.pop_render_enable_override();
    return recorder.finish("head");
}

}  // namespace

void SceneLists::name_layers() {
    layer_.reserve(scene_->instances.size());
    for (const scene::Instance& instance : scene_->instances) {
        const auto next = static_cast<u32>(layer_of_node_.size());
        layer_.push_back(layer_of_node_.try_emplace(instance.node, next).first->second);
    }
}

base::Result<command::ListPtr> SceneLists::record_group(command::Recorder& recorder,
                                                        u32 group,
                                                        u32 group_size) const {
    const base::TraceMark mark("record", "group", group);
    const std::size_t begin = std::size_t{group} * group_size;
    const std::size_t end = std::min(begin + group_size, scene_->instances.size());
    u32 material = kNone;
    u32 layer = kNone;
    std::optional<u32> planes;
    for (std::size_t k = begin; k < end; ++k) {
        const scene::Instance& instance = scene_->instances[k];
        if (layer != layer_[k]) {
            layer = layer_[k];
            recorder.set_predicate(layer);
        }
        if (planes != instance.clip_planes) {
            planes = instance.clip_planes;
            const u64 operand = instance.clip_planes;
            recorder.request_patch(kPatchPlanes, {&operand, 1});
        }
        if (material != instance.material) {
            material = instance.material;
            bind_material(recorder, *scene_, material);
        }
        const u64 operand = k;
        recorder.draw(kDrawInstance, {&operand, 1});
    }
    return recorder.finish("group " + std::to_string(group));
}

base::Result<SceneLists> SceneLists::record(const scene::Scene& scene,
                                            const SceneListsConfig& config) {
    // Cut the instances into groups.
    const u32 group_size = std::max(config.group_size, 1U);
    SceneLists made(scene);
    made.name_layers();
    const auto groups = static_cast<u32>((scene.instances.size() + group_size - 1) / group_size);
    made.lists_.resize(groups);
    std::vector<std::optional<base::Error>> errors(groups);
    std::atomic<u32> next{0};
    // Each thread records groups until none is left.
    const auto record_groups = [&] {
        base::TraceMark mark("record lists");
        u64 recorded = 0;
        command::Recorder recorder(frame_vocabulary(),
                                   {.max_commands = group_size * kCommandsPerInstance,
                                    .max_patches = group_size,
                                    .max_operands = 2 * group_size});
        // Relaxed: only numbers are handed out; the join publishes the lists.
        for (u32 group = next.fetch_add(1, std::memory_order_relaxed); group < groups;
             group = next.fetch_add(1, std::memory_order_relaxed)) {
            base::Result<command::ListPtr> list = made.record_group(recorder, group, group_size);
            ++recorded;
            if (list.is_ok()) {
                made.lists_[group] = list.value();
            } else {
                errors[group] = list.error();
            }
        }
        mark.note("groups", recorded);
    };
    // Run it on this thread and on others.
    {
        std::vector<std::jthread> threads;
        try {
            for (u32 k = 1; k < std::min(config.thread_count, groups); ++k) {
                threads.emplace_back([&record_groups, k] {
                    base::name_traced_thread("recorder " + std::to_string(k));
                    record_groups();
                });
            }
        } catch (const std::system_error&) {
            // The threads that did start record all groups.
        }
        record_groups();
    }
    // Report the first group's error.
    for (const std::optional<base::Error>& error : errors) {
        if (error) {
            return *error;
        }
    }
    return made;
}

base::Result<DrawnScene> SceneLists::submit(const SceneLook& look) const {
    const base::TraceMark mark("submit", "lists", lists_.size());
    if (look.clip_planes.size() > shaders::kMaxClipPlanes) {
        return base::Error{base::ErrorKind::Usage,
                           "--clip-plane: there may be " + std::to_string(shaders::kMaxClipPlanes) +
                               "; found " + std::to_string(look.clip_planes.size())};
    }

    // Hide layers by their predicates; hidden lights are switched off when the tables are made.
    std::vector<u8> predicates(layer_of_node_.size(), 1);
    for (const std::string& name : look.hidden) {
        if (is_hidden_light(*scene_, name)) {
            continue;
        }
        const auto layer = layer_of_node_.find(name);
        if (layer == layer_of_node_.end()) {
            return base::Error{base::ErrorKind::Usage,
                               "--hide " + name + ": no node of the scene has this name"};
        }
        predicates[layer->second] = 0;
    }

    // Number the resources: materials, then textures.
    std::vector<u64> resources;
    for (u64 material = 0; material < scene_->materials.size(); ++material) {
        resources.push_back(material);
    }
    for (u64 texture = 0; texture < scene_->textures.size(); ++texture) {
        resources.push_back(texture);
    }
    // Put the head list before those of the groups.
    base::Result<command::ListPtr> head = record_head(look);
    WEFT_TRY(head);
    std::vector<command::ListPtr> lists = {head.value()};
    lists.insert(lists.end(), lists_.begin(), lists_.end());

    // Execute the lists; the draw routines fill `execution`.
    Execution execution(*scene_);
    command::Submitter submitter(frame_vocabulary(), routines_for(execution));
    command::RenderState state(frame_vocabulary().shape);
    base::Result<command::SubmitFigures> figures =
        submitter.submit(lists, {resources, predicates}, state);
    WEFT_TRY(figures);
    // Collect what the lists drew.
    execution.drawn.figures = figures.value();
    execution.drawn.tables.clip_planes = look.clip_planes;
    execution.drawn.tables.materials = execution.shading.records();
    execution.drawn.tables.slots = execution.shading.slots();
    return std::move(execution.drawn);
}

}  // namespace weft::frame
