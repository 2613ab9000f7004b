#include "engine/frame/scene_shade.h"

#include <cstddef>
#include <cstring>
#include <fmt/format.h>

#include "shaders/host/feature_set.h"
#include "shaders/kernels/kernel_text.h"

namespace weft::frame {

namespace {

using shaders::MaterialRecord;

// The flags that exclude code; more flags would only make more executables of the same code.
constexpr u32 kFlags = shaders::kMaterialUnlit | shaders::kMaterialSolid | shaders::kMaterialCoat |
                       shaders::kMaterialSheen | shaders::kMaterialIridescence |
                       shaders::kMaterialAnisotropy | shaders::kMaterialTransmission |
                       shaders::kMaterialEmissive | shaders::kMaterialDispersion |
                       shaders::kMaterialBoundary | shaders::kMaterialScattering;

constexpr std::size_t kFirstSlot = offsetof(MaterialRecord, base_color_slot);
constexpr std::size_t kEndSlot = offsetof(MaterialRecord, reserved);

u32 used_slots(const MaterialRecord& material) {
    u32 bits = 0;
    for (std::size_t slot = kFirstSlot; slot < kEndSlot; slot += sizeof(u32)) {
        u32 texture = kNone;
        std::memcpy(&texture, reinterpret_cast<const char*>(&material) + slot, sizeof texture);
        bits |= texture == kNone ? 0 : shaders::slot_bit(slot);
    }
    return bits;
}

}  // namespace

compute::KernelSource scene_shade_source() {
    compute::KernelSource source;
    for (const shaders::TextFile& file : shaders::scene_shade_text()) {
        source.files.push_back({file.path, file.text});
    }
    source.symbol = "weft_scene_shade";
    // No contraction into fma, as in the program itself (CMakeLists.txt).
    source.flags = {"-std=c++20",
                    "-O3",
                    "-DNDEBUG",
                    "-fvisibility=hidden",
                    "-ffp-contract=off",
                    "-fno-math-errno",
                    "-mpclmul",
                    "-maes",
                    "-DHWY_COMPILE_ONLY_STATIC"};
    source.set_flags = {{"sse4", {"-march=x86-64-v2", "-DWEFT_ISA=Isa::Sse4"}},
                        {"avx2", {"-march=x86-64-v3", "-DWEFT_ISA=Isa::Avx2"}},
                        {"avx512", {"-march=x86-64-v4", "-DWEFT_ISA=Isa::Avx512"}}};
    return source;
}

std::string scene_shade_options(const trace::SceneTables& tables) {
    u32 flags = 0;
    u32 slots = 0;
    for (const MaterialRecord& material : tables.materials) {
        flags |= material.flags & kFlags;
        slots |= used_slots(material);
    }
    return fmt::format("WEFT_SCENE_FLAGS={:#x} WEFT_SCENE_SLOTS={:#x}", flags, slots);
}

}  // namespace weft::frame
