#include "engine/trace/guide.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

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

// The low bits of GuideRecord::bin are axis · kGuideBins + bin. Above them stands the record's cell
// on the finest level: bits of x, y and z in turn, so that coarser cells are runs as well.
constexpr u32 kBinBits = 9;
static_assert(6 * kGuideBins <= 1U << kBinBits);
constexpr u32 kOutsideBit = 1U << 31;

u32 bin_of(const GuideRecord& r) {
    return r.bin % kGuideBins;
}

// Axis, then cell.
u32 place_of(const GuideRecord& r) {
    const u32 axis = (r.bin & ((1U << kBinBits) - 1)) / kGuideBins;
    return axis << 18 | r.bin >> kBinBits;
}

bool is_placed_before(const GuideRecord& a, const GuideRecord& b) {
    const u32 of_a = place_of(a) * kGuideBins + bin_of(a);
    const u32 of_b = place_of(b) * kGuideBins + bin_of(b);
    return of_a != of_b ? of_a < of_b : a.light < b.light;
}

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
void place_cube(std::span<GuideRecord> records, Guide& guide) {
    std::array<float, 3> low{};
    float edge = 0;
    const auto outside = static_cast<std::size_t>(kOutside * static_cast<double>(records.size()));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto at = [&](std::size_t place) {
            std::nth_element(records.begin(),
                             records.begin() + static_cast<std::ptrdiff_t>(place),
                             records.end(),
                             [&](const GuideRecord& a, const GuideRecord& b) {
                                 return a.position[axis] < b.position[axis];
                             });
            return records[place].position[axis];
        };
        low[axis] = at(outside);
        edge = std::max(edge, at(records.size() - 1 - outside) - low[axis]);
    }
    // Surfaces on the cube's own faces shall lie inside.
    const float margin = edge * 0.01F;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        guide.low[axis] = low[axis] - margin;
    }
    guide.cells_per_m = edge > 0 ? static_cast<float>(kGuideCells) / (edge + 2 * margin) : 0.0F;
}

// Notes the cell of a record; kOutsideBit where it lies outside of the cube or its light has no
// end.
void place(GuideRecord& r, const Guide& guide) {
    u32 cell_bits = 0;
    bool is_inside = std::isfinite(r.light);
    for (u32 axis = 0; axis < 3; ++axis) {
        const float cell = (r.position[axis] - guide.low[axis]) * guide.cells_per_m;
        is_inside = is_inside && cell >= 0 && cell < static_cast<float>(kGuideCells);
        cell_bits |= spread_in_three(is_inside ? static_cast<u32>(cell) : 0U) << (2 - axis);
    }
    const u32 bin = r.bin & ((1U << kBinBits) - 1);
    r.bin = is_inside ? cell_bits << kBinBits | bin : kOutsideBit | bin;
}

// Those inside, in order.
std::span<const GuideRecord> placed_records(std::span<GuideRecord> records, const Guide& guide) {
    for (GuideRecord& r : records) {
        place(r, guide);
    }
    const auto end = std::partition(records.begin(), records.end(), [](const GuideRecord& r) {
        return (r.bin & kOutsideBit) == 0;
    });
    std::sort(records.begin(), end, is_placed_before);
    return {records.begin(), end};
}

// The table of a cell's records; its light is 0 where none of them found any.
GuideTable table_of(std::span<const GuideRecord> records) {
    std::array<double, kGuideBins> sum{};
    std::array<u32, kGuideBins> count{};
    for (const GuideRecord& r : records) {
        const u32 bin = bin_of(r);
        sum[bin] += static_cast<double>(r.light);
        ++count[bin];
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

// Makes the tables of the cells of the cube, from coarse to fine.
class Maker {
public:
    Maker(std::span<const GuideRecord> placed, Guide& guide) : placed_(placed), guide_(guide) {}

    base::Status run() {
        WEFT_TRY(reserve());
        walk({0, placed_.size(), 0, kNone}, [&](const Cell& cell) {
            const u32 table = add_table(cell);
            if (table != kNone) {
                keys_.emplace_back(key_of(place_of(placed_[cell.begin]), cell.level), table);
            }
            return table;
        });
        return fill_slots();
    }

private:
    // Records [begin, end) lie in one cell of level `level`; `above`: the table of the coarser one.
    struct Cell {
        std::size_t begin, end;
        u32 level, above;
    };

    // Calls `visit`, which returns the cell's table, for each cell of `all.level` that the records
    // lie in, and then for the finer ones of those that have a table.
    template <typename Visit>
    void walk(const Cell& all, const Visit& visit) const {
        const u32 shift = 3 * (kGuideLevels - 1 - all.level);
        Cell cell = all;
        while (cell.begin < all.end) {
            const u32 place = place_of(placed_[cell.begin]) >> shift;
            cell.end = cell.begin + 1;
            while (cell.end < all.end && place_of(placed_[cell.end]) >> shift == place) {
                ++cell.end;
            }
            const u32 table = visit(std::as_const(cell));
            if (table != kNone && all.level + 1 < kGuideLevels) {
                walk({cell.begin, cell.end, all.level + 1, table}, visit);
            }
            cell.begin = cell.end;
        }
    }

    static bool has_enough(const Cell& cell) {
        return cell.end - cell.begin >= (cell.level == 0 ? kLeastOfCube : kLeastOfCell);
    }

    // Takes memory for as many tables and keys as there are at most: dark cells have none.
    base::Status reserve() {
        u64 tables = 0;
        u64 keys = 0;
        walk({0, placed_.size(), 0, kNone}, [&](const Cell& cell) {
            const u32 table = has_enough(cell) ? 0 : cell.above;
            tables += has_enough(cell) ? 1U : 0U;
            keys += table != kNone ? 1U : 0U;
            return table;
        });
        const base::Result<base::MemoryClaim> claim = base::claim_memory(
            tables * sizeof(GuideTable) + keys * sizeof(keys_.front()), "the guide of paths");
        WEFT_TRY(claim);
        guide_.tables.reserve(tables);
        keys_.reserve(keys);
        return base::Done{};
    }

    // A table of its own where there are records enough; otherwise the one above.
    u32 add_table(const Cell& cell) {
        if (!has_enough(cell)) {
            return cell.above;
        }
        const GuideTable table = table_of(placed_.subspan(cell.begin, cell.end - cell.begin));
        if (!(table.light > 0)) {
            return cell.above;
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

    base::Status fill_slots() {
        std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * keys_.size(), 16));
        while (true) {
            guide_.slots = {};
            const base::Result<base::MemoryClaim> claim =
                base::claim_memory(size * sizeof(GuideSlot), "the cells of the guide of paths");
            WEFT_TRY(claim);
            if (try_slots(size)) {
                return base::Done{};
            }
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

    std::span<const GuideRecord> placed_;
    Guide& guide_;
    std::vector<std::pair<u32, u32>> keys_;  // of cells, with their tables
};

}  // namespace

GuideLog::~GuideLog() {
    base::end_pledge(untouched_ * sizeof(GuideRecord));
}

void GuideLog::reserve(u64 count) {
    ENSURE(records_.capacity(), ==, std::size_t{0});
    base::pledge_memory(count * sizeof(GuideRecord));
    untouched_ = count;
    records_.reserve(count);
}

void GuideLog::add(const GuideRecord* records, u64 count) {
    const std::lock_guard lock(mutex_);
    for (u64 path = 0; path < count; ++path) {
        const GuideRecord* const first = records + shaders::kMostGuideVertices * path;
        const GuideRecord* const last = first + shaders::kMostGuideVertices;
        const GuideRecord* const end = std::find_if(
            first, last, [](const GuideRecord& r) { return r.bin == shaders::kGuideNoKey; });
        records_.insert(records_.end(), first, end);
    }
    // The pages of these records are held now.
    const u64 reached = records_.capacity() - records_.size();
    if (reached < untouched_) {
        base::end_pledge((untouched_ - reached) * sizeof(GuideRecord));
        untouched_ = reached;
    }
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

base::Result<Guide> make_guide(std::span<GuideRecord> records) {
    Guide guide;
    if (records.size() < kLeastOfCube) {
        return guide;
    }
    place_cube(records, guide);
    WEFT_TRY(Maker(placed_records(records, guide), guide).run());
    return guide;
}

}  // namespace weft::trace
