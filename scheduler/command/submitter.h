// submitter.h — executes lists in the order in which the main thread hands them over: the only
// place where state, resources and routines meet.
//
// A list begins in the state that those before it left (C2). Ready segments are executed as they
// are; patch entries are resolved from the state then current (C3); numbers of resources are
// looked up in what is bound now (C5). Nothing here depends on when or by whom a list was recorded
// (C9). One thread; lists may be submitted any number of times.
#pragma once

#include <functional>
#include <span>

#include "scheduler/base/result.h"
#include "scheduler/command/command_list.h"
#include "scheduler/command/command_writer.h"

namespace weft::command {

inline constexpr u64 kUnbound = ~u64{0};

// What numbers of resources and predicates stand for during one submission.
struct Bindings {
    std::span<const u64> resources;  // kUnbound: none
    std::span<const u8> predicates;  // 0: draws under it are skipped
};

// The state and the operands that a routine is called with.
class Call {
public:
    Call(const RenderState& state, const Bindings& bindings, std::span<const u64> operands)
        : state_(&state), bindings_(&bindings), operands_(operands) {}

    [[nodiscard]] const RenderState& state() const { return *state_; }

    [[nodiscard]] std::span<const u64> operands() const { return operands_; }

    // What is bound under the number that the slot holds; `kUnbound` where the slot holds none or
    // nothing is bound. Never kUnbound for slots that the routine needs.
    [[nodiscard]] u64 resource(SlotName name) const;

    // What is bound under this number, which an operand may name.
    [[nodiscard]] u64 resource_at(u64 number) const;

    [[nodiscard]] IndexSize index_size() const;  // Bits32 where unset
    [[nodiscard]] Topology topology() const;
    [[nodiscard]] u32 clip_planes() const;

private:
    const RenderState* state_;
    const Bindings* bindings_;
    std::span<const u64> operands_;
};

// Called on the submitting thread, in order; an error ends the submission. A patch writes the
// commands that stand in its place.
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

    // Executes the lists in this order, from and into `state`. Error: the first misuse, or what a
    // routine refused; the state is then what the commands before it left, nothing pushed.
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
