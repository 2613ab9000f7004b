#include "engine/trace/light_split.h"

#include "engine/film/film.h"

namespace weft::trace {

namespace {

// The places of parts behind the light groups.
enum LobePart : u32 { kEmission, kDiffuse, kSpecular, kTransmission };

// What a share in [0, 1] takes of quanta.
i64 taken_by(i64 quanta, float share) {
    return share >= 1 ? quanta
                      : static_cast<i64>(static_cast<double>(quanta) * static_cast<double>(share));
}

// Counts channel c of what the radiance has risen by. `name`: way and light group.
void count_rise(PathLayers layers, u32 name, float diffuse, i64 quanta, u32 c, i64* parts) {
    if (layers.light_groups > 0) {
        parts[3 * (name >> shaders::kSplitGroupShift) + c] += quanta;
    }
    if (!layers.has_lobes) {
        return;
    }
    i64* const lobes = parts + 3 * layers.light_groups + c;
    switch (name & ((1U << shaders::kSplitGroupShift) - 1)) {
        case shaders::kSplitEmission:
            lobes[3 * kEmission] += quanta;
            break;
        case shaders::kSplitTransmitted:
            lobes[3 * kTransmission] += quanta;
            break;
        default: {
            const i64 scattered = taken_by(quanta, diffuse);
            lobes[3 * kDiffuse] += scattered;
            lobes[3 * kSpecular] += quanta - scattered;
        }
    }
}

// A radiance that the film would drop stays uncounted: the film drops the sample, or the light that
// brings it back into the range takes the difference.
void split_rise(PathLayers layers,
                const shaders::PathGain& gain,
                u32 name,
                float* const (&diffuse)[3],
                u32 slot,
                i64* split) {
    for (u32 c = 0; c < 3; ++c) {
        i64 now = split[c];
        if (film::to_quanta(gain.radiance[c], now) && now != split[c]) {
            const float share = layers.has_lobes ? diffuse[c][slot] : 0.0F;
            count_rise(layers, name, share, now - split[c], c, split + 3);
            split[c] = now;
        }
    }
}

}  // namespace

void split_found(PathLayers layers, const shaders::PathView& paths, u32 slot, i64* split) {
    const shaders::SplitView& view = paths.split;
    split_rise(layers, paths.gain[slot], view.found[slot], view.diffuse, slot, split);
}

void split_pending(PathLayers layers, const shaders::PathView& paths, u32 slot, i64* split) {
    const shaders::SplitView& view = paths.split;
    split_rise(layers, paths.gain[slot], view.pending[slot], view.pending_diffuse, slot, split);
}

}  // namespace weft::trace
