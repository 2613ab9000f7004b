#include "scheduler/command/command_writer.h"

namespace weft::command {

CommandWriter::CommandWriter(const Vocabulary& vocabulary, u32 max_commands, u32 max_operands)
    : vocabulary_(&vocabulary), max_commands_(max_commands), max_operands_(max_operands) {
    commands_.reserve(max_commands);
    operands_.reserve(max_operands);
}

void CommandWriter::refuse(std::string sentence) {
    if (!misuse_) {
        misuse_ = "command " + std::to_string(commands_.size()) + ": " + std::move(sentence);
    }
}

void CommandWriter::clear() {
    commands_.clear();
    operands_.clear();
    misuse_.reset();
    is_pushed_ = false;
}

void CommandWriter::push(const Command& command) {
    if (misuse_) {
        return;
    }
    if (commands_.size() == max_commands_) {
        refuse("there is room for " + std::to_string(max_commands_) + " commands");
        return;
    }
    commands_.push_back(command);
}

bool CommandWriter::is_known(SlotName name, SlotKind kind) {
    const StateShape& shape = vocabulary_->shape;
    if (!shape.has(name)) {
        refuse(shape.describe(name) + " does not exist");
        return false;
    }
    if (shape.row(name.row).kind != kind) {
        refuse(shape.describe(name) + (kind == SlotKind::Value
                                           ? " takes a resource; found a value"
                                           : " takes a value; found a resource"));
        return false;
    }
    return true;
}

void CommandWriter::set(SlotName name, u64 value) {
    if (is_known(name, SlotKind::Value)) {
        push({Opcode::Set, static_cast<u16>(name.row), name.slot, value});
    }
}

void CommandWriter::bind(SlotName name, u32 resource) {
    if (is_known(name, SlotKind::Resource)) {
        push({Opcode::Set, static_cast<u16>(name.row), name.slot, resource});
    }
}

void CommandWriter::reset(SlotName name) {
    if (!vocabulary_->shape.has(name)) {
        refuse(vocabulary_->shape.describe(name) + " does not exist");
        return;
    }
    push({Opcode::Reset, static_cast<u16>(name.row), name.slot, 0});
}

void CommandWriter::unbind_all() {
    push({Opcode::UnbindAll, 0, 0, 0});
}

void CommandWriter::set_index_buffer(u32 resource, IndexSize index_size) {
    push({Opcode::SetIndexBuffer, 0, static_cast<u32>(index_size), resource});
}

void CommandWriter::set_primitive_topology(Topology topology) {
    set(kTopology, static_cast<u64>(topology));
}

void CommandWriter::set_clip_planes(u32 enabled) {
    set(kClipPlanes, enabled);
}

void CommandWriter::set_predicate(u32 predicate) {
    set(kPredicate, predicate);
}

void CommandWriter::set_render_enable_override(RenderEnable override_now) {
    set(kRenderEnable, static_cast<u64>(override_now));
}

void CommandWriter::push_render_enable_override(RenderEnable override_now) {
    if (is_pushed_) {
        refuse("the render enable override is pushed already, and there is one level");
        return;
    }
    is_pushed_ = true;
    push({Opcode::PushRenderEnable, 0, 0, static_cast<u64>(override_now)});
}

void CommandWriter::pop_render_enable_override() {
    if (!is_pushed_) {
        refuse("the render enable override is popped but was not pushed");
        return;
    }
    is_pushed_ = false;
    push({Opcode::PopRenderEnable, 0, 0, 0});
}

std::optional<u32> CommandWriter::keep(const char* what,
                                       const RoutineShape& routine,
                                       std::span<const u64> operands) {
    if (operands.size() != routine.operand_count) {
        refuse(std::string(what) + " '" + routine.name + "' takes " +
               std::to_string(routine.operand_count) + " operands; found " +
               std::to_string(operands.size()));
        return std::nullopt;
    }
    if (operands_.size() + operands.size() > max_operands_) {
        refuse("there is room for " + std::to_string(max_operands_) + " operands");
        return std::nullopt;
    }
    const auto first = static_cast<u32>(operands_.size());
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    return first;
}

void CommandWriter::draw(u32 routine, std::span<const u64> operands) {
    if (routine >= vocabulary_->draws.size()) {
        refuse("draw routine " + std::to_string(routine) + " does not exist");
        return;
    }
    if (const auto first = keep("draw", vocabulary_->draws[routine], operands)) {
        push({Opcode::Draw, static_cast<u16>(routine), *first, 0});
    }
}

}  // namespace weft::command
