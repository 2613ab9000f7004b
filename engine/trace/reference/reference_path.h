// reference_path.h — one path from the camera to its end (shaders/bsdf.md section 6).
//
// The rules of a path are here and nowhere else in the reference: what a hit does, what passes
// straight, how light samples and found lights share, roulette, clamping. One object per path; its
// thread only.
#pragma once

#include <optional>

#include "engine/trace/first_surface.h"
#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_lights.h"
#include "engine/trace/reference/reference_medium.h"
#include "engine/trace/reference/reference_story.h"
#include "shaders/host/path_view.h"

namespace weft::trace::reference {

// What all paths of a picture share.
struct PathScene {
    const shaders::SceneView& view;
    const TriangleTree& tree;
    const shaders::RenderParams& params;
    const shaders::CameraRecord& camera;
};

class Path {
public:
    Path(const PathScene& scene, u32 x, u32 y, u32 sample, Story& story);

    // Runs to the end; radiance and alpha.
    std::array<double, 4> trace();

    // After trace(); nothing where no surface was met.
    [[nodiscard]] const std::optional<FirstSurface>& first_surface() const { return first_; }

private:
    // A hit with what its material says.
    struct Vertex {
        Surface surface;
        MaterialPoint material;
        double eta = 1;
    };

    void start_camera_ray(u32 x, u32 y);
    void miss();
    // False: the path ends here.
    bool shade(const RayHit& hit);
    // A solid's η, at the path's wavelength where a medium disperses.
    void cross_boundary(Vertex& vertex);
    [[nodiscard]] bool is_passed(const Vertex& vertex) const;
    void pass(const Vertex& vertex);
    void add_emission(const Vertex& vertex);
    void add_light_sample(const Vertex& vertex, const Bsdf& bsdf);
    // Takes a scattering step; false: nothing is left.
    bool scatter(const Vertex& vertex, const BsdfSample& next);
    bool survives_roulette();
    // What reaches the light: 0 where something blocks, tinted by straight windows.
    [[nodiscard]] Rgb visibility(const Vertex& vertex, const LightSample& light) const;
    // A contribution with `events` scattering events between light and camera, cut down where
    // asked.
    [[nodiscard]] Rgb clamped(Rgb contribution, u32 events) const;
    void go_on(const Vertex& vertex, Vec direction);
    [[nodiscard]] Pair numbers(u32 pair_of_hit) const;

    const PathScene& scene_;
    Story& story_;
    u32 pixel_hash_;
    u32 sample_;
    Ray ray_;
    double cone_width_m_ = 0;
    double cone_spread_ = 0;
    Rgb throughput_ = gray(1);
    Rgb radiance_;
    double alpha_ = 0;
    std::optional<FirstSurface> first_;
    MediumStack media_;
    u32 depth_ = 0;              // hits behind
    u32 bounces_ = 0;            // scattering events behind
    double pdf_ = 0;             // of the direction at the last scattering event
    double travelled_m_ = 0;     // since then
    bool is_dispersed_ = false;  // follows one wavelength
    bool counts_fully_ = true;   // light found now could not have been sampled
};

}  // namespace weft::trace::reference
