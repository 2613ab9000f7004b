#include "engine/trace/guide.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

namespace weft::trace {

namespace {

using shaders::GuideSlot;
using shaders::GuideTable;
using shaders::kGuideBins;
using shaders::kGuideCells;
using shaders::kGuideLevels;
using shaders::kGuideSide;

// The cube holds all but this share of the records at either end of each axis.
constexpr double kOutside = 0.005;
// Records of a cell that has a table of its own, on the coarsest level and on the others.
constexpr u64 kLeastOfCube = 64;
constexpr u64 kLeastOfCell = 512;
// Bins share the mean of all bins as if so many draws had found it.
constexpr double kPriorDraws = 4;
// Of each table's density, the part that is the same for all bins: what the pilot missed stays
// likely enough.
constexpr double kEven = 0.4;

// A record by its cell on the finest level: axis, then bits of x, y and z in turn, so that coarser
// cells are runs as well.
struct Placed {
    u32 place = 0;
    u32 bin = 0;
    float light = 0;

    [[nodiscard]] auto key() const { return std::tuple(place, bin, light); }
};

u32 spread_in_three(u32 x) {
    u32 spread = 0;
    for (u32 k = 0; k < 6; ++k) {
        spread |= (x >> k & 1U) << (3 * k);
    }
    return spread;
}

u32 gather_of_three(u32 spread) {
    u32 x = 0;
    for (u32 k = 0; k < 6; ++k) {
        x |= (spread >> (3 * k) & 1U) << k;
    }
    return x;
}

// A corner and the edge of the cube.
void place_cube(std::span<const GuideRecord> records, Guide& guide) {
    std::vector<float> along(records.size());
    std::array<float, 3> low{};
    float edge = 0;
    const auto outside = static_cast<std::size_t>(kOutside * static_cast<double>(records.size()));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t k = 0; k < records.size(); ++k) {
            along[k] = records[k].position[axis];
        }
        const auto first = along.begin() + static_cast<std::ptrdiff_t>(outside);
        const auto last = along.end() - 1 - static_cast<std::ptrdiff_t>(outside);
        std::nth_element(along.begin(), first, along.end());
        low[axis] = *first;
        std::nth_element(along.begin(), last, along.end());
        edge = std::max(edge, *last - low[axis]);
    }
    // Surfaces on the cube's own faces shall lie inside.
    const float margin = edge * 0.01F;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        guide.low[axis] = low[axis] - margin;
    }
    guide.cells_per_m = edge > 0 ? static_cast<float>(kGuideCells) / (edge + 2 * margin) : 0.0F;
}

std::vector<Placed> placed_records(std::span<const GuideRecord> records, const Guide& guide) {
    std::vector<Placed> placed;
    placed.reserve(records.size());
    for (const GuideRecord& r : records) {
        u32 place = r.bin / kGuideBins << 18;
        bool is_inside = std::isfinite(r.light);
        for (u32 axis = 0; axis < 3; ++axis) {
            const float cell = (r.position[axis] - guide.low[axis]) * guide.cells_per_m;
            is_inside = is_inside && cell >= 0 && cell < static_cast<float>(kGuideCells);
            place |= spread_in_three(is_inside ? static_cast<u32>(cell) : 0U) << (2 - axis);
        }
        if (is_inside) {
            placed.push_back({place, r.bin % kGuideBins, r.light});
        }
    }
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        return a.key() < b.key();
    });
    return placed;
}

// The table of a cell's records; its light is 0 where none of them found any.
GuideTable table_of(std::span<const Placed> records) {
    std::array<double, kGuideBins> sum{};
    std::array<u32, kGuideBins> count{};
    for (const Placed& r : records) {
        sum[r.bin] += static_cast<double>(r.light);
        ++count[r.bin];
    }
    // Every bin is as large a part of the square, however often it was drawn.
    double found = 0;
    u32 drawn = 0;
    for (u32 b = 0; b < kGuideBins; ++b) {
        if (count[b] > 0) {
            found += sum[b] / count[b];
            ++drawn;
        }
    }
    const double mean = found / drawn;
    std::array<double, kGuideBins> wanted{};
    double all = 0;
    for (u32 b = 0; b < kGuideBins; ++b) {
        wanted[b] = (sum[b] + kPriorDraws * mean) / (count[b] + kPriorDraws);
        all += wanted[b];
    }
    GuideTable table{};
    table.light = static_cast<float>(mean);
    double row_end = 0;
    for (u32 row = 0; row < kGuideSide; ++row) {
        double end = 0;
        for (u32 column = 0; column < kGuideSide; ++column) {
            const double share = all > 0 ? wanted[row * kGuideSide + column] / all : 0;
            end += kEven + (1 - kEven) * share * kGuideBins;
            table.column_end[row][column] = static_cast<float>(end);
        }
        row_end += end;
        table.row_end[row] = static_cast<float>(row_end);
    }
    return table;
}

// Walks the cells of the cube from coarse to fine.
class Maker {
public:
    Maker(const std::vector<Placed>& placed, Guide& guide) : placed_(placed), guide_(guide) {}

    void run() {
        divide(0, placed_.size(), 0, kNone);
        fill_slots();
    }

private:
    // Records [begin, end) lie in one cell of level `level` − 1, whose table is `above`.
    void divide(std::size_t begin, std::size_t end, u32 level, u32 above) {
        const u32 shift = 3 * (kGuideLevels - 1 - level);
        while (begin < end) {
            const u32 cell = placed_[begin].place >> shift;
            std::size_t last = begin + 1;
            while (last < end && placed_[last].place >> shift == cell) {
                ++last;
            }
            const u32 table = add_table(begin, last, level, above);
            if (table != kNone) {
                keys_.emplace_back(key_of(placed_[begin].place, level), table);
                if (level + 1 < kGuideLevels) {
                    divide(begin, last, level + 1, table);
                }
            }
            begin = last;
        }
    }

    // A table of its own where there are records enough; otherwise the one above.
    u32 add_table(std::size_t begin, std::size_t end, u32 level, u32 above) {
        if (end - begin < (level == 0 ? kLeastOfCube : kLeastOfCell)) {
            return above;
        }
        const GuideTable table = table_of(std::span(placed_).subspan(begin, end - begin));
        if (!(table.light > 0)) {
            return above;
        }
        guide_.tables.push_back(table);
        return static_cast<u32>(guide_.tables.size() - 1);
    }

    static u32 key_of(u32 place, u32 level) {
        const u32 shift = kGuideLevels - 1 - level;
        return shaders::guide_key(gather_of_three(place >> 2) >> shift,
                                  gather_of_three(place >> 1) >> shift,
                                  gather_of_three(place) >> shift,
                                  place >> 18,
                                  level);
    }

    void fill_slots() {
        std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * keys_.size(), 16));
        while (!try_slots(size)) {
            size *= 2;
        }
    }

    bool try_slots(std::size_t size) {
        guide_.slots.assign(size, {shaders::kGuideNoKey, 0});
        for (const auto& [key, table] : keys_) {
            u32 probe = 0;
            const auto slot = [&]() -> GuideSlot& {
                return guide_.slots[(shaders::guide_hash(key) + probe) & (size - 1)];
            };
            while (probe < shaders::kGuideProbes && slot().key != shaders::kGuideNoKey) {
                ++probe;
            }
            if (probe == shaders::kGuideProbes) {
                return false;
            }
            slot() = {key, table};
        }
        return true;
    }

    const std::vector<Placed>& placed_;
    Guide& guide_;
    std::vector<std::pair<u32, u32>> keys_;  // of cells, with their tables
};

}  // namespace

void GuideLog::add(const GuideRecord* records, u64 count) {
    std::vector<GuideRecord> added;
    for (u64 path = 0; path < count; ++path) {
        const GuideRecord* const first = records + shaders::kMostGuideVertices * path;
        const GuideRecord* const last = first + shaders::kMostGuideVertices;
        const GuideRecord* const end = std::find_if(
            first, last, [](const GuideRecord& r) { return r.bin == shaders::kGuideNoKey; });
        added.insert(added.end(), first, end);
    }
    const std::lock_guard lock(mutex_);
    records_.insert(records_.end(), added.begin(), added.end());
}

std::vector<GuideRecord> GuideLog::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(records_, {});
}

void point_at(const Guide& guide,
              const shaders::GuideSlot* slots,
              const shaders::GuideTable* tables,
              shaders::SceneView& view) {
    view.guide_slots = slots;
    view.guide_tables = tables;
    view.guide_mask = static_cast<u32>(guide.slots.size() - 1);
    std::copy_n(guide.low, 3, view.guide_low);
    view.guide_scale = guide.cells_per_m;
}

Guide make_guide(std::span<const GuideRecord> records) {
    Guide guide;
    if (records.size() < kLeastOfCube) {
        return guide;
    }
    place_cube(records, guide);
    const std::vector<Placed> placed = placed_records(records, guide);
    Maker(placed, guide).run();
    return guide;
}

}  // namespace weft::trace
