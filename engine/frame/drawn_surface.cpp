#include "engine/frame/drawn_surface.h"

#include <optional>

#include "engine/accel/placing.h"
#include "engine/frame/frame_vocabulary.h"

namespace weft::frame {

namespace {

// Combines the enabled planes with the material's mask (C4c): none for a material that is never
// cut. Other materials have no mask: traversal tests each of their hits against the planes
// (clip_planes.h).
u32 planes_that_cut(u32 enabled, const shaders::MaterialRecord& material) {
    const bool is_whole = (material.flags & shaders::kMaterialWhole) != 0;
    const std::optional<u32> mask = is_whole ? std::optional<u32>(0) : std::nullopt;
    return command::combined_clip_planes(enabled, {&mask, 1});
}

// From bound textures and samplers to the slots that the record reads.
base::Status bind_textures(const command::Call& call,
                           trace::TablesConfig& tables,
                           shaders::MaterialRecord& record) {
    for (u32 texture = 0; texture < kMaterialTextures; ++texture) {
        const u64 bound = call.resource({slots::kHitTextures, texture});
        u32& slot = texture_slot(record, texture);
        if (bound == command::kUnbound) {
            slot = kNone;  // only the factor counts
            continue;
        }
        if (slot == kNone) {
            return base::Error{base::ErrorKind::Render,
                               "a texture is bound that the material does not read"};
        }
        shaders::TextureSlot& read = tables.slots[slot];
        read.texture = static_cast<u32>(bound);
        unpack_sampler(call.state().value_or({slots::kHitSamplers, texture}, packed_sampler(read)),
                       read);
    }
    return base::Done{};
}

}  // namespace

base::Status draw_surface(const command::Call& call,
                          trace::TablesConfig& tables,
                          command::CommandWriter& out) {
    const u64 row = call.resource(slots::kHitConstants);
    shaders::MaterialRecord& record = tables.materials[row];
    const bool is_unlit =
        call.state().value_or(slots::kHitRoutine, 0) == static_cast<u64>(HitRoutine::Unlit);
    record.flags =
        is_unlit ? record.flags | shaders::kMaterialUnlit : record.flags & ~shaders::kMaterialUnlit;
    WEFT_TRY(bind_textures(call, tables, record));
    const u64 enabled = call.resource(slots::kScenePlanes) & call.operands()[0];
    out.set(slots::kHitRecord, row);
    out.set_clip_planes(planes_that_cut(static_cast<u32>(enabled), record));
    return base::Done{};
}

DrawnSurface surface_in(const command::RenderState& state, const trace::TablesConfig& tables) {
    const auto material = static_cast<u32>(state.value(slots::kHitRecord));
    const auto planes = static_cast<u32>(state.value(command::kClipPlanes));
    return {material, planes, accel::needs_flag(tables.materials[material])};
}

}  // namespace weft::frame
