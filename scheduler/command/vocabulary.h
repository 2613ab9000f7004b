// vocabulary.h — the engine's table of slots, and of the routines that draws and patches may name.
//
// It holds declarations only (name, needed slots, operands), which recorders check; functions are
// bound at submission (submitter.h), so that one list can run with different functions. Read-only;
// shared by all recording threads.
#pragma once

#include <string>
#include <vector>

#include "scheduler/command/render_state.h"

namespace weft::command {

// A numbered routine: the slots that must be set when it is called, and its number of operands.
struct RoutineShape {
    std::string name;
    std::vector<SlotName> needs;
    u32 operand_count = 0;  // at most kMaxOperands
};

inline constexpr u32 kMaxOperands = 32;

struct Vocabulary {
    StateShape shape;
    std::vector<RoutineShape> draws;
    std::vector<RoutineShape> patches;

    // ENSUREs that needed slots exist and that operands are not too many.
    Vocabulary(StateShape state_shape,
               std::vector<RoutineShape> draw_routines,
               std::vector<RoutineShape> patch_routines);
};

// One command: 16 bytes, no pointers. The opcode defines `number`, `index` and `value`.
enum class Opcode : u8 {
    Set,               // row, slot, value
    Reset,             // row, slot, –
    SetIndexBuffer,    // –, index size, resource (C4a)
    UnbindAll,         // –, –, – (C6)
    PushRenderEnable,  // –, –, override (C4d)
    PopRenderEnable,   // –, –, –
    Draw,              // routine, first operand, –
};

struct Command {
    Opcode opcode = Opcode::UnbindAll;
    u16 number = 0;
    u32 index = 0;
    u64 value = 0;
};

static_assert(sizeof(Command) == 16);

}  // namespace weft::command
