// path_fibre.cpp — the parent routine of a path and its shading fibres.
//
// The parent runs first on fresh elements (camera rays), then each time a path's fibres are done:
// it adds the light sample unless it was blocked, then spawns the shading of the ray's hit or miss,
// or stores the finished path in its result slot.
#include <algorithm>

#include "engine/trace/environment_tables.h"
#include "engine/trace/integrator_state.h"
#include "engine/trace/launch_walk.h"
#include "engine/trace/light_split.h"
#include "scheduler/base/clock.h"

namespace weft::trace {

namespace {

// Paths that a parent processes between two safe points.
constexpr std::size_t kPutAsideStep = 512;

// Slots are in no order, and more than the first level of cache holds.
constexpr u32 kPathsAhead = 16;

// Fetches what the parent reads of each path.
void prefetch_path(const shaders::PathView& paths, u32 slot) {
    __builtin_prefetch(&paths.gain[slot]);
    __builtin_prefetch(&paths.ray[slot]);
    __builtin_prefetch(&paths.shadow[slot]);
}

}  // namespace

// Starts the launches of a part as paths: derives pixel and sample from the share's block, then
// runs the camera kernel.
void Integrator::State::start_paths(const fibre::Packet& packet, fibre::Spawner& spawner) {
    const shaders::PathView& paths = slots.view();
    const auto count = static_cast<u32>(packet.elements.size());
    // Find the share, and the first launch within it.
    const u64 number = fibre::Piece::of(packet.user).begin + packet.first_launch;
    const auto portion = static_cast<u32>(number / config.share_samples - first_portion);
    const auto first_launch = static_cast<u32>(number % config.share_samples);
    const SampleBlock& block = shares[portion].block;
    // Derive pixel and sample of each path, and its place among the results.
    LaunchWalk launch(block, first_launch);
    for (const u32 slot : packet.elements) {
        const PixelPlace place = launch.place();
        paths.record[slot].pixel_hash = place.y * frame.params.width + place.x;
        paths.record[slot].sample = block.sample_begin + launch.sample();
        result_place[slot] = {portion, launch.pixel() * block.sample_count + launch.sample()};
        launch.advance();
        if (paths.split.way) {
            std::fill_n(split_of(slot), split_words(frame.layers), i64{0});
        }
    }
    // Make the camera rays, and trace them.
    frame.shade->camera(
        frame.camera, frame.params, paths, packet.elements.data(), count, counters.camera);
    start_in(frame.media, paths, packet.elements);
    counters.camera_rays += count;
    spawner.spawn(closest, closest_rays.root_key(RayClass::Coherent), packet.elements);
}

// Where the parts of a path's light are counted.
i64* Integrator::State::split_of(u32 slot) {
    const ResultPlace place = result_place[slot];
    return shares[place.portion].results.view().split +
           std::size_t{place.slot} * split_words(frame.layers);
}

// Ends pending light samples, and sorts the paths by their next step. Most scenes are plain: no
// tints or media dim light samples, and no light is counted in parts.
template <bool kIsPlain>
void Integrator::State::sort_paths(std::span<const u32> piece, NextSteps& next) {
    const shaders::PathView paths = slots.view();  // a copy: no store below can change it
    const std::size_t last = piece.size() - 1;
    NextSteps at = next;
    for (std::size_t k = 0; k < piece.size(); ++k) {
        const u32 ahead = piece[std::min(k + kPathsAhead, last)];
        prefetch_path(paths, ahead);
        const u32 slot = piece[k];
        shaders::PathGain& gain = paths.gain[slot];
        if constexpr (kIsPlain) {
            add_light(gain, paths.shadow[slot].t);
        } else {
            if (paths.shadow_tint != nullptr) {
                __builtin_prefetch(&paths.shadow_tint[std::size_t{3} * ahead]);
            }
            if (paths.split.way != nullptr) {
                split_found(frame.layers, paths, slot, split_of(slot));
            }
            const bool has_light = (gain.flags & shaders::kPathShadow) != 0;
            dim_light(frame.view, paths, slot);
            add_light(gain, paths.shadow[slot].t);
            if (paths.split.way != nullptr && has_light) {
                split_pending(frame.layers, paths, slot, split_of(slot));
            }
        }
        // Written to each list and counted in one: no branch to mispredict.
        const u32 is_alive = gain.flags & shaders::kPathAlive;
        const u32 is_hit = paths.ray[slot].primitive != kNone ? is_alive : 0;
        *at.hit = slot;
        *at.miss = slot;
        *at.end = slot;
        at.hit += is_hit;
        at.miss += is_alive - is_hit;
        at.end += 1 - is_alive;
    }
    next = at;
}

void Integrator::State::run_path(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (packet.is_initial_launch) {
        start_paths(packet, spawner);
        return;
    }
    const bool is_plain = !slots.view().split.way && !may_dim_light(slots.view());
    NextSteps next{first_ids.data(), second_ids.data(), third_ids.data()};
    std::span<const u32> rest = packet.elements;
    while (!rest.empty()) {
        // A safe point: put the rest aside if other packets are more urgent.
        if (rest.size() < packet.elements.size() && spawner.should_put_aside()) {
            spawner.put_aside(rest);
            break;
        }
        const std::span<const u32> piece = rest.first(std::min(rest.size(), kPutAsideStep));
        rest = rest.subspan(piece.size());
        const u32* const first_ended = next.end;
        if (is_plain) {
            sort_paths<true>(piece, next);
        } else {
            sort_paths<false>(piece, next);
        }
        resolve({first_ended, next.end});
    }
    // Spawn the next fibres, and release finished paths.
    const std::span<const u32> hits(first_ids.data(), next.hit);
    const std::span<const u32> misses(second_ids.data(), next.miss);
    const std::span<const u32> ended(third_ids.data(), next.end);
    if (!hits.empty()) {
        spawner.spawn(surface ? gather : shade, hits);
    }
    if (!misses.empty()) {
        spawner.spawn(miss, misses);
    }
    if (!ended.empty()) {
        spawner.release(ended);
    }
}

void Integrator::State::shade_elements(std::span<const u32> elements) {
    shaders::PathView paths = slots.view();
    paths.hits = surface ? &surface->slots().view() : nullptr;
    frame.shade->shade(frame.view,
                       frame.params,
                       paths,
                       elements.data(),
                       static_cast<u32>(elements.size()),
                       counters.shade);
}

// Shades and charges the cost to the objects hit.
void Integrator::State::shade_counted(std::span<const u32> elements) {
    const shaders::PathView& paths = slots.view();
    // Look up the objects hit, which shading overwrites.
    u32* const objects = third_ids.data();
    for (std::size_t k = 0; k < elements.size(); ++k) {
        objects[k] = frame.heat->object_of_instance[paths.ray[elements[k]].instance];
    }
    // Shade, and charge what the counters and the clock advanced by.
    const shaders::ShadeCounters before = counters.shade;
    const u64 begin_ns = base::now_ns();
    shade_elements(elements);
    heat->add_shading({objects, elements.size()},
                      {.packets = 1,
                       .fibres = elements.size(),
                       .lanes_issued = counters.shade.lanes_issued - before.lanes_issued,
                       .lanes_active = counters.shade.lanes_active - before.lanes_active,
                       .time_ns = base::now_ns() - begin_ns});
}

void Integrator::State::run_shade(const fibre::Packet& packet, fibre::Spawner& spawner) {
    const shaders::PathView& paths = slots.view();
    // Shade the hits, on a device in an order in which neighbours read the same texels.
    const shaders::SceneView& corners = surface ? surface->slots().view() : frame.view;
    const std::span<const u32> hits =
        texel_order ? texel_order->sorted(corners, paths.ray, packet.elements, surface != nullptr)
                    : packet.elements;
    if (heat) {
        shade_counted(hits);
    } else {
        shade_elements(hits);
    }
    // Collect the paths with a shadow ray, and those with a next ray.
    u32 shadow_count = 0;
    u32 bounce_count = 0;
    for (const u32 slot : packet.elements) {
        const u32 flags = paths.gain[slot].flags;
        first_ids[shadow_count] = slot;
        second_ids[bounce_count] = slot;
        shadow_count += (flags & shaders::kPathShadow) != 0 ? 1U : 0U;
        bounce_count += (flags & shaders::kPathAlive) != 0 ? 1U : 0U;
    }
    counters.shadow_rays += shadow_count;
    counters.bounce_rays += bounce_count;
    // Spawn both kinds of rays.
    if (shadow_count > 0) {
        const fibre::Key root = shadow_rays.root_key(RayClass::Scattered);
        spawner.spawn(shadow, root, {first_ids.data(), shadow_count});
    }
    if (bounce_count > 0) {
        const fibre::Key root = closest_rays.root_key(RayClass::Scattered);
        spawner.spawn(closest, root, {second_ids.data(), bounce_count});
    }
}

void Integrator::State::run_miss(const fibre::Packet& packet, fibre::Spawner& /*spawner*/) {
    frame.shade->miss(frame.view,
                      frame.params,
                      slots.view(),
                      packet.elements.data(),
                      static_cast<u32>(packet.elements.size()),
                      counters.miss);
}

// Stores finished paths in their result slots, each exactly once.
void Integrator::State::resolve(std::span<const u32> ended) {
    for (std::size_t k = 0; k < ended.size(); ++k) {
        __builtin_prefetch(&result_place[ended[std::min(k + kPathsAhead, ended.size() - 1)]]);
        const u32 slot = ended[k];
        const ResultPlace place = result_place[slot];
        const ResultView& result = shares[place.portion].results.view();
        const shaders::PathGain& gain = slots.view().gain[slot];
        float* const rgba = result.rgba + std::size_t{4} * place.slot;
        std::copy_n(gain.radiance, 3, rgba);
        rgba[3] = gain.alpha;
        if (frame.layers.has_aovs) {
            resolve_aovs(slot, result, place.slot);
        }
        if (frame.layers.is_pilot) {
            resolve_guide(slot, result, place.slot);
        }
    }
    counters.samples += ended.size();
}

// Stores what a finished path of a pilot tells: the light that it brought back to each vertex.
void Integrator::State::resolve_guide(u32 slot, const ResultView& result, std::size_t at) {
    const shaders::PathView& paths = slots.view();
    const shaders::GuideVertex* const vertices =
        paths.guide_vertices + std::size_t{shaders::kMostGuideVertices} * slot;
    GuideRecord* const records = result.guide + shaders::kMostGuideVertices * at;
    const u32 count = std::min(paths.record[slot].bounces, shaders::kMostGuideVertices);
    const auto all = static_cast<float>(luminance_of(paths.gain[slot].radiance));
    u32 written = 0;
    for (u32 k = 0; k < count; ++k) {
        const shaders::GuideVertex& v = vertices[k];
        if (v.bin != shaders::kGuideNoKey) {
            const bool has_more = v.before >= 0 && v.through > 0;
            const float light = has_more ? std::max(all - v.before, 0.0F) / v.through : 0.0F;
            records[written++] = {{v.position[0], v.position[1], v.position[2]}, v.bin, light};
        }
    }
    if (written < shaders::kMostGuideVertices) {
        records[written].bin = shaders::kGuideNoKey;
    }
}

// Stores the AOVs of a finished path.
void Integrator::State::resolve_aovs(u32 slot, const ResultView& result, std::size_t at) {
    const shaders::PathView& paths = slots.view();
    float* const aovs = result.aovs + kAovFloats * at;
    for (u32 c = 0; c < 3; ++c) {
        aovs[c] = paths.aov.albedo[c][slot];
        aovs[3 + c] = paths.aov.normal[c][slot];
        aovs[6 + c] = paths.aov.position[c][slot];
    }
    aovs[9] = paths.aov.depth[slot];
    aovs[10] = paths.aov.uv[0][slot];
    aovs[11] = paths.aov.uv[1][slot];
    result.instance[at] = paths.aov.instance[slot];
    if (!result.seen) {
        return;
    }
    // Store what mirrors and glass show, and direct light.
    float* const seen = result.seen + kSeenFloats * at;
    const bool is_direct = paths.seen.stage[slot] != shaders::kSeenScattered;
    for (u32 c = 0; c < 3; ++c) {
        seen[c] = paths.seen.albedo[c][slot];
        seen[3 + c] = paths.seen.normal[c][slot];
        seen[6 + c] = is_direct ? paths.gain[slot].radiance[c] : paths.seen.direct[c][slot];
    }
}

}  // namespace weft::trace
