#include "engine/frame/prepared_scene.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/accel/paged_tree.h"
#include "engine/accel/tree_patch.h"
#include "engine/frame/grouped_lights.h"
#include "engine/frame/hidden_lights.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"

namespace weft::frame {

namespace {

using base::Clock;

// Effects that leave the tables unchanged.
constexpr u32 kOutside = scene::kEffectView | scene::kEffectCamera | scene::kEffectTree;
// Effects that move no triangle. Visible instances and flagged hits are compared separately.
constexpr u32 kInPlace = kOutside | scene::kEffectLook | scene::kEffectShading |
                         scene::kEffectEnvironment | scene::kEffectTextures;

bool is_same_plane(const shaders::ClipPlane& a, const shaders::ClipPlane& b) {
    return std::equal(std::begin(a.normal), std::end(a.normal), std::begin(b.normal)) &&
           a.offset == b.offset;
}

bool has_same_look(const PreparedScene& a, const PreparedScene& b) {
    return a.hidden == b.hidden && a.is_environment_visible == b.is_environment_visible &&
           std::equal(a.clip_planes.begin(),
                      a.clip_planes.end(),
                      b.clip_planes.begin(),
                      b.clip_planes.end(),
                      is_same_plane);
}

// Memory that making the tables takes: per instance, emissive triangle and environment texel.
constexpr u64 kBytesOfInstance = 512;
constexpr u64 kBytesOfEmitter = 320;
constexpr u64 kBytesOfTexel = 48;

u64 table_bytes(const scene::Scene& scene) {
    u64 emitters = 0;
    for (const scene::Instance& instance : scene.instances) {
        const shaders::MaterialRecord& material = scene.materials[instance.material].record;
        const bool shines =
            material.emissive[0] > 0 || material.emissive[1] > 0 || material.emissive[2] > 0;
        emitters += shines ? scene.meshes[instance.mesh].record.triangle_count : 0;
    }
    return scene.instances.size() * kBytesOfInstance + emitters * kBytesOfEmitter +
           u64{scene.environment.width} * scene.environment.height * kBytesOfTexel;
}

base::Status draw(const SceneRequest& request, PreparedScene& made) {
    const auto begin = Clock::now();
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(table_bytes(*request.scene), "the tables of instances and lights");
    WEFT_TRY(claim);
    // Record what the edit changed of the scene's lists; draw what it changed of their result.
    const DrawnScene* const former =
        request.maybe_former ? request.maybe_former->drawn.get() : nullptr;
    const base::Result<std::shared_ptr<const SceneLists>> lists =
        SceneLists::record(*request.scene,
                           {.thread_count = request.settings->thread_count},
                           former ? former->lists : nullptr);
    WEFT_TRY(lists);
    base::Result<DrawnScene> drawn =
        draw_scene(lists.value(),
                   {request.hidden, request.settings->clip_planes, made.is_environment_visible},
                   former);
    WEFT_TRY(drawn);
    made.lists_s = base::seconds_since(begin);
    // Make the tables; they reuse what the edit did not change.
    if (request.maybe_former && (request.effect & scene::kEffectEnvironment) == 0) {
        drawn.value().tables.same_environment = request.maybe_former->tables.get();
    }
    drawn.value().tables.former =
        request.maybe_former ? request.maybe_former->tables.get() : nullptr;
    drawn.value().tables.thread_count = request.settings->thread_count;
    drawn.value().tables.light_choice = request.settings->light_choice;
    drawn.value().tables.is_regularized = is_regularized(*request.settings);
    drawn.value().tables.light_groups =
        grouped_lights(*request.scene, request.settings->light_groups);
    made.tables = std::make_shared<const trace::SceneTables>(
        make_lit_tables(*request.scene, request.hidden, drawn.value().tables));
    drawn.value().tables.same_environment = nullptr;
    drawn.value().tables.former = nullptr;
    made.drawn = std::make_shared<const DrawnScene>(std::move(drawn.value()));
    made.tables_s = base::seconds_since(begin);
    return base::Done{};
}

bool needs_embree(const SceneRequest& request) {
    return request.settings->integrator.mode == trace::SchedulerMode::Embree;
}

// Whether a budget bounds the tree: what patches make of it might not fit.
bool is_bounded(const SceneRequest& request, const accel::Acceleration& tree) {
    return tree.store || request.settings->geometry_memory_bytes != 0;
}

// Rays of these wait for no page.
base::Status check_pages(const SceneRequest& request) {
    const RenderSettings& settings = *request.settings;
    const char* const other = settings.geometry_memory_bytes == 0 ? nullptr
                              : needs_embree(request)             ? "embree"
                              : settings.has_heat                 ? "heat"
                                                                  : nullptr;
    if (other == nullptr) {
        return base::Done{};
    }
    return base::Error{
        base::ErrorKind::Usage,
        std::string(other) + " needs the whole tree in memory: expected no --geometry-memory"};
}

// Pages where a device reads the tree as well: each of its units has two readers, and the least
// budget three pages of each.
constexpr u64 kDevicePageBytes = u64{64} << 10;

// How the tree lies in pages. Units of a device copy subtrees as treelets; where the processor
// takes part it reads the same file.
accel::PagingConfig paging_config(const RenderSettings& settings) {
    // Each unit traces closest hits and shadow rays; focusing and picking trace a ray at a time.
    // The device's packet unit is a reader of its own.
    constexpr u32 kReadersOfUnit = 2;
    constexpr u32 kMoreReaders = 2;
    accel::PagingConfig paging;
    paging.folder = settings.page_folder;
    paging.folder_limit_bytes = settings.page_folder_limit_bytes;
    paging.budget_bytes = settings.geometry_memory_bytes;
    paging.page_bytes = settings.page_bytes;
    paging.record_page_bytes = settings.record_page_bytes;
    // The control has the cache that is usual.
    paging.eviction = settings.integrator.mode == trace::SchedulerMode::Unkeyed
                          ? pages::Eviction::LeastRecent
                          : pages::Eviction::Clock;
    paging.reader_count = kMoreReaders;
    paging.reader_count += settings.has_cpu ? kReadersOfUnit * settings.thread_count : 0;
    if (settings.has_egpu) {
        paging.reader_count += kReadersOfUnit * settings.egpu_units + 1;
        paging.page_bytes = std::min(paging.page_bytes, kDevicePageBytes);
        paging.record_page_bytes = std::min(paging.record_page_bytes, kDevicePageBytes);
        paging.subtree_bytes = settings.integrator.treelet_bytes - sizeof(trace::TreeletHeader);
    }
    paging.on_note = settings.on_note;
    return paging;
}

accel::BuildConfig build_config(const SceneRequest& request, const PreparedScene& made) {
    accel::BuildConfig config;
    config.thread_count = request.settings->thread_count;
    config.is_visible = made.drawn->tables.is_visible;
    config.is_flagged = made.drawn->is_flagged;
    for (const shaders::InstanceRecord& instance : made.tables->instances) {
        config.is_light.push_back(instance.first_light != kNone);
    }
    config.leaf_fill = made.leaf_fill;
    config.is_high_quality = made.has_fine_tree;
    config.should_stop = request.should_stop;
    constexpr u64 kRaysOfSample = 4;  // of the example scenes: 3 to 6
    config.ray_count = kRaysOfSample * request.sample_count;
    return config;
}

// Patches the tree of the former scene, or that of the reserve where it lacks fewer triangles.
// Leaves the tree null where one has to be built.
base::Status patch(const SceneRequest& request, PreparedScene& made) {
    const PreparedScene* const former = request.maybe_former;
    if (!request.may_patch || !former || needs_embree(request) ||
        is_bounded(request, *former->acceleration) || former->leaf_fill != made.leaf_fill) {
        return base::Done{};
    }
    // Choose the tree that lacks fewer triangles.
    const auto begin = Clock::now();
    const accel::BuildConfig config = build_config(request, made);
    const auto missing = [&](const accel::Acceleration& tree) {
        return accel::missing_triangles(tree, *request.scene, config.is_visible);
    };
    std::shared_ptr<const accel::Acceleration> tree = former->acceleration;
    if (request.maybe_reserve && missing(*request.maybe_reserve) < missing(*tree)) {
        tree = request.maybe_reserve;
    }
    // Patch it.
    base::Result<std::shared_ptr<const accel::Acceleration>> patched =
        accel::patch_acceleration(tree, *request.scene, config, request.pool);
    WEFT_TRY(patched);
    if (patched.value()) {
        made.acceleration = patched.value();
        made.has_fine_tree = made.acceleration->is_high_quality;
        made.has_built_tree = false;
        made.build_s = base::seconds_since(begin);
    }
    return base::Done{};
}

// Patches the tree that was built for an earlier frame, where no hit changes by that. Leaves the
// tree null where one has to be built. A patched tree counts no heat, and Embree's needs a build.
base::Status patch_frame(SceneRequest& request, PreparedScene& made) {
    const auto tree = std::exchange(request.maybe_built_tree, nullptr);
    const auto pool = std::exchange(request.pool, nullptr);
    if (!tree || is_bounded(request, *tree) || needs_embree(request) ||
        request.settings->has_heat || (made.has_fine_tree && !tree->is_high_quality)) {
        return base::Done{};
    }
    const auto begin = Clock::now();
    base::Result<std::shared_ptr<const accel::Acceleration>> patched = accel::patch_acceleration(
        tree, *request.scene, build_config(request, made), pool, accel::PatchMode::Exact);
    WEFT_TRY(patched);
    if (patched.value()) {
        made.acceleration = patched.value();
        made.built_tree = tree;
        made.pool = pool;
        made.has_new_tree = made.acceleration->is_patched;
        made.has_built_tree = false;
        made.build_s = base::seconds_since(begin);
    }
    return base::Done{};
}

base::Status build(const SceneRequest& request, PreparedScene& made) {
    const auto begin = Clock::now();
    const accel::BuildConfig config = build_config(request, made);
    // Build our tree, in memory or in pages.
    const RenderSettings& settings = *request.settings;
    base::Result<accel::Acceleration> tree =
        settings.geometry_memory_bytes == 0
            ? accel::build_acceleration(*request.scene, config)
            : accel::page_acceleration(*request.scene, config, paging_config(settings));
    WEFT_TRY(tree);
    made.acceleration = std::make_shared<const accel::Acceleration>(std::move(tree.value()));
    // Build Embree's too, where it traces.
    if (needs_embree(request)) {
        base::Result<std::unique_ptr<accel::EmbreeReference>> embree =
            accel::EmbreeReference::build(*request.scene,
                                          config.thread_count,
                                          config.is_visible,
                                          config.is_flagged,
                                          true,
                                          settings.isa);
        WEFT_TRY(embree);
        made.embree = std::move(embree.value());
    }
    made.build_s = base::seconds_since(begin);
    return base::Done{};
}

// Whether the units of these settings can read the pages of a tree.
bool has_right_pages(const RenderSettings& settings, const accel::Acceleration& tree) {
    const accel::PagingConfig wanted = paging_config(settings);
    return !tree.store || (tree.subtree_bytes == wanted.subtree_bytes &&
                           tree.store->reader_count() >= wanted.reader_count);
}

bool can_keep_tables(const SceneRequest& request, const PreparedScene& made) {
    const PreparedScene* const former = request.maybe_former;
    return former && (request.effect & ~kOutside) == 0 && has_same_look(*former, made) &&
           former->drawn->tables.light_choice == request.settings->light_choice &&
           former->drawn->tables.is_regularized == is_regularized(*request.settings);
}

// A tree of high quality serves where a quick one is enough.
bool can_keep_tree(const SceneRequest& request, const PreparedScene& made) {
    const PreparedScene* const former = request.maybe_former;
    return former && (request.effect & ~kInPlace) == 0 && former->leaf_fill == made.leaf_fill &&
           (former->has_fine_tree || !made.has_fine_tree || request.may_patch) &&
           (former->acceleration->is_exact || request.may_patch) &&
           has_right_pages(*request.settings, *former->acceleration) &&
           // Embree's tree points into its scene.
           (!needs_embree(request) || (former->embree && former->scene == request.scene)) &&
           former->drawn->tables.is_visible == made.drawn->tables.is_visible &&
           former->drawn->is_flagged == made.drawn->is_flagged;
}

}  // namespace

base::Result<PreparedScene> prepare_scene(SceneRequest request) {
    WEFT_TRY(check_pages(request));
    const PreparedScene* const former = request.maybe_former;
    PreparedScene made;
    made.scene = request.scene;
    made.hidden = request.hidden;
    made.clip_planes = request.settings->clip_planes;
    made.is_environment_visible = !request.settings->is_film_transparent;
    made.has_fine_tree = request.settings->has_fine_tree;
    made.leaf_fill = request.settings->leaf_fill;

    // Keep the tables, or execute the scene's lists and make new ones.
    made.has_new_tables = !can_keep_tables(request, made);
    if (made.has_new_tables) {
        WEFT_TRY(draw(request, made));
    } else {
        made.scene = former->scene;  // which the tables point into
        made.drawn = former->drawn;
        made.tables = former->tables;
    }

    // Keep, patch or build the tree.
    made.has_new_tree = !can_keep_tree(request, made);
    if (made.has_new_tree) {
        WEFT_TRY(patch(request, made));
        if (!made.acceleration) {
            WEFT_TRY(patch_frame(request, made));
        }
        if (!made.acceleration) {
            WEFT_TRY(build(request, made));
        }
    } else {
        made.has_built_tree = false;
        made.acceleration = former->acceleration;
        made.built_tree = request.maybe_built_tree;
        made.pool = request.pool;
        made.embree = former->embree;
        made.has_fine_tree = former->has_fine_tree;
    }

    // Map the tree's keys to objects where heat is counted.
    if (request.settings->has_heat && !made.acceleration->is_patched) {
        const bool is_kept = former && former->heat && !made.has_new_tables && !made.has_new_tree;
        made.heat = is_kept ? former->heat
                            : std::make_shared<const trace::HeatMap>(
                                  trace::make_heat_map(*made.scene, *made.acceleration));
    }
    return made;
}

shaders::RenderParams render_params(const RenderSettings& settings,
                                    const std::vector<float>& filter_table) {
    shaders::RenderParams params{};
    params.width = settings.width;
    params.height = settings.height;
    params.seed = settings.seed;
    params.max_bounces = settings.max_bounces;
    params.clamp_direct = settings.clamp_direct;
    params.clamp_indirect = settings.clamp_indirect;
    params.backface_culling = settings.has_backface_culling ? 1 : 0;
    params.filter_table = filter_table.data();
    params.regularized_alpha = settings.regularized_roughness * settings.regularized_roughness;
    return params;
}

}  // namespace weft::frame
