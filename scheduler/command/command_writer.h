// command_writer.h — writes the commands that do not depend on state: set, reset, draw.
//
// Recorders write them into lists (recorder.h), patch routines at submission (submitter.h). Each
// command is checked against the vocabulary; the first misuse is kept as one sentence, and later
// commands are dropped. Construction allocates all memory; overflow is a misuse, too. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/command/vocabulary.h"

namespace weft::command {

class CommandWriter {
public:
    CommandWriter(const Vocabulary& vocabulary, u32 max_commands, u32 max_operands);

    void set(SlotName name, u64 value);

    // For slots of resource rows: the number under which the resource is bound at submission.
    void bind(SlotName name, u32 resource);
    void reset(SlotName name);
    void unbind_all();

    void set_index_buffer(u32 resource, IndexSize index_size);
    void set_primitive_topology(Topology topology);
    void set_clip_planes(u32 enabled);
    void set_predicate(u32 predicate);
    void set_render_enable_override(RenderEnable override_now);
    void push_render_enable_override(RenderEnable override_now);
    void pop_render_enable_override();

    void draw(u32 routine, std::span<const u64> operands);

    [[nodiscard]] u32 command_count() const { return static_cast<u32>(commands_.size()); }

    // The first misuse, without the name of the list.
    [[nodiscard]] const std::optional<std::string>& misuse() const { return misuse_; }

    // Keeps the first sentence.
    void refuse(std::string sentence);

    [[nodiscard]] std::span<const Command> commands() const { return commands_; }

    [[nodiscard]] std::span<const u64> operands() const { return operands_; }

    [[nodiscard]] bool is_pushed() const { return is_pushed_; }

    void clear();

protected:
    // The place of the operands; none if they do not fit, or the routine takes another number.
    std::optional<u32> keep(const char* what,
                            const RoutineShape& routine,
                            std::span<const u64> operands);

    [[nodiscard]] const Vocabulary& vocabulary() const { return *vocabulary_; }

private:
    bool is_known(SlotName name, SlotKind kind);
    void push(const Command& command);

    const Vocabulary* vocabulary_;
    std::vector<Command> commands_;
    std::vector<u64> operands_;
    std::optional<std::string> misuse_;
    u32 max_commands_;
    u32 max_operands_;
    bool is_pushed_ = false;
};

}  // namespace weft::command
