// scene_shade.cpp — shade.cpp for one scene: built while the program runs, for one instruction set
// and with the features of that scene (feature_set.h), and called by its C name.
//
// Not part of the program: it is carried in it as text (kernel_text.h).
#include "shaders/kernels/shade.cpp"

extern "C" __attribute__((visibility("default"))) void weft_scene_shade(
    const weft::shaders::SceneView& scene,
    const weft::shaders::RenderParams& params,
    const weft::shaders::PathView& paths,
    const weft::u32* ids,
    weft::u32 count,
    weft::shaders::ShadeCounters& counters) {
    static const auto kKernel = weft::shaders::WEFT_WIDTH::shade_kernel(weft::shaders::WEFT_ISA);
    kKernel(scene, params, paths, ids, count, counters);
}
