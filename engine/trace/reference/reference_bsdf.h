// reference_bsdf.h — how a surface scatters: layers, lobes, their choice and density
// (shaders/bsdf.md section 4).
//
// Make one per hit, then evaluate it for light samples and sample it for the next ray. Pure; any
// thread.
#pragma once

#include <array>

#include "engine/trace/reference/reference_albedo.h"
#include "engine/trace/reference/reference_guide.h"
#include "engine/trace/reference/reference_light_tree.h"
#include "engine/trace/reference/reference_material.h"
#include "engine/trace/reference/reference_microfacet.h"

namespace weft::trace::reference {

// In the order of the choice.
enum class Lobe : u32 { Coat = 0, Sheen = 1, Specular = 2, Diffuse = 3, Transmission = 4 };
inline constexpr std::size_t kLobeCount = 5;

// Below this share of the samples of a light with a size only its cone is sampled.
inline constexpr double kLeastShare = 1.0 / 64;

// What the transmission lobe does.
enum class Passage { None, Thin, Straight, Glass };

struct BsdfSample {
    Lobe lobe = Lobe::Diffuse;
    double probability = 0;  // of the lobe
    Vec direction;
    bool is_straight = false;  // passed through unchanged: weight is all there is
    bool goes_through = false;
    Rgb weight;        // zero: the path ends
    double pdf = 0;    // solid angle, over all continuous lobes
    double width = 1;  // α of the lobe: what a ray cone widens by
};

class Bsdf {
public:
    // eta: index beyond the surface over index here (solids only).
    Bsdf(const shaders::SceneView& scene,
         const Surface& surface,
         const MaterialPoint& material,
         double eta);

    // From here on the cosine lobes, diffuse and sheen, draw from this square, if there is any, and
    // take some draws of a rough specular lobe.
    void guide_by(const std::optional<GuideSquare>& square);

    // Of the cosine lobes.
    [[nodiscard]] const std::optional<GuideSquare>& guide() const { return square_; }

    // The density of a direction over that without the square.
    [[nodiscard]] double density_ratio(Vec wi) const;

    // f · |cos|, each lobe's cosine against its own normal.
    [[nodiscard]] Rgb evaluate(Vec wi) const;
    // Density over all continuous lobes.
    [[nodiscard]] double pdf(Vec wi) const;
    // The pair's first number chooses the lobe.
    [[nodiscard]] BsdfSample sample(double choice, Pair direction) const;

    // The share of diffuse and sheen in evaluate().
    [[nodiscard]] Rgb diffuse_share(Vec wi) const;
    // How much of a weight the surface leaves to what its clear lobes show (shaders/bsdf.md section
    // 7).
    [[nodiscard]] double passed_weight() const;

    // Whether light from behind can show: sample() may draw transmission.
    [[nodiscard]] bool is_lit_through() const;

    // The lobe of base or coat with the higher peak, which the light tree looks at; none for glass.
    [[nodiscard]] Highlight highlight() const;

    // The share of light samples that sample() draws, for a light that fills a cone about `axis`;
    // the cone draws the others (shaders/bsdf.md section 5). `spread` = 1 − cosine of the cone's
    // half angle.
    [[nodiscard]] double lobe_share(Vec axis, double spread) const;

private:
    void weigh_layers(const shaders::SceneView& scene);
    void weigh_lobes();
    // f · |cos| without the layers above; wi in world space on the right side.
    [[nodiscard]] Rgb coat_value(Vec wi) const;
    [[nodiscard]] Rgb diffuse_reflection(Vec wi) const;
    [[nodiscard]] Rgb base_reflection(Vec wi) const;
    [[nodiscard]] Rgb transmission_value(Vec wi) const;
    // Draws a direction of one lobe; false: on the wrong side.
    [[nodiscard]] bool draw(Lobe lobe, double rest, Pair u, Vec& wi) const;
    [[nodiscard]] bool draw_glass(double rest, Pair u, Vec wo, Vec& wi) const;
    // Part of the transmission lobe that takes `rest`: what facets of glass lost.
    [[nodiscard]] bool is_fill(Lobe lobe, double rest) const;
    [[nodiscard]] bool is_reflection(Vec wi, Vec normal) const;
    // Upper bound of the transmission lobe's density over a cone.
    [[nodiscard]] double transmission_density(Vec axis, double spread) const;
    [[nodiscard]] double terminator(Vec wi, Vec normal) const;
    // Glass: half vector of a refraction, on the normal's side, in the frame.
    [[nodiscard]] Vec refraction_half(Vec wo, Vec wi) const;
    [[nodiscard]] double refraction_pdf(Vec wo, Vec wi) const;

    const Surface& surface_;
    MaterialPoint material_;
    double eta_;
    Passage passage_ = Passage::None;
    Ggx base_ggx_;
    Ggx coat_ggx_;
    // Layers: what is left below the coat and below the sheen, and what each part takes.
    double coat_albedo_ = 0;
    double sheen_albedo_ = 0;
    double below_coat_ = 1;
    double below_sheen_ = 1;
    double specular_albedo_one_ = 1;  // E_ss
    Rgb specular_albedo_;             // E_spec
    Rgb dielectric_compensation_;
    Rgb metal_compensation_;
    GlassFill fill_;          // of glass
    double glass_share_ = 0;  // g
    Rgb diffuse_;             // (1−m)(1−t)(1−E_d) base
    Rgb thin_;                // (1−m) t (1−E_d) base
    Rgb straight_weight_;
    std::array<double, kLobeCount> chance_{};
    double lent_ = 0;  // of the chance of the specular lobe, to the diffuse one
    std::optional<GuideSquare> square_;
};

// (1−m) t (1−E_d) base of a flat surface: what a straight window leaves of a shadow ray.
Rgb window_tint(const shaders::SceneView& scene,
                const Surface& surface,
                const MaterialPoint& material);

}  // namespace weft::trace::reference
