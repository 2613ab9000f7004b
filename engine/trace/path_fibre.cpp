// path_fibre.cpp — the parent routine of a path and its shading fibres.
//
// The parent is invoked first on fresh elements (camera rays), then each time a path's fibres are
// done: it adds the light sample if nothing blocked it, then spawns the shading of what the ray
// met, or puts the finished path into the film.
#include <algorithm>
#include <array>

#include "engine/trace/integrator_state.h"
#include "scheduler/base/ensure.h"
#include "shaders/scalar_math.h"

namespace weft::trace {

bool Integrator::State::submit_samples() {
    const auto free = std::find(batch_is_free.begin(), batch_is_free.end(), true);
    if (is_source_dry || unlaunched > 0 || free == batch_is_free.end()) {
        return false;
    }
    const auto batch = static_cast<u32>(free - batch_is_free.begin());
    const u32 count = source->next(&requests[std::size_t{batch} * kBatchSamples], kBatchSamples);
    if (count == 0) {
        is_source_dry = true;
        return false;
    }
    const fibre::ThreadDesc thread{.launch_count = count, .user = batch};
    ENSURE(cluster.submit(thread) == fibre::Admission::Taken, ==, true);
    *free = false;
    unlaunched = count;
    return true;
}

void Integrator::State::run_path(const fibre::Packet& packet, fibre::Spawner& spawner) {
    const shaders::PathView& paths = slots.view();
    const auto count = static_cast<u32>(packet.elements.size());
    if (packet.is_initial_launch) {
        const SampleRequest* const samples =
            &requests[packet.user * kBatchSamples + packet.first_launch];
        for (u32 k = 0; k < count; ++k) {
            const u32 slot = packet.elements[k];
            paths.pixel[slot] = samples[k].y * frame.params.width + samples[k].x;
            paths.sample[slot] = samples[k].sample;
        }
        unlaunched -= count;
        frame.shade->camera(
            frame.camera, frame.params, paths, packet.elements.data(), count, counters.shade);
        counters.camera_rays += count;
        spawner.spawn(closest, root_key(), packet.elements);
        return;
    }
    // What each path does next: shade its hit, look up the environment, or end.
    u32 miss_count = 0;
    u32 end_count = 0;
    u32 run_begin = 0;  // hits of one material in a row are spawned together
    u32 run_length = 0;
    u32 run_material = kNone;
    u32* const hits = child_ids.data();
    for (const u32 slot : packet.elements) {
        if (paths.flags[slot] & shaders::kPathShadow) {
            add_light(slot);
        }
        if (!(paths.flags[slot] & shaders::kPathAlive)) {
            resolve(slot);
            second_ids[end_count++] = slot;
        } else if (paths.ray[slot].primitive == kNone) {
            first_ids[miss_count++] = slot;
        } else {
            const u32 material = frame.tables->instances[paths.ray[slot].instance].material;
            if (material != run_material && run_length > 0) {
                spawner.spawn(shade, {run_material, 0}, {hits + run_begin, run_length});
                run_begin += run_length;
                run_length = 0;
            }
            run_material = material;
            hits[run_begin + run_length++] = slot;
        }
    }
    if (run_length > 0) {
        spawner.spawn(shade, {run_material, 0}, {hits + run_begin, run_length});
    }
    if (miss_count > 0) {
        spawner.spawn(miss, {}, {first_ids.data(), miss_count});
    }
    if (end_count > 0) {
        spawner.release({second_ids.data(), end_count});
        is_source_dry = false;
    }
}

void Integrator::State::run_shade(const fibre::Packet& packet, fibre::Spawner& spawner) {
    const shaders::PathView& paths = slots.view();
    frame.shade->shade(frame.tables->view,
                       frame.params,
                       paths,
                       packet.elements.data(),
                       static_cast<u32>(packet.elements.size()),
                       counters.shade);
    u32 shadow_count = 0;
    u32 bounce_count = 0;
    for (const u32 slot : packet.elements) {
        const u32 flags = paths.flags[slot];
        if (flags & shaders::kPathShadow) {
            first_ids[shadow_count++] = slot;
        }
        if (flags & shaders::kPathAlive) {
            second_ids[bounce_count++] = slot;
        }
    }
    counters.shadow_rays += shadow_count;
    counters.bounce_rays += bounce_count;
    if (shadow_count > 0) {
        spawner.spawn(shadow, root_key(), {first_ids.data(), shadow_count});
    }
    if (bounce_count > 0) {
        spawner.spawn(closest, root_key(), {second_ids.data(), bounce_count});
    }
}

void Integrator::State::run_miss(const fibre::Packet& packet, fibre::Spawner& /*spawner*/) {
    frame.shade->miss(frame.tables->view,
                      frame.params,
                      slots.view(),
                      packet.elements.data(),
                      static_cast<u32>(packet.elements.size()),
                      counters.shade);
}

// The light sample of the last hit, seen through what tinted its shadow ray; none where it was
// blocked.
void Integrator::State::add_light(u32 slot) {
    const shaders::PathView& paths = slots.view();
    paths.flags[slot] &= ~shaders::kPathShadow;
    if (paths.shadow[slot].t < 0) {
        return;
    }
    for (u32 c = 0; c < 3; ++c) {
        const u32 tint = paths.shadow_tint[3 * slot + c];
        float light = paths.light[c][slot];
        if (tint != 0) {
            light *= static_cast<float>(shaders::exp2_of(-static_cast<double>(tint) * 0x1p-20));
        }
        paths.radiance[c][slot] += light;
    }
}

// The path is over: its radiance goes to its pixel, exactly once.
void Integrator::State::resolve(u32 slot) {
    const shaders::PathView& paths = slots.view();
    const u32 x = paths.pixel[slot] % frame.params.width;
    const u32 y = paths.pixel[slot] / frame.params.width;
    const std::array<float, 4> rgba = {paths.radiance[0][slot],
                                       paths.radiance[1][slot],
                                       paths.radiance[2][slot],
                                       paths.alpha[slot]};
    if (frame.film->add_sample(x, y, rgba)) {
        if (frame.has_aovs) {
            add_aovs(slot, x, y);
        }
    } else {
        ++counters.dropped_samples;
        if (dropped.size() < kRememberedDrops) {
            dropped.push_back({x, y, paths.sample[slot]});
        }
    }
    ++counters.samples;
    source->finished({x, y, paths.sample[slot]});
}

void Integrator::State::add_aovs(u32 slot, u32 x, u32 y) {
    const shaders::AovView& aov = slots.view().aov;
    const auto add3 = [&](u32 layer, float* const(&rows)[3]) {
        if (layer != kNone) {
            const float values[3] = {rows[0][slot], rows[1][slot], rows[2][slot]};
            frame.film->add_aov(layer, x, y, values);
        }
    };
    add3(albedo_layer, aov.albedo);
    add3(normal_layer, aov.normal);
    add3(position_layer, aov.position);
    if (depth_layer != kNone) {
        frame.film->add_aov(depth_layer, x, y, &aov.depth[slot]);
    }
    if (has_instance_layer && slots.view().sample[slot] == 0) {
        frame.film->set_instance(x, y, aov.instance[slot]);
    }
}

}  // namespace weft::trace
