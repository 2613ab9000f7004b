#include "engine/frame/frame_vocabulary.h"

#include <array>

namespace weft::frame {

namespace {

using shaders::MaterialRecord;

constexpr std::array<u32 MaterialRecord::*, kMaterialTextures> kTextureSlots = {
    &MaterialRecord::base_color_slot,
    &MaterialRecord::metallic_roughness_slot,
    &MaterialRecord::normal_slot,
    &MaterialRecord::emissive_slot,
    &MaterialRecord::specular_slot,
    &MaterialRecord::specular_color_slot,
    &MaterialRecord::transmission_slot,
    &MaterialRecord::coat_slot,
    &MaterialRecord::coat_roughness_slot,
    &MaterialRecord::coat_normal_slot,
    &MaterialRecord::sheen_color_slot,
    &MaterialRecord::sheen_roughness_slot,
    &MaterialRecord::iridescence_slot,
    &MaterialRecord::iridescence_thickness_slot,
    &MaterialRecord::anisotropy_slot};

}  // namespace

const command::Vocabulary& frame_vocabulary() {
    using command::SlotKind;
    static const command::Vocabulary vocabulary(
        command::StateShape({{"view camera", 1, SlotKind::Resource},
                             {"view samples", 2, SlotKind::Value},
                             {"scene clip planes", 1, SlotKind::Resource},
                             {"ray generation routine", 1, SlotKind::Value},
                             {"ray generation constants", 1, SlotKind::Resource},
                             {"ray generation samples", 2, SlotKind::Value},
                             {"hit routine", 1, SlotKind::Value},
                             {"hit constants", 1, SlotKind::Resource},
                             {"hit textures", kMaterialTextures, SlotKind::Resource},
                             {"hit samplers", kMaterialTextures, SlotKind::Value},
                             {"miss routine", 1, SlotKind::Resource},
                             {"auxiliary targets", 1, SlotKind::Value},
                             {"hit record", 1, SlotKind::Value}}),
        {{"instance", {slots::kHitRecord}, 1},
         {"surroundings", {slots::kMissRoutine}, 0},
         {"frame",
          {slots::kRayRoutine,
           slots::kRayConstants,
           slots::kRaySamples,
           slots::kRayCount,
           slots::kAuxiliary},
          0}},
        {{"view", {slots::kViewCamera, slots::kViewSamples, slots::kViewEnd}, 0},
         {"surface", {slots::kScenePlanes, slots::kHitConstants}, 1}});
    return vocabulary;
}

u32& texture_slot(MaterialRecord& material, u32 texture) {
    return material.*kTextureSlots[texture];
}

u32 texture_slot(const MaterialRecord& material, u32 texture) {
    return material.*kTextureSlots[texture];
}

}  // namespace weft::frame
