// render_settings.h — everything that a frame is rendered with, with its default.
//
// Plain data. The first group changes the picture, and so do stop rules; the rest changes only how
// fast it appears.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/film/film.h"
#include "engine/film/light_groups.h"
#include "engine/film/resolved_film.h"
#include "engine/trace/integrator.h"
#include "engine/trace/scene_tables.h"
#include "shaders/host/shade_kernels.h"

namespace weft::frame {

class Motion;

// Whether paths are guided by what a pilot learns before the frame (pilot.h). Auto: where its
// picture has less noise for the same number of rays.
enum class Guiding { Off, On, Auto };

constexpr const char* guiding_name(Guiding guiding) {
    return guiding == Guiding::On ? "on" : guiding == Guiding::Auto ? "auto" : "off";
}

struct RenderSettings {
    // The picture.
    u32 width = 1280;
    u32 height = 720;
    std::optional<film::Region> crop;  // --pixelbounds; none: all of it
    u32 seed = 0;
    u32 max_bounces = 8;
    float clamp_direct = std::numeric_limits<float>::infinity();
    float clamp_indirect = std::numeric_limits<float>::infinity();
    // Once a path was scattered by a rough lobe or a medium, facets that it hits have at least this
    // roughness, in [0, 1] (shaders/bsdf.md "Regularisation"); 0: what the materials say.
    float regularized_roughness = 0;
    trace::LightChoice light_choice = trace::LightChoice::Tree;
    Guiding guiding = Guiding::Off;
    trace::PixelFilter filter = trace::PixelFilter::BlackmanHarris;
    bool is_film_transparent = false;
    bool has_backface_culling = false;
    bool has_autofocus = false;  // the lens focuses on the surface in the middle of the picture
    std::vector<film::Aov> aovs;
    // Where `aovs` has light groups: which lights each has. The last one has all others.
    film::LightGroups light_groups;
    // For Aov::Motion; null: nothing moves.
    std::shared_ptr<const Motion> motion;
    std::vector<shaders::ClipPlane> clip_planes;  // at most kMaxClipPlanes
    // What the frame's tasks resolve at its end, for writing files. None for frames that write no
    // file and for live frames.
    std::optional<film::ResolveConfig> picture;
    // Stop rules: whichever is met first ends the render.
    u32 samples_per_pixel = 64;  // at most
    // A block of pixels ends when its noise is at most so much (noise_rule.h); 0: never. Needs
    // Aov::Noise among the AOVs and the first sample 0.
    float noise_threshold = 0;
    u32 first_sample = 0;  // a slice renders [first_sample, samples_per_pixel) of each pixel
    double time_limit_s = std::numeric_limits<double>::infinity();
    // How it is run.
    trace::IntegratorConfig integrator;
    u32 thread_count = 0;  // 0: all cores
    // The runtime chooses the device that matches best, and has_cpu and has_egpu follow.
    bool chooses_device = false;
    bool has_cpu = true;  // which devices; at least one
    bool has_egpu = false;
    i32 urgency = 0;                       // among renderers of this process: the higher goes first
    u32 egpu_units = 4;                    // execution units of the emulated GPU, 1..64
    u64 egpu_memory_bytes = u64{8} << 30;  // its own memory
    // Paths in flight of each of its units where it renders alone; 0: as many as of the
    // processor's.
    u32 egpu_path_count = 0;
    // The interface draws with the GPU: its units leave the frame to the processor, if that takes
    // part.
    bool is_display_drawn = false;
    u32 share_samples = 0;  // samples of a share; 0: by measured cost
    std::optional<shaders::Isa>
        isa;            // none: the best that the machine has (class fma or sse4 decides the bits)
    u32 leaf_fill = 4;  // triangles that the tree's builder aims at per leaf block, 1..4
    bool has_fine_tree = true;   // high build quality
    u64 memory_limit_bytes = 0;  // 0: none
    // Most bytes of nodes and leaf blocks in memory; the others are in a page file in the folder
    // (accel/paged_tree.h). 0: all are in memory. Keyed or unkeyed, on any device.
    u64 geometry_memory_bytes = 0;
    std::string page_folder;
    u64 page_folder_limit_bytes = 0;  // of its page files; 0: none
    u64 page_bytes = u64{256} << 10;  // of a page, at most
    u64 record_page_bytes = 0;        // of a page of triangles' records; 0: as `page_bytes`
    // While the frame runs, a shading kernel for the scene's materials is compiled; each CPU unit
    // takes it over with its next share. Same bits.
    bool has_scene_kernels = false;
    // The cost of each key and object is counted (engine/trace/heat.h). Same bits, but slower.
    bool has_heat = false;
    // Lines for the user, such as that there is no compiler. Any thread.
    std::function<void(const std::string& line)> on_note;
    // The guide that a pilot learned; null: paths are not guided.
    std::shared_ptr<const trace::Guide> guide;
    // Where this frame is a pilot: takes what its paths tell. Outlives the frame.
    trace::GuideLog* maybe_guide_log = nullptr;
    // For tests: called with the number of an emulated GPU's unit before each of its steps.
    std::function<void(u32 unit)> egpu_hook;
    // A unit of the emulated GPU without progress for so long counts as lost.
    double patience_s = 10;
    // For tests: called on a worker's thread after each loss of a unit.
    std::function<void()> lost_hook;
};

inline bool is_regularized(const RenderSettings& settings) {
    return settings.regularized_roughness > 0;
}

// Paths in flight of each unit of the emulated GPU. The more there are, the more of them share a
// copy over its bus; beside the processor they are as many as there, so that neither waits long for
// the other's last paths.
inline u32 device_path_count(const RenderSettings& settings) {
    return settings.has_cpu || settings.egpu_path_count == 0 ? settings.integrator.path_count
                                                             : settings.egpu_path_count;
}

}  // namespace weft::frame
