// reference_path.h — one path from the camera to its end (shaders/bsdf.md section 6).
//
// Holds all rules of a path in the reference: hits, straight passages, MIS, roulette, clamping. One
// object per path; one thread.
#pragma once

#include <optional>
#include <vector>

#include "engine/trace/first_surface.h"
#include "engine/trace/reference/reference_bsdf.h"
#include "engine/trace/reference/reference_lights.h"
#include "engine/trace/reference/reference_medium.h"
#include "engine/trace/reference/reference_phase.h"
#include "engine/trace/reference/reference_split.h"
#include "engine/trace/reference/reference_story.h"
#include "shaders/host/path_view.h"

namespace weft::trace::reference {

// The scene and the settings that all paths of a picture share.
struct PathScene {
    const shaders::SceneView& view;
    const TriangleTree& tree;
    const shaders::RenderParams& params;
    const shaders::CameraRecord& camera;
    const StartMedia& media;      // around it
    bool has_boundaries = false;  // of media
};

class Path {
public:
    Path(const PathScene& scene, u32 x, u32 y, u32 sample, Story& story);

    // Traces the path to its end; returns radiance and alpha.
    std::array<double, 4> trace();

    // After trace(): the parts of its radiance.
    [[nodiscard]] const LightSplit& split() const { return split_; }

    // After trace(): the first surface; empty if the path hit none.
    [[nodiscard]] const std::optional<FirstSurface>& first_surface() const { return first_; }

private:
    // A hit with its material.
    struct Vertex {
        Surface surface;
        MaterialPoint material;
        double eta = 1;
    };

    // What the first surface does with light on its way to the camera.
    struct Way {
        bool is_scattered = false;
        bool is_transmitted = false;
        Rgb diffuse;  // share of it, where it is reflected
    };

    // Where a shadow ray starts.
    struct ShadowStart {
        Vec origin;
        TriangleName ignored;
        MediumStack media;
    };

    // A boundary of a medium that a shadow ray passes.
    struct Crossing {
        double t = 0;
        u32 material = kNone;
        bool is_front = false;
    };

    // The way of light from a direction, where this is the first surface.
    [[nodiscard]] Way way_of(const Vertex& vertex, const Bsdf& bsdf, Vec wi) const;
    // Adds to the radiance, and to the parts of it.
    void add(Rgb contribution, u32 light_group, const Way& way);
    // Tells a hit to direct light: what the radiance was after its emission, how much the surface
    // passes on to what it mirrors or shows, and whether the path goes straight on.
    void see(Rgb radiance, double passed_on, bool is_straight);
    void start_camera_ray(u32 x, u32 y);
    void miss();
    // Returns false when the path ends.
    bool shade(const RayHit& hit);
    // Widens the facets of a hit that the path reached by rough lobes.
    void regularize(MaterialPoint& material);
    // Computes η at a solid's boundary, at the path's wavelength if a medium disperses.
    void cross_boundary(Vertex& vertex);
    [[nodiscard]] bool is_passed(const Vertex& vertex) const;
    void pass(const Vertex& vertex);
    void add_emission(const Vertex& vertex);
    void add_light_sample(const Vertex& vertex, const LitPoint& lit, const Bsdf& bsdf);
    // Traces the shadow ray of a light sample, and adds what of it arrives.
    void send_light(const LightSample& light,
                    Rgb contribution,
                    const ShadowStart& start,
                    const Way& way);
    // Attenuates by the medium on the way to a hit; returns where the medium scatters before it.
    std::optional<MediumWay> scattered_way(const RayHit& hit);
    // Returns false when the path ends.
    bool scatter_in_medium(const RayHit& hit, const MediumWay& way);
    void add_light_in_medium(const Phase& phase, const LitPoint& lit, const Way& way);
    // Transmittance of the media along a shadow ray of length t.
    [[nodiscard]] Rgb left_by_media(const ShadowStart& start,
                                    std::vector<Crossing> crossings,
                                    double t) const;
    // Applies a scattering event; returns false if no throughput is left.
    bool scatter(const Vertex& vertex, const LitPoint& lit, const BsdfSample& next);
    // How likely a path should survive Russian roulette: by the light that the guide expects, or by
    // its throughput alone.
    [[nodiscard]] double guided_survival(const Bsdf& bsdf, Vec direction) const;
    [[nodiscard]] double plain_survival() const;
    bool survives_roulette(double wanted);
    // Transmittance of the shadow ray: 0 if blocked, tinted by thin panes, and attenuated where the
    // scene has boundaries of media.
    [[nodiscard]] Rgb visibility(const ShadowStart& start, const LightSample& light) const;
    // Clamps a contribution with `events` scattering events between light and camera.
    [[nodiscard]] Rgb clamped(Rgb contribution, u32 events) const;
    void go_on(const Vertex& vertex, Vec direction);
    // Of this hit: for its next direction, and for its light sample.
    [[nodiscard]] Tuple direction_numbers() const;
    [[nodiscard]] LightNumbers light_numbers() const;

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
    LightSplit split_;
    Way way_;                  // of what the path finds next
    bool is_settled_ = false;  // direct light of one more hit counts
    bool is_direct_ = true;    // so far
    MediumStack media_;
    u32 depth_ = 0;              // hits so far
    u32 bounces_ = 0;            // scattering events so far
    double pdf_ = 0;             // of the direction at the last scattering event
    double travelled_m_ = 0;     // since that event
    LitPoint lit_;               // the surface of that event
    double first_light_ = 0;     // that the guide expected at the first guided surface
    double widest_ = 0;          // largest α of the lobes that scattered it
    bool is_dispersed_ = false;  // follows one wavelength
    bool counts_fully_ = true;   // no light sample competes: emission has weight 1
};

}  // namespace weft::trace::reference
