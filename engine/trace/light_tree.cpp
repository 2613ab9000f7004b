#include "engine/trace/light_tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/math/box.h"
#include "scheduler/base/ensure.h"
#include "shaders/host/scalar_math.h"

namespace weft::trace {

namespace {

constexpr u32 kBins = 16;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Widens cones and balls, so that float rounding excludes no light.
constexpr double kConeSlack = 1e-5;

bool shines_anywhere(const LightBounds& light) {
    return light.cos_spread <= -1;
}

// The box that splits go by; suns lie where they are seen.
math::Box box_of(const LightBounds& light) {
    const bool is_sun = light.place == LightPlace::Sun;
    return is_sun ? math::Box{-light.axis, -light.axis} : math::Box{light.low, light.high};
}

math::DVec3 middle_of(const LightBounds& light) {
    const math::Box box = box_of(light);
    return 0.5 * (math::DVec3(box.low) + math::DVec3(box.high));
}

// The axis with its largest component positive if the light has two sides, so that axes of opposite
// sign add up.
math::DVec3 folded_axis(const LightBounds& light) {
    const math::DVec3 axis(light.axis);
    if (!light.is_two_sided) {
        return axis;
    }
    u32 most = std::fabs(axis[0]) >= std::fabs(axis[1]) ? 0 : 1;
    most = std::fabs(axis[most]) >= std::fabs(axis[2]) ? most : 2;
    return axis[most] < 0 ? -1.0 * axis : axis;
}

// Sums over lights, of which the cost of a side of a cut follows.
struct LightSum {
    math::Box box;
    double intensity = 0;
    math::DVec3 axis{};  // weighted by intensity; lights that shine anywhere have none
    u32 count = 0;

    void add(const LightBounds& light) {
        box.include(box_of(light));
        intensity += light.intensity;
        if (!shines_anywhere(light)) {
            axis = axis + light.intensity * folded_axis(light);
        }
        ++count;
    }

    void add(const LightSum& other) {
        box.include(other.box);
        intensity += other.intensity;
        axis = axis + other.axis;
        count += other.count;
    }

    // Intensity · squared size · spread: 1 for lights of one axis, 4 for those without, as the
    // solid angles of half a sphere with cosine (π) and of a whole sphere (4π).
    [[nodiscard]] double cost() const {
        const math::DVec3 size = math::DVec3(box.high) - math::DVec3(box.low);
        const double resultant = intensity > 0 ? length(axis) / intensity : 0;
        return intensity * dot(size, size) * (4 - 3 * std::min(resultant, 1.0));
    }
};

// Where to cut: lights whose bin along the axis is below `bin` go to the first side.
struct Cut {
    u32 axis = 0;
    u32 bin = 0;
    double cost = kInfinite;
};

// Maps a coordinate to its bin.
struct Binning {
    double low = 0;
    double scale = 0;  // 0: all lights are at one place

    [[nodiscard]] u32 bin_of(double x) const {
        return std::min(static_cast<u32>((x - low) * scale), kBins - 1);
    }
};

class TreeMaker {
public:
    explicit TreeMaker(std::span<const LightBounds> lights)
        : lights_(lights), order_(lights.size()) {
        std::iota(order_.begin(), order_.end(), 0U);
        tree_.path.resize(lights.size());
        if (lights.empty()) {
            return;
        }
        // Sort the lights: those with a place, suns, the environment.
        const auto end_of = [&](LightPlace last) {
            const auto is_in = [&](u32 light) { return lights_[light].place <= last; };
            return static_cast<std::size_t>(
                std::stable_partition(order_.begin(), order_.end(), is_in) - order_.begin());
        };
        const std::size_t far_end = end_of(LightPlace::Sun);
        const std::size_t bounded_end = end_of(LightPlace::Bounded);
        const std::span<u32> order(order_);
        bounded_ = order.first(bounded_end);
        suns_ = order.subspan(bounded_end, far_end - bounded_end);
        skies_ = order.subspan(far_end);
        ENSURE(skies_.size(), <=, std::size_t{1});
        // Make the nodes.
        tree_.unit = unit_of(bounded_.empty() ? order : bounded_);
        make_root();
    }

    LightTree take() { return std::move(tree_); }

private:
    // Where a node is: below `depth` others, on a path of their branches.
    struct Way {
        u32 node = 0;
        u32 depth = 0;
        u32 path = 0;
    };

    // Sum of intensities.
    [[nodiscard]] double unit_of(std::span<const u32> order) const {
        double sum = 0;
        for (const u32 light : order) {
            sum += lights_[light].intensity;
        }
        return sum;
    }

    // A node whose branches have no lights.
    u32 add_node() {
        shaders::LightNode node{};
        for (shaders::LightBranch& branch : node.branches) {
            branch.cos_reach = shaders::kNoReach;
        }
        tree_.nodes.push_back(node);
        return static_cast<u32>(tree_.nodes.size() - 1);
    }

    void make_root() {
        const Way root = {add_node()};
        // Lights of one place are below the root itself.
        if (skies_.empty() && (suns_.empty() || bounded_.empty())) {
            make(root, bounded_.empty() ? suns_ : bounded_);
            return;
        }
        // Each place has a branch of the root.
        u32 branch = 0;
        for (const std::span<u32> lights : {bounded_, suns_, skies_}) {
            if (!lights.empty()) {
                add_branch(root, branch, lights);
                ++branch;
            }
        }
        // Triangles are one family of lights, points and spots another.
        const auto triangles = std::count_if(bounded_.begin(), bounded_.end(), [&](u32 light) {
            return lights_[light].is_two_sided;
        });
        const auto count = static_cast<std::ptrdiff_t>(bounded_.size());
        const bool are_two = triangles != 0 && triangles != count;
        for (shaders::LightBranch& far : tree_.nodes[0].branches) {
            far.middle[0] = far.radius < 0 ? (are_two ? 0.5F : 1) : far.middle[0];
        }
    }

    // Makes a node over lights.
    void make(const Way& way, std::span<u32> order) {
        // Once even quarters would only just fit below the depth limit, halve.
        const auto levels = static_cast<u32>(std::bit_width(order.size() - 1) + 1) / 2;
        const bool halves = way.depth + levels >= shaders::kMaxLightDepth;
        // Cut the part of most lights, until there are four parts.
        std::vector<std::span<u32>> parts = {order};
        const auto has_fewer = [](std::span<u32> a, std::span<u32> b) {
            return a.size() < b.size();
        };
        while (parts.size() < shaders::kLightBranches) {
            const auto most = std::max_element(parts.begin(), parts.end(), has_fewer);
            if (most->size() == 1) {
                break;
            }
            const std::span<u32> part = *most;
            const std::size_t first = halves ? part.size() / 2 : split(part);
            *most = part.first(first);
            parts.insert(most + 1, part.subspan(first));
        }
        for (u32 branch = 0; branch < parts.size(); ++branch) {
            add_branch(way, branch, parts[branch]);
        }
    }

    // Makes a branch of a node over lights, with what is below it.
    void add_branch(const Way& way, u32 index, std::span<u32> order) {
        const u32 path = way.path | index << 2 * way.depth;
        shaders::LightBranch branch = bounds_of(order);
        if (order.size() == 1) {
            branch.child = shaders::kLightLeaf | lights_[order[0]].light;
            tree_.path[order[0]] = path;
        } else {
            branch.child = add_node();
            make({branch.child, way.depth + 1, path}, order);
        }
        tree_.nodes[way.node].branches[index] = branch;
    }

    // Reorders some lights by their best cut; returns how many belong to its first side.
    std::size_t split(std::span<u32> order) const {
        if (order.size() > 2) {
            std::array<Binning, 3> binning{};
            const Cut cut = best_cut(order, binning);
            if (cut.cost < kInfinite) {
                const auto is_first = [&](u32 light) {
                    return binning[cut.axis].bin_of(middle_of(lights_[light])[cut.axis]) < cut.bin;
                };
                const auto middle = std::stable_partition(order.begin(), order.end(), is_first);
                return static_cast<std::size_t>(middle - order.begin());
            }
        }
        return order.size() / 2;
    }

    // The cheapest cut; of infinite cost if all lights are at one place.
    Cut best_cut(std::span<const u32> order, std::array<Binning, 3>& binning) const {
        // Bin the lights by their middles.
        math::DVec3 low(kInfinite);
        math::DVec3 high(-kInfinite);
        for (const u32 light : order) {
            const math::DVec3 middle = middle_of(lights_[light]);
            for (u32 axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], middle[axis]);
                high[axis] = std::max(high[axis], middle[axis]);
            }
        }
        const double longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
        std::array<std::array<LightSum, kBins>, 3> bins{};
        for (u32 axis = 0; axis < 3; ++axis) {
            const double extent = high[axis] - low[axis];
            binning[axis] = {low[axis], extent > 0 ? kBins / extent : 0};
        }
        for (const u32 light : order) {
            const math::DVec3 middle = middle_of(lights_[light]);
            for (u32 axis = 0; axis < 3; ++axis) {
                if (binning[axis].scale > 0) {
                    bins[axis][binning[axis].bin_of(middle[axis])].add(lights_[light]);
                }
            }
        }
        // Take the cheapest cut between bins; cuts across short axes cost more.
        Cut best;
        for (u32 axis = 0; axis < 3; ++axis) {
            if (binning[axis].scale > 0) {
                take_cheaper(bins[axis], axis, longest / (high[axis] - low[axis]), best);
            }
        }
        return best;
    }

    static void take_cheaper(const std::array<LightSum, kBins>& bins,
                             u32 axis,
                             double stretch,
                             Cut& best) {
        // Add up the bins behind each cut, then those before it.
        std::array<double, kBins> behind{};
        LightSum sum;
        for (u32 bin = kBins - 1; bin > 0; --bin) {
            sum.add(bins[bin]);
            behind[bin] = sum.count != 0 ? sum.cost() : kInfinite;
        }
        sum = {};
        for (u32 bin = 1; bin < kBins; ++bin) {
            sum.add(bins[bin - 1]);
            const double cost = stretch * (sum.cost() + behind[bin]);
            if (sum.count != 0 && cost < best.cost) {
                best = {axis, bin, cost};
            }
        }
    }

    // The bounds of some lights of one place, without a child.
    [[nodiscard]] shaders::LightBranch bounds_of(std::span<const u32> order) const {
        shaders::LightBranch branch{};
        const LightPlace place = lights_[order[0]].place;
        if (place == LightPlace::Sky) {
            branch.radius = shaders::kSkyBranch;
            return branch;
        }
        LightSum sum;
        for (const u32 light : order) {
            sum.add(lights_[light]);
        }
        // A light that is too weak for a float may still be near.
        branch.intensity = static_cast<float>(std::clamp(sum.intensity / tree_.unit, 1e-30, 1e30));
        add_cone(order, sum.axis, branch);
        if (place == LightPlace::Sun) {
            branch.radius = shaders::kSunBranch;
            return branch;
        }
        const math::DVec3 low(sum.box.low);
        const math::DVec3 high(sum.box.high);
        for (u32 k = 0; k < 3; ++k) {
            branch.middle[k] = static_cast<float>(0.5 * (low[k] + high[k]));
        }
        branch.radius = static_cast<float>(0.5 * length(high - low) * (1 + kConeSlack));
        return branch;
    }

    // Finds the cone of the lights' axes, about their mean.
    void add_cone(std::span<const u32> order,
                  math::DVec3 mean,
                  shaders::LightBranch& branch) const {
        const LightBounds& first = lights_[order[0]];
        const math::DVec3 axis = math::normalize(mean, math::DVec3(first.axis));
        const bool is_two_sided = first.is_two_sided;
        double cos_spread = 1;
        double cos_reach = 1;
        for (const u32 index : order) {
            const LightBounds& light = lights_[index];
            // Lights of one side and of two have no common cone.
            if (shines_anywhere(light) || light.is_two_sided != is_two_sided) {
                cos_spread = -1;
            } else {
                const double cosine = dot(math::DVec3(light.axis), axis);
                cos_spread = std::min(cos_spread,
                                      widened(is_two_sided ? std::fabs(cosine) : cosine,
                                              static_cast<double>(light.cos_spread)));
            }
            cos_reach = std::min(cos_reach, static_cast<double>(light.cos_reach));
        }
        for (u32 k = 0; k < 3; ++k) {
            branch.axis[k] = static_cast<float>(axis[k]);
        }
        cos_spread = std::max(cos_spread - kConeSlack, -1.0);
        branch.cos_spread = static_cast<float>(cos_spread);
        branch.sin_spread = static_cast<float>(std::sqrt(1 - cos_spread * cos_spread));
        // Lights of two sides reach 90° beyond the cone.
        const bool has_two_sides = is_two_sided && cos_spread > -1;
        branch.cos_reach = has_two_sides ? -1.0F : static_cast<float>(cos_reach);
    }

    // Cosine of the sum of two angles, given by their cosines; −1 from π on.
    static double widened(double cosine, double cos_spread) {
        if (cos_spread >= 1) {
            return cosine;
        }
        const double angle = shaders::acos_of(cosine) + shaders::acos_of(cos_spread);
        return angle < shaders::kPi ? shaders::cos_of(angle) : -1;
    }

    std::span<const LightBounds> lights_;
    std::vector<u32> order_;  // indices of lights; a branch's are in a row
    std::span<u32> bounded_;  // parts of them
    std::span<u32> suns_;
    std::span<u32> skies_;
    LightTree tree_;
};

}  // namespace

LightTree make_light_tree(std::span<const LightBounds> lights) {
    return TreeMaker(lights).take();
}

}  // namespace weft::trace
