// reference_bsdf.cpp — see reference_bsdf.h.
#include "engine/trace/reference/reference_bsdf.h"

#include <numeric>

#include "engine/trace/reference/reference_fresnel.h"

namespace weft::trace::reference {

namespace {

constexpr double kMatchedIndices = 0.001;  // |η − 1| below this: light passes straight

double& chance_of(std::array<double, kLobeCount>& chances, Lobe lobe) {
    return chances[static_cast<std::size_t>(lobe)];
}

// GGX's peak in reflection, less by the angle that the lobe's middle misses the cone by.
double lobe_density(Vec middle, double alpha2, Vec axis, double spread) {
    const double away = std::acos(std::clamp(dot(middle, axis), -1.0, 1.0));
    const double missed = std::max(0.0, away - std::acos(std::clamp(1 - spread, -1.0, 1.0)));
    const double falloff = 1 / (1 + square(std::tan(missed / 2)) / alpha2);
    return square(falloff) / (4 * kPi * alpha2);
}

Vec mirrored_view(const Frame& frame, Vec wo_world) {
    const Vec wo = frame.to_local(wo_world);
    return frame.to_world({-wo.x, -wo.y, wo.z});
}

}  // namespace

Bsdf::Bsdf(const shaders::SceneView& scene,
           const Surface& surface,
           const MaterialPoint& material,
           double eta)
    : surface_(surface), material_(material), eta_(eta) {
    base_ggx_ = {material.alpha_x, material.alpha_y};
    coat_ggx_ = {ggx_alpha(material.coat_roughness), ggx_alpha(material.coat_roughness)};
    if (material.is_solid) {
        passage_ = std::fabs(eta - 1) < kMatchedIndices ? Passage::Straight : Passage::Glass;
    } else if (material.transmission > 0) {
        passage_ = material.is_thin_straight ? Passage::Straight : Passage::Thin;
    }
    weigh_layers(scene);
    weigh_lobes();
}

void Bsdf::weigh_layers(const shaders::SceneView& scene) {
    // Coat and sheen, from above.
    const double coat_cosine = dot(surface_.coat_frame.z, surface_.wo);
    const LobeAlbedo coat =
        read_ggx_albedo(scene.ggx_albedo, coat_cosine, material_.coat_roughness);
    coat_albedo_ = material_.coat * (0.04 * coat.a + coat.b);
    const double cosine = dot(surface_.frame.z, surface_.wo);
    sheen_albedo_ = read_albedo(scene.sheen_albedo, cosine, material_.sheen_roughness);
    below_coat_ = 1 - coat_albedo_;
    below_sheen_ = 1 - largest(material_.sheen_color) * std::min(sheen_albedo_, 1.0);

    // The base: what is not reflected goes into the diffuse lobe or through.
    const Vec wo = surface_.frame.to_local(surface_.wo);
    const SpecularAlbedo albedo = specular_albedo(scene, material_, wo);
    specular_albedo_one_ = albedo.single;
    specular_albedo_ = albedo.specular;
    dielectric_compensation_ = albedo.dielectric_compensation;
    metal_compensation_ = albedo.metal_compensation;
    const double through = (1 - material_.metallic) * material_.transmission;
    const double back = (1 - material_.metallic) * (1 - material_.transmission);
    const Rgb not_reflected = (gray(1) - albedo.dielectric) * material_.base;
    diffuse_ = not_reflected * back;
    thin_ = not_reflected * through;
    glass_share_ = material_.is_solid ? through : 0;
    if (passage_ == Passage::Glass) {
        fill_ = GlassFill(scene, material_, wo, eta_);
    }
    if (passage_ == Passage::Straight) {
        const Rgb passed = material_.is_solid ? material_.base * glass_share_ : thin_;
        straight_weight_ = passed * (below_coat_ * below_sheen_);
    }
}

void Bsdf::weigh_lobes() {
    const double below = below_coat_ * below_sheen_;
    chance_of(chance_, Lobe::Coat) = coat_albedo_;
    chance_of(chance_, Lobe::Sheen) =
        below_coat_ * average(material_.sheen_color) * std::min(sheen_albedo_, 1.0);
    chance_of(chance_, Lobe::Specular) = below * (1 - glass_share_) * average(specular_albedo_);
    chance_of(chance_, Lobe::Diffuse) = below * average(diffuse_);
    switch (passage_) {
        case Passage::None:
            break;
        case Passage::Thin:
            chance_of(chance_, Lobe::Transmission) = below * average(thin_);
            break;
        case Passage::Straight:
            chance_of(chance_, Lobe::Transmission) = average(straight_weight_);
            break;
        case Passage::Glass:
            chance_of(chance_, Lobe::Transmission) = below * glass_share_;
            break;
    }
    const double sum = std::accumulate(chance_.begin(), chance_.end(), 0.0);
    for (double& chance : chance_) {
        chance = sum > 0 ? chance / sum : 0;
    }
}

void Bsdf::guide_by(const std::optional<GuideSquare>& square) {
    // A rough specular lobe lends the diffuse one some of its draws.
    constexpr double kLeast{shaders::kLeastLendingAlpha};
    constexpr double kMost{shaders::kMostLendingAlpha};
    const double alpha = std::min(base_ggx_.alpha_x, base_ggx_.alpha_y);
    const double rise = std::clamp((alpha - kLeast) / (kMost - kLeast), 0.0, 1.0);
    double& specular = chance_of(chance_, Lobe::Specular);
    double& diffuse = chance_of(chance_, Lobe::Diffuse);
    const double lent = specular * (double{shaders::kMostLent} * rise);
    if (square && chance_of(chance_, Lobe::Sheen) + diffuse + lent > 0) {
        square_ = square;
        lent_ = lent;
        specular -= lent;
        diffuse += lent;
    }
}

double Bsdf::density_ratio(Vec wi) const {
    if (!square_) {
        return 1;
    }
    Bsdf plain = *this;
    plain.square_.reset();
    const double even = plain.pdf(wi);
    return even > 0 ? pdf(wi) / even : 1;
}

bool Bsdf::is_reflection(Vec wi, Vec normal) const {
    return dot(wi, normal) > 0 && dot(wi, surface_.geometric) > 0;
}

// Chiang et al. 2019, "Taming the Shadow Terminator".
double Bsdf::terminator(Vec wi, Vec normal) const {
    const double divisor = dot(wi, normal) * dot(normal, surface_.geometric);
    const double g = divisor <= 0 ? 1 : std::min(1.0, dot(surface_.geometric, wi) / divisor);
    return g + g * g - g * g * g;
}

Rgb Bsdf::coat_value(Vec wi_world) const {
    if (material_.coat <= 0 || !is_reflection(wi_world, surface_.coat_frame.z)) {
        return {};
    }
    const Vec wo = surface_.coat_frame.to_local(surface_.wo);
    const Vec wi = surface_.coat_frame.to_local(wi_world);
    const double fresnel = schlick(gray(0.04), 1, dot(wo, normalize(wo + wi))).x;
    const double value = material_.coat * fresnel * coat_ggx_.reflect(wo, wi) * wi.z;
    return gray(value * terminator(wi_world, surface_.coat_frame.z));
}

// Sheen and diffuse, below the coat.
Rgb Bsdf::diffuse_reflection(Vec wi_world) const {
    if (!is_reflection(wi_world, surface_.frame.z)) {
        return {};
    }
    const Vec wo = surface_.frame.to_local(surface_.wo);
    const Vec wi = surface_.frame.to_local(wi_world);
    const double width = std::max(square(material_.sheen_roughness), 0.01);
    const double sheen_scale = std::min(1.0, 1 / sheen_albedo_);
    const Rgb sheen = largest(material_.sheen_color) > 0
                          ? material_.sheen_color * (charlie(wo, wi, width) * sheen_scale)
                          : Rgb{};
    const Rgb below = diffuse_ / kPi * below_sheen_;
    return (sheen + below) * (wi.z * terminator(wi_world, surface_.frame.z));
}

Rgb Bsdf::base_reflection(Vec wi_world) const {
    if (!is_reflection(wi_world, surface_.frame.z)) {
        return {};
    }
    const Vec wo = surface_.frame.to_local(surface_.wo);
    const Vec wi = surface_.frame.to_local(wi_world);
    const double cosine = dot(wo, normalize(wo + wi));
    const double facets = base_ggx_.reflect(wo, wi);
    const Rgb dielectric = schlick(material_.f0_dielectric, material_.f90_dielectric, cosine) *
                           dielectric_compensation_;
    const Rgb metal = schlick(material_.f0_metal, 1, cosine) * metal_compensation_;
    const Rgb specular = mix(dielectric, metal, material_.metallic) * facets;
    const double glass = passage_ == Passage::Glass
                             ? dielectric_fresnel(cosine, eta_) * facets + fill_.value(wi)
                             : 0;
    const Rgb mirrored = specular * (1 - glass_share_) + gray(glass_share_ * glass);
    const double slope = wi.z * terminator(wi_world, surface_.frame.z);
    return diffuse_reflection(wi_world) + mirrored * (below_sheen_ * slope);
}

Vec Bsdf::refraction_half(Vec wo, Vec wi) const {
    const Vec h = normalize(wo + wi * eta_);
    return h.z < 0 ? -h : h;
}

double Bsdf::refraction_pdf(Vec wo, Vec wi) const {
    const Vec h = refraction_half(wo, wi);
    const double facing_o = dot(wo, h);
    const double facing_i = dot(wi, h);
    if (facing_o <= 0 || facing_i >= 0) {
        return 0;
    }
    const double spread = square(eta_) * -facing_i / square(eta_ * facing_i + facing_o);
    const double facet = base_ggx_.density(h) * base_ggx_.visible_one(wo) * facing_o / wo.z;
    return (1 - dielectric_fresnel(facing_o, eta_)) * facet * spread;
}

Rgb Bsdf::transmission_value(Vec wi_world) const {
    if (dot(wi_world, surface_.geometric) >= 0) {
        return {};
    }
    const Vec wo = surface_.frame.to_local(surface_.wo);
    const Vec wi = surface_.frame.to_local(wi_world);
    if (passage_ == Passage::Thin && wi.z < 0) {
        const Vec mirrored = {wi.x, wi.y, -wi.z};
        return thin_ * (base_ggx_.reflect(wo, mirrored) / specular_albedo_one_ * mirrored.z);
    }
    if (passage_ == Passage::Glass) {
        // f |cos| = base · pdf · G1(wi): all else is shared between value and density.
        const double filled = wi.z < 0 ? fill_.value(wi) * -wi.z : 0;
        const double refracted = refraction_pdf(wo, wi) * base_ggx_.visible_one(wi);
        return material_.base * (glass_share_ * (refracted + filled));
    }
    return {};
}

Rgb Bsdf::evaluate(Vec wi) const {
    const Rgb base = base_reflection(wi) + transmission_value(wi) * below_sheen_;
    return coat_value(wi) + base * below_coat_;
}

Rgb Bsdf::diffuse_share(Vec wi) const {
    const Rgb part = diffuse_reflection(wi) * below_coat_;
    const Rgb whole = evaluate(wi);
    const auto share = [](double a, double b) { return b > 0 ? std::min(a / b, 1.0) : 0.0; };
    return {share(part.x, whole.x), share(part.y, whole.y), share(part.z, whole.z)};
}

double Bsdf::passed_weight() const {
    const auto chance = [this](Lobe lobe) { return chance_[static_cast<std::size_t>(lobe)]; };
    const auto clearness = [](double alpha) { return saturate((0.06 - alpha) / 0.05); };
    const double clear = clearness(std::max(base_ggx_.alpha_x, base_ggx_.alpha_y));
    const double through = passage_ == Passage::Straight ? 1 : clear;
    const double sum = chance(Lobe::Specular) * clear + chance(Lobe::Transmission) * through +
                       chance(Lobe::Coat) * clearness(coat_ggx_.alpha_x);
    return saturate((sum - 0.3) / 0.3);
}

bool Bsdf::is_lit_through() const {
    return chance_[static_cast<std::size_t>(Lobe::Transmission)] > 0;
}

double Bsdf::transmission_density(Vec axis, double spread) const {
    const double alpha2 = base_ggx_.alpha_x * base_ggx_.alpha_y;
    if (passage_ == Passage::Thin) {
        return lobe_density(-surface_.wo, alpha2, axis, spread);
    }
    const Vec wo = surface_.frame.to_local(surface_.wo);
    const double below = 1 - (1 - square(wo.z)) / square(eta_);
    if (passage_ != Passage::Glass || below <= 0) {
        return 0;
    }
    const Vec refracted = {-wo.x / eta_, -wo.y / eta_, -std::sqrt(below)};
    // A facet turns a refracted direction by |η − 1| / η of its angle, a mirrored one by twice it.
    const double narrowed = (eta_ - 1) / eta_ / 2;
    return lobe_density(surface_.frame.to_world(refracted),
                        std::max(alpha2 * square(narrowed), 1e-12),
                        axis,
                        spread);
}

Highlight Bsdf::highlight() const {
    const double coat_share = chance_[static_cast<std::size_t>(Lobe::Coat)];
    const double share =
        passage_ == Passage::Glass ? 0 : chance_[static_cast<std::size_t>(Lobe::Specular)] + lent_;
    const double alpha2 = base_ggx_.alpha_x * base_ggx_.alpha_y;
    const double coat_alpha2 = coat_ggx_.alpha_x * coat_ggx_.alpha_y;
    if (coat_share * alpha2 > share * coat_alpha2) {
        return {mirrored_view(surface_.coat_frame, surface_.wo), coat_alpha2, coat_share};
    }
    return {mirrored_view(surface_.frame, surface_.wo), alpha2, share};
}

double Bsdf::lobe_share(Vec axis, double spread) const {
    const auto chance = [this](Lobe lobe) { return chance_[static_cast<std::size_t>(lobe)]; };
    const double base =
        chance(Lobe::Specular) + (passage_ == Passage::Glass ? chance(Lobe::Transmission) : 0);
    const double alpha2 = base_ggx_.alpha_x * base_ggx_.alpha_y;
    const double coat_alpha2 = coat_ggx_.alpha_x * coat_ggx_.alpha_y;
    const double density =
        base * lobe_density(mirrored_view(surface_.frame, surface_.wo), alpha2, axis, spread) +
        chance(Lobe::Transmission) * transmission_density(axis, spread) +
        chance(Lobe::Coat) *
            lobe_density(
                mirrored_view(surface_.coat_frame, surface_.wo), coat_alpha2, axis, spread);
    const double lobes = density * 2 * kPi * spread;
    const double share = lobes / (lobes + 1) / 2;
    return share < kLeastShare ? 0 : share;
}

double Bsdf::pdf(Vec wi_world) const {
    double sum = 0;
    const auto chance = [this](Lobe lobe) { return chance_[static_cast<std::size_t>(lobe)]; };
    if (is_reflection(wi_world, surface_.coat_frame.z)) {
        const Vec wo = surface_.coat_frame.to_local(surface_.wo);
        sum +=
            chance(Lobe::Coat) * coat_ggx_.reflect_pdf(wo, surface_.coat_frame.to_local(wi_world));
    }
    const Vec wo = surface_.frame.to_local(surface_.wo);
    const Vec wi = surface_.frame.to_local(wi_world);
    if (is_reflection(wi_world, surface_.frame.z)) {
        const double facets = base_ggx_.reflect_pdf(wo, wi);
        const double guided = square_ ? square_->density(wi_world) : 1;
        sum += (chance(Lobe::Sheen) + chance(Lobe::Diffuse)) * guided * wi.z / kPi +
               chance(Lobe::Specular) * facets;
        if (passage_ == Passage::Glass) {
            const double fresnel = dielectric_fresnel(dot(wo, normalize(wo + wi)), eta_);
            const double filled = fill_.lost() * fill_.reflected() * wi.z / kPi;
            sum += chance(Lobe::Transmission) * ((1 - fill_.lost()) * fresnel * facets + filled);
        }
    }
    if (dot(wi_world, surface_.geometric) < 0) {
        if (passage_ == Passage::Thin && wi.z < 0) {
            sum += chance(Lobe::Transmission) * base_ggx_.reflect_pdf(wo, {wi.x, wi.y, -wi.z});
        } else if (passage_ == Passage::Glass) {
            const double filled =
                fill_.lost() * (1 - fill_.reflected()) * std::max(0.0, -wi.z) / kPi;
            sum +=
                chance(Lobe::Transmission) * ((1 - fill_.lost()) * refraction_pdf(wo, wi) + filled);
        }
    }
    return sum;
}

bool Bsdf::draw(Lobe lobe, double rest, Pair u, Vec& wi) const {
    const Frame& frame = lobe == Lobe::Coat ? surface_.coat_frame : surface_.frame;
    const Ggx& ggx = lobe == Lobe::Coat ? coat_ggx_ : base_ggx_;
    const Vec wo = frame.to_local(surface_.wo);
    if (lobe == Lobe::Sheen || lobe == Lobe::Diffuse) {
        wi = square_ ? square_->draw(u) : frame.to_world(sample_cosine(u));
        return is_reflection(wi, frame.z);
    }
    if (lobe == Lobe::Transmission && passage_ == Passage::Glass) {
        return draw_glass(rest, u, wo, wi);
    }
    const Vec mirrored = mirror(wo, ggx.sample_visible(wo, u));
    if (lobe != Lobe::Transmission) {
        wi = frame.to_world(mirrored);
        return is_reflection(wi, frame.z);
    }
    wi = frame.to_world({mirrored.x, mirrored.y, -mirrored.z});
    return mirrored.z > 0 && dot(wi, surface_.geometric) < 0;
}

bool Bsdf::is_fill(Lobe lobe, double rest) const {
    return lobe == Lobe::Transmission && passage_ == Passage::Glass && rest < fill_.lost();
}

bool Bsdf::draw_glass(double rest, Pair u, Vec wo, Vec& wi) const {
    if (is_fill(Lobe::Transmission, rest)) {
        Vec local = sample_cosine(u);
        const bool goes_back = rest < fill_.lost() * fill_.reflected();
        local.z = goes_back ? local.z : -local.z;
        wi = surface_.frame.to_world(local);
        return goes_back ? is_reflection(wi, surface_.frame.z) : dot(wi, surface_.geometric) < 0;
    }
    const Vec h = base_ggx_.sample_visible(wo, u);
    const double cosine = dot(wo, h);
    if ((rest - fill_.lost()) / (1 - fill_.lost()) < dielectric_fresnel(cosine, eta_)) {
        wi = surface_.frame.to_world(mirror(wo, h));
        return is_reflection(wi, surface_.frame.z);
    }
    const double cosine_beyond = std::sqrt(std::max(0.0, 1 - (1 - square(cosine)) / square(eta_)));
    wi = surface_.frame.to_world(normalize(h * (cosine / eta_ - cosine_beyond) - wo / eta_));
    return dot(wi, surface_.geometric) < 0;
}

BsdfSample Bsdf::sample(double choice, Pair u) const {
    BsdfSample result;
    // The first lobe whose share of [0, 1) holds the choice; the last one that has any chance takes
    // what rounding leaves.
    double start = 0;
    double rest = 0;
    for (std::size_t i = 0; i < kLobeCount; ++i) {
        if (chance_[i] <= 0) {
            continue;
        }
        result.lobe = static_cast<Lobe>(i);
        result.probability = chance_[i];
        rest = std::min((choice - start) / chance_[i], 0x1.fffffep-1);
        start += chance_[i];
        if (choice < start) {
            break;
        }
    }
    if (result.probability <= 0) {
        return result;
    }
    result.width = result.lobe == Lobe::Coat ? coat_ggx_.alpha_x : base_ggx_.alpha_y;
    if (result.lobe == Lobe::Sheen || result.lobe == Lobe::Diffuse || is_fill(result.lobe, rest)) {
        result.width = 1;
    }
    if (result.lobe == Lobe::Transmission && passage_ == Passage::Straight) {
        result.direction = -surface_.wo;
        result.is_straight = true;
        result.goes_through = true;
        result.weight = straight_weight_ / result.probability;
        return result;
    }
    if (!draw(result.lobe, rest, u, result.direction)) {
        return result;
    }
    result.goes_through = dot(result.direction, surface_.geometric) < 0;
    result.pdf = pdf(result.direction);
    result.weight = result.pdf > 0 ? evaluate(result.direction) / result.pdf : Rgb{};
    return result;
}

Rgb window_tint(const shaders::SceneView& scene,
                const Surface& surface,
                const MaterialPoint& material) {
    const double cosine = dot(surface.frame.z, surface.wo);
    const Rgb reflected = mean_specular_albedo(scene, material, cosine).dielectric;
    const double through = (1 - material.metallic) * material.transmission;
    return (gray(1) - reflected) * material.base * through;
}

}  // namespace weft::trace::reference
