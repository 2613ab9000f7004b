// scene_shade.cpp — shade.cpp for one scene: compiled at run time for one instruction set and the
// scene's features (feature_set.h), and called by its C name.
//
// Not compiled into the program, which embeds it as text (kernel_text.h).
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
