#include "engine/trace/reference/reference_guide.h"

#include <algorithm>
#include <cmath>

namespace weft::trace::reference {

namespace {

using shaders::kGuideCells;
using shaders::kGuideLevels;
using shaders::kGuideSide;

constexpr double kBelowOne = 0x1.fffffep-1;

// 0 to 5: +x, −x, +y, −y, +z, −z; the first of equals.
u32 axis_of(Vec n) {
    const double x = std::fabs(n.x);
    const double y = std::fabs(n.y);
    const double z = std::fabs(n.z);
    if (x >= y && x >= z) {
        return n.x < 0 ? 1 : 0;
    }
    if (y >= z) {
        return n.y < 0 ? 3 : 2;
    }
    return n.z < 0 ? 5 : 4;
}

// Its x is the next axis, made orthogonal to n.
Frame frame_of(u32 axis, Vec n) {
    const Vec next = axis < 2 ? Vec{0, 1, 0} : axis < 4 ? Vec{0, 0, 1} : Vec{1, 0, 0};
    const Vec along = normalize(next - n * dot(n, next));
    return {along, cross(n, along), n};
}

// A place in one of kGuideSide intervals that end at `ends`.
struct Place {
    u32 interval = 0;
    double part = 0;    // of the interval, in [0, 1)
    double length = 0;  // of it
};

Place find(const float* ends, double at) {
    Place place;
    while (place.interval + 1 < kGuideSide && at >= static_cast<double>(ends[place.interval])) {
        ++place.interval;
    }
    const double begin = place.interval == 0 ? 0 : static_cast<double>(ends[place.interval - 1]);
    place.length = static_cast<double>(ends[place.interval]) - begin;
    place.part = std::clamp((at - begin) / place.length, 0.0, kBelowOne);
    return place;
}

// Shirley and Chiu's map backwards.
Pair numbers_of(double x, double y) {
    const double radius = std::sqrt(x * x + y * y);
    const bool a_leads = std::fabs(x) > std::fabs(y);
    const double longer = a_leads ? x : y;
    const double shorter = a_leads ? y : x;
    const double lead = std::copysign(radius, longer);
    const double other = longer == 0 ? 0 : lead * std::atan(shorter / longer) * 4 / kPi;
    const auto number = [](double at) { return std::clamp((at + 1) / 2, 0.0, kBelowOne); };
    return {number(a_leads ? lead : other), number(a_leads ? other : lead)};
}

const shaders::GuideTable* find_table(const shaders::SceneView& scene, u32 key) {
    for (u32 probe = 0; probe < shaders::kGuideProbes; ++probe) {
        const shaders::GuideSlot& slot =
            scene.guide_slots[(shaders::guide_hash(key) + probe) & scene.guide_mask];
        if (slot.key == key) {
            return &scene.guide_tables[slot.table];
        }
    }
    return nullptr;
}

}  // namespace

Vec GuideSquare::draw(Pair u) const {
    const Place row = find(table_->row_end, u.u0 * kGuideSide * kGuideSide);
    const Place column = find(table_->column_end[row.interval], u.u1 * row.length);
    return frame_.to_world(sample_cosine(
        {(row.interval + row.part) / kGuideSide, (column.interval + column.part) / kGuideSide}));
}

double GuideSquare::density(Vec wi) const {
    const Vec local = frame_.to_local(wi);
    const Pair u = numbers_of(local.x, local.y);
    const auto bin = [](double number) { return static_cast<u32>(number * kGuideSide); };
    const float* const ends = table_->column_end[bin(u.u0)];
    const u32 column = bin(u.u1);
    return static_cast<double>(ends[column]) -
           (column == 0 ? 0 : static_cast<double>(ends[column - 1]));
}

std::optional<GuideSquare> guide_square(const shaders::SceneView& scene, Vec position, Vec n) {
    if (scene.guide_tables == nullptr) {
        return std::nullopt;
    }
    const auto cell = [&](double at, float low) {
        const auto scale = static_cast<double>(scene.guide_scale);
        return std::floor((at - static_cast<double>(low)) * scale);
    };
    const Vec at = {cell(position.x, scene.guide_low[0]),
                    cell(position.y, scene.guide_low[1]),
                    cell(position.z, scene.guide_low[2])};
    for (const double c : {at.x, at.y, at.z}) {
        if (!(c >= 0 && c < kGuideCells)) {
            return std::nullopt;
        }
    }
    const u32 axis = axis_of(n);
    for (u32 level = kGuideLevels; level-- > 0;) {
        const u32 shift = kGuideLevels - 1 - level;
        const u32 key = shaders::guide_key(static_cast<u32>(at.x) >> shift,
                                           static_cast<u32>(at.y) >> shift,
                                           static_cast<u32>(at.z) >> shift,
                                           axis,
                                           level);
        if (const shaders::GuideTable* const table = find_table(scene, key)) {
            return GuideSquare(*table, frame_of(axis, n));
        }
    }
    return std::nullopt;
}

}  // namespace weft::trace::reference
