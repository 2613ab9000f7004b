// submitter.h — executes lists in the given order, with state, resources and routines.
//
// A list begins in the state that the lists before it left (C2). Ready segments run as recorded;
// patch entries are resolved from the current state (C3); resource numbers are looked up in the
// current bindings (C5). The time and thread of recording do not matter (C9). One thread; lists may
// be submitted any number of times.
#pragma once

#include <functional>
#include <span>

#include "scheduler/base/result.h"
#include "scheduler/command/command_list.h"
#include "scheduler/command/command_writer.h"

namespace weft::command {

inline constexpr u64 kUnbound = ~u64{0};

// The bindings of resource and predicate numbers during one submission.
struct Bindings {
    std::span<const u64> resources;  // kUnbound: none
    std::span<const u8> predicates;  // 0: draws under it are skipped
};

// The arguments of a routine: the state and its operands.
class Call {
public:
    Call(const RenderState& state, const Bindings& bindings, std::span<const u64> operands)
        : state_(&state), bindings_(&bindings), operands_(operands) {}

    [[nodiscard]] const RenderState& state() const { return *state_; }

    [[nodiscard]] std::span<const u64> operands() const { return operands_; }

    // The binding of the number in the slot; `kUnbound` if the slot is empty or the number unbound.
    // Never kUnbound for slots that the routine needs.
    [[nodiscard]] u64 resource(SlotName name) const;

    // The binding of this number, for numbers in operands.
    [[nodiscard]] u64 resource_at(u64 number) const;

    [[nodiscard]] IndexSize index_size() const;  // Bits32 where unset
    [[nodiscard]] Topology topology() const;
    [[nodiscard]] u32 clip_planes() const;

private:
    const RenderState* state_;
    const Bindings* bindings_;
    std::span<const u64> operands_;
};

// Called on the submitting thread, in order; an error ends the submission. A patch routine writes
// the commands that replace the patch.
using DrawFunction = std::function<base::Status(const Call&)>;
using PatchFunction = std::function<base::Status(const Call&, CommandWriter&)>;

// By number, as many as the vocabulary declares.
struct Routines {
    std::vector<DrawFunction> draws;
    std::vector<PatchFunction> patches;
};

struct SubmitFigures {
    u64 lists = 0;
    u64 segments = 0;
    u64 commands = 0;  // of segments and patches
    u64 patches = 0;
    u64 patch_bytes = 0;  // requests and their operands
    u64 draws = 0;        // that ran
    u64 draws_skipped = 0;

    void add(const SubmitFigures& other);
};

struct SubmitterConfig {
    u32 max_patch_commands = 64;  // that one patch may write
    u32 max_patch_operands = 256;
};

class Submitter {
public:
    // The vocabulary must outlive it. ENSUREs that there are as many routines as it declares.
    Submitter(const Vocabulary& vocabulary, Routines routines, const SubmitterConfig& config = {});

    // Executes the lists in this order, from and into `state`. Error: the first misuse, or a
    // routine's error; `state` then has the effects of the commands before it, with nothing pushed.
    base::Result<SubmitFigures> submit(std::span<const ListPtr> lists,
                                       const Bindings& bindings,
                                       RenderState& state);

private:
    struct Run;

    const Vocabulary* vocabulary_;
    Routines routines_;
    CommandWriter patch_writer_;
};

}  // namespace weft::command
