// small_engine.h — an engine for the tests of the room: a few slots, two draws, two patches, and a
// log of every draw with the state that it read.
#pragma once

#include <string>
#include <vector>

#include "scheduler/command/recorder.h"
#include "scheduler/command/submitter.h"

namespace weft::command {

inline constexpr SlotName kMaterial{StateShape::engine_row(0), 0};
inline constexpr u32 kTextures = StateShape::engine_row(1);
inline constexpr SlotName kScale{StateShape::engine_row(2), 0};
inline constexpr SlotName kOffset{StateShape::engine_row(2), 1};

enum SmallDraw : u32 { kDrawObject, kDrawMark };

enum SmallPatch : u32 {
    kScaleBy,    // scale := scale × operand
    kDrawScaled  // draws an object with operand × scale + offset
};

inline const Vocabulary& small_vocabulary() {
    static const Vocabulary vocabulary(
        StateShape({{"material", 1, SlotKind::Value},
                    {"textures", 70, SlotKind::Resource},
                    {"constants", 2, SlotKind::Value}}),
        {{"object", {kMaterial}, 1}, {"mark", {}, 0}},
        {{"scale by", {kScale}, 1}, {"draw scaled", {kScale, kOffset}, 1}});
    return vocabulary;
}

// The state that one draw read; kNone for empty slots.
struct Drawn {
    u64 routine = 0;
    u64 operand = 0;
    u64 material = kNone;
    u64 texture_0 = kNone;   // as bound at submission
    u64 texture_69 = kNone;  // in the row's second word of valid bits
    u64 scale = kNone;
    u64 index_size = 0;
    u64 topology = 0;
    u64 clip_planes = 0;

    friend bool operator==(const Drawn&, const Drawn&) = default;
};

struct SmallEngine {
    std::vector<Drawn> diary{};
    RenderState state = RenderState(small_vocabulary().shape);
    std::vector<u64> resources = {100, 101, 102, 103};
    std::vector<u8> predicates = {1, 0};

    void note(const Call& call, u64 routine, u64 operand) {
        const RenderState& now = call.state();
        const u64 first = call.resource({kTextures, 0});
        const u64 last = call.resource({kTextures, 69});
        diary.push_back({routine,
                         operand,
                         now.value_or(kMaterial, kNone),
                         first == kUnbound ? kNone : first,
                         last == kUnbound ? kNone : last,
                         now.value_or(kScale, kNone),
                         static_cast<u64>(call.index_size()),
                         static_cast<u64>(call.topology()),
                         call.clip_planes()});
    }

    Routines routines() {
        Routines bound;
        bound.draws.push_back([this](const Call& call) -> base::Status {
            note(call, kDrawObject, call.operands()[0]);
            return base::Done{};
        });
        bound.draws.push_back([this](const Call& call) -> base::Status {
            note(call, kDrawMark, 0);
            return base::Done{};
        });
        bound.patches.push_back([](const Call& call, CommandWriter& out) -> base::Status {
            out.set(kScale, call.state().value(kScale) * call.operands()[0]);
            return base::Done{};
        });
        bound.patches.push_back([](const Call& call, CommandWriter& out) -> base::Status {
            const RenderState& now = call.state();
            const u64 place = call.operands()[0] * now.value(kScale) + now.value(kOffset);
            out.draw(kDrawObject, std::vector<u64>{place});
            return base::Done{};
        });
        return bound;
    }

    base::Result<SubmitFigures> submit(const std::vector<ListPtr>& lists) {
        Submitter submitter(small_vocabulary(), routines());
        return submitter.submit(lists, {resources, predicates}, state);
    }
};

inline Recorder small_recorder() {
    return Recorder(small_vocabulary(), {});
}

// For recordings without misuse.
inline ListPtr finished(Recorder& recorder, std::string name) {
    base::Result<ListPtr> list = recorder.finish(std::move(name));
    ENSURE(list.is_ok(), ==, true);
    return list.value();
}

inline void draw_object(CommandWriter& writer, u64 operand) {
    writer.draw(kDrawObject, {&operand, 1});
}

}  // namespace weft::command
