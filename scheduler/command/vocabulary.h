// vocabulary.h — the table that the engine hands over: which slots there are, and which routines
// draws and patches may name.
//
// Here stand the declarations only (name, needed slots, operands), which recorders check against;
// the functions themselves are bound at submission (submitter.h), so that one list can be executed
// by different ones. Read-only once made; shared by all recording threads.
#pragma once

#include <string>
#include <vector>

#include "scheduler/command/render_state.h"

namespace weft::command {

// A numbered routine: what must hold something in the state when it is called, and how many
// operands of 64 bits it takes.
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

// One command: 16 bytes, no pointers. What `number`, `index` and `value` are depends on the opcode.
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
