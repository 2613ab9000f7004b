// render_state.h — the state that commands set and draws read: rows of numbered slots with valid
// bits.
//
// The room defines the first two rows (index buffer, index format, topology, clip planes,
// predicate, override: C4); the engine defines the others and their meaning. Because every row has
// valid bits, one command unbinds everything (C6). All threads may share a shape, which is
// read-only; a state belongs to the submitting thread.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::command {

// One slot of one row.
struct SlotName {
    u32 row = 0;
    u32 slot = 0;

    friend bool operator==(const SlotName&, const SlotName&) = default;
};

// The meaning of the 64 bits of a slot.
enum class SlotKind : u8 {
    Value,     // the value itself
    Resource,  // the number of a resource, looked up in what is bound at submission (C5)
};

struct RowShape {
    std::string name;
    u32 slot_count = 0;  // 1 to 4096
    SlotKind kind = SlotKind::Value;
};

// The room's own slots; row 0 holds values, row 1 the index buffer.
inline constexpr SlotName kIndexSize{0, 0};     // an IndexSize; unset where nothing is indexed
inline constexpr SlotName kTopology{0, 1};      // a Topology; unset is TriangleList
inline constexpr SlotName kClipPlanes{0, 2};    // one enable bit per plane; unset is none (C4c)
inline constexpr SlotName kPredicate{0, 3};     // the number of a predicate; unset is always true
inline constexpr SlotName kRenderEnable{0, 4};  // a RenderEnable; unset is FollowPredicate (C4d)
inline constexpr SlotName kIndexBuffer{1, 0};
inline constexpr u32 kOwnRows = 2;

// Size of one index in bytes (C4a).
enum class IndexSize : u8 { Bits8 = 1, Bits16 = 2, Bits32 = 4 };

// How indices, or vertices where there are none, make primitives (C4b).
enum class Topology : u8 { TriangleList, TriangleStrip, TriangleFan };

// Whether draws obey the predicate (C4d).
enum class RenderEnable : u8 {
    FollowPredicate,
    Always,  // draws run whatever the predicate says
    Never,   // no draw runs
};

// The enable mask of the clip planes combined (and) with the mask of the last stage that ran (C4c).
// `stage_masks` are in the order of the stages; a stage that did not run has none.
u32 combined_clip_planes(u32 enabled, std::span<const std::optional<u32>> stage_masks);

// The number of primitives of so many indices (or vertices), and the corners of one of them; every
// second triangle of a strip is reversed so that all have one orientation.
u32 primitive_count(Topology topology, u32 index_count);

struct Corners {
    u32 first, second, third;
};

Corners primitive_corners(Topology topology, u32 primitive);

// The rows of a state, their places in memory and their names.
class StateShape {
public:
    // ENSUREs that rows have 1 to 4096 slots.
    explicit StateShape(std::vector<RowShape> engine_rows);

    // The number of the engine's `index`-th row.
    static constexpr u32 engine_row(u32 index) { return kOwnRows + index; }

    [[nodiscard]] u32 row_count() const { return static_cast<u32>(rows_.size()); }

    [[nodiscard]] const RowShape& row(u32 row) const { return rows_[row]; }

    // Of all rows.
    [[nodiscard]] u32 slot_count() const { return slot_count_; }

    [[nodiscard]] u32 valid_word_count() const { return word_count_; }

    [[nodiscard]] bool has(SlotName name) const {
        return name.row < rows_.size() && name.slot < rows_[name.row].slot_count;
    }

    // "topology", "hit textures[3]".
    [[nodiscard]] std::string describe(SlotName name) const;

private:
    friend class RenderState;
    std::vector<RowShape> rows_;
    std::vector<u32> first_slot_;  // by row, into a state's values
    std::vector<u32> first_word_;  // by row, into a state's valid words
    u32 slot_count_ = 0;
    u32 word_count_ = 0;
};

// Values by slot, and valid bits; each row begins a new word of valid bits.
class RenderState {
public:
    explicit RenderState(const StateShape& shape);  // which must outlive it

    // Slots must exist; recorders check that.
    void set(SlotName name, u64 value);
    void reset(SlotName name);

    // Clears every slot of every row; writes one word per 64 slots of a row (C6).
    void unbind_all();

    // Saves the override and sets another until the pop; one level only (C4d).
    void push_render_enable(RenderEnable override_now);
    void pop_render_enable();

    [[nodiscard]] bool is_pushed() const { return is_pushed_; }

    [[nodiscard]] bool is_valid(SlotName name) const {
        const u32 bit = name.slot & 63U;
        return ((valid_[shape_->first_word_[name.row] + name.slot / 64] >> bit) & 1U) != 0;
    }

    // The slot must be valid.
    [[nodiscard]] u64 value(SlotName name) const;

    [[nodiscard]] u64 value_or(SlotName name, u64 otherwise) const {
        return is_valid(name) ? values_[shape_->first_slot_[name.row] + name.slot] : otherwise;
    }

    [[nodiscard]] u32 valid_count() const;

    [[nodiscard]] const StateShape& shape() const { return *shape_; }

    // Whether both have the same valid bits, and the same values where valid.
    [[nodiscard]] bool is_same(const RenderState& other) const;

private:
    const StateShape* shape_;
    std::vector<u64> values_;
    std::vector<u64> valid_;
    u64 kept_override_ = 0;  // of an open push
    bool is_override_kept_ = false;
    bool is_pushed_ = false;
};

}  // namespace weft::command
