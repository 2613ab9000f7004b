#include "scheduler/command/render_state.h"

#include <algorithm>
#include <bit>

#include "scheduler/base/ensure.h"

namespace weft::command {

u32 combined_clip_planes(u32 enabled, std::span<const std::optional<u32>> stage_masks) {
    for (std::size_t stage = stage_masks.size(); stage > 0; --stage) {
        if (stage_masks[stage - 1]) {
            return enabled & *stage_masks[stage - 1];
        }
    }
    return enabled;
}

u32 primitive_count(Topology topology, u32 index_count) {
    if (topology == Topology::TriangleList) {
        return index_count / 3;
    }
    return index_count < 3 ? 0 : index_count - 2;
}

Corners primitive_corners(Topology topology, u32 primitive) {
    switch (topology) {
        case Topology::TriangleList:
            return {3 * primitive, 3 * primitive + 1, 3 * primitive + 2};
        case Topology::TriangleFan:
            return {primitive + 1, primitive + 2, 0};
        case Topology::TriangleStrip:
            return primitive % 2 == 0 ? Corners{primitive, primitive + 1, primitive + 2}
                                      : Corners{primitive, primitive + 2, primitive + 1};
    }
    UNREACHABLE("topology");
}

StateShape::StateShape(std::vector<RowShape> engine_rows) {
    rows_.push_back({"own", 5, SlotKind::Value});
    rows_.push_back({"index buffer", 1, SlotKind::Resource});
    for (RowShape& row : engine_rows) {
        rows_.push_back(std::move(row));
    }
    for (const RowShape& row : rows_) {
        ENSURE(row.slot_count, >=, 1U);
        ENSURE(row.slot_count, <=, 4096U);
        first_slot_.push_back(slot_count_);
        first_word_.push_back(word_count_);
        slot_count_ += row.slot_count;
        word_count_ += (row.slot_count + 63) / 64;
    }
}

std::string StateShape::describe(SlotName name) const {
    static constexpr const char* kOwnNames[] = {
        "index size", "topology", "clip planes", "predicate", "render enable override"};
    if (!has(name)) {
        return "row " + std::to_string(name.row) + " slot " + std::to_string(name.slot);
    }
    if (name.row == 0) {
        return kOwnNames[name.slot];
    }
    const RowShape& row = rows_[name.row];
    return row.slot_count == 1 ? row.name : row.name + "[" + std::to_string(name.slot) + "]";
}

RenderState::RenderState(const StateShape& shape)
    : shape_(&shape), values_(shape.slot_count()), valid_(shape.valid_word_count()) {}

void RenderState::set(SlotName name, u64 value) {
    DEBUG_ENSURE(shape_->has(name), ==, true);
    values_[shape_->first_slot_[name.row] + name.slot] = value;
    valid_[shape_->first_word_[name.row] + name.slot / 64] |= u64{1} << (name.slot & 63U);
}

void RenderState::reset(SlotName name) {
    DEBUG_ENSURE(shape_->has(name), ==, true);
    valid_[shape_->first_word_[name.row] + name.slot / 64] &= ~(u64{1} << (name.slot & 63U));
}

void RenderState::unbind_all() {
    std::fill(valid_.begin(), valid_.end(), u64{0});
}

void RenderState::push_render_enable(RenderEnable override_now) {
    ENSURE(is_pushed_, ==, false);
    is_override_kept_ = is_valid(kRenderEnable);
    kept_override_ = value_or(kRenderEnable, 0);
    is_pushed_ = true;
    set(kRenderEnable, static_cast<u64>(override_now));
}

void RenderState::pop_render_enable() {
    ENSURE(is_pushed_, ==, true);
    is_pushed_ = false;
    if (is_override_kept_) {
        set(kRenderEnable, kept_override_);
    } else {
        reset(kRenderEnable);
    }
}

u64 RenderState::value(SlotName name) const {
    ENSURE(is_valid(name), ==, true);
    return values_[shape_->first_slot_[name.row] + name.slot];
}

u32 RenderState::valid_count() const {
    u32 count = 0;
    for (const u64 word : valid_) {
        count += static_cast<u32>(std::popcount(word));
    }
    return count;
}

bool RenderState::is_same(const RenderState& other) const {
    if (shape_ != other.shape_ || valid_ != other.valid_) {
        return false;
    }
    for (u32 row = 0; row < shape_->row_count(); ++row) {
        for (u32 slot = 0; slot < shape_->row(row).slot_count; ++slot) {
            if (is_valid({row, slot}) && value({row, slot}) != other.value({row, slot})) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace weft::command
