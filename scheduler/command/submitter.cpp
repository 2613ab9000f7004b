#include "scheduler/command/submitter.h"

#include "scheduler/base/ensure.h"

namespace weft::command {

u64 Call::resource_at(u64 number) const {
    return number < bindings_->resources.size() ? bindings_->resources[number] : kUnbound;
}

u64 Call::resource(SlotName name) const {
    DEBUG_ENSURE(state_->shape().row(name.row).kind == SlotKind::Resource, ==, true);
    return state_->is_valid(name) ? resource_at(state_->value(name)) : kUnbound;
}

IndexSize Call::index_size() const {
    return static_cast<IndexSize>(
        state_->value_or(kIndexSize, static_cast<u64>(IndexSize::Bits32)));
}

Topology Call::topology() const {
    return static_cast<Topology>(
        state_->value_or(kTopology, static_cast<u64>(Topology::TriangleList)));
}

u32 Call::clip_planes() const {
    return static_cast<u32>(state_->value_or(kClipPlanes, 0));
}

void SubmitFigures::add(const SubmitFigures& other) {
    lists += other.lists;
    segments += other.segments;
    commands += other.commands;
    patches += other.patches;
    patch_bytes += other.patch_bytes;
    draws += other.draws;
    draws_skipped += other.draws_skipped;
}

// One submission under way.
struct Submitter::Run {
    Submitter& submitter;
    const Bindings& bindings;
    RenderState& state;
    SubmitFigures figures;
    const CommandList* list = nullptr;

    // Whether draws run now, or an error that says why that is undecidable.
    base::Result<bool> is_enabled() const;
    base::Status check_needs(const char* what, const RoutineShape& routine) const;
    base::Status draw(const Command& command, std::span<const u64> operands);
    base::Status execute(std::span<const Command> commands, std::span<const u64> operands);
    base::Status resolve(const PatchRequest& request);
    base::Status execute_list();
    [[nodiscard]] base::Error error(const std::string& sentence) const;
};

Submitter::Submitter(const Vocabulary& vocabulary, Routines routines, const SubmitterConfig& config)
    : vocabulary_(&vocabulary),
      routines_(std::move(routines)),
      patch_writer_(vocabulary, config.max_patch_commands, config.max_patch_operands) {
    ENSURE(routines_.draws.size(), ==, vocabulary.draws.size());
    ENSURE(routines_.patches.size(), ==, vocabulary.patches.size());
}

base::Error Submitter::Run::error(const std::string& sentence) const {
    return {base::ErrorKind::Render, "list '" + list->name + "', " + sentence};
}

base::Result<bool> Submitter::Run::is_enabled() const {
    switch (static_cast<RenderEnable>(state.value_or(kRenderEnable, 0))) {
        case RenderEnable::Always:
            return true;
        case RenderEnable::Never:
            return false;
        case RenderEnable::FollowPredicate:
            break;
    }
    if (!state.is_valid(kPredicate)) {
        return true;
    }
    const u64 predicate = state.value(kPredicate);
    if (predicate >= bindings.predicates.size()) {
        return error("predicate " + std::to_string(predicate) + " is not bound; there are " +
                     std::to_string(bindings.predicates.size()));
    }
    return bindings.predicates[predicate] != 0;
}

base::Status Submitter::Run::check_needs(const char* what, const RoutineShape& routine) const {
    const StateShape& shape = state.shape();
    for (const SlotName need : routine.needs) {
        if (!state.is_valid(need)) {
            return error(std::string(what) + " '" + routine.name + "' needs " +
                         shape.describe(need) + ", which nothing has set");
        }
        if (shape.row(need.row).kind == SlotKind::Resource &&
            Call(state, bindings, {}).resource(need) == kUnbound) {
            return error(std::string(what) + " '" + routine.name + "' needs " +
                         shape.describe(need) + ", but resource " +
                         std::to_string(state.value(need)) + " is not bound");
        }
    }
    return base::Done{};
}

base::Status Submitter::Run::draw(const Command& command, std::span<const u64> operands) {
    const base::Result<bool> enabled = is_enabled();
    WEFT_TRY(enabled);
    if (!enabled.value()) {
        ++figures.draws_skipped;
        return base::Done{};
    }
    const RoutineShape& routine = submitter.vocabulary_->draws[command.number];
    base::Status checked = check_needs("draw", routine);
    WEFT_TRY(checked);
    ++figures.draws;
    return submitter.routines_.draws[command.number](
        Call(state, bindings, operands.subspan(command.index, routine.operand_count)));
}

base::Status Submitter::Run::execute(std::span<const Command> commands,
                                     std::span<const u64> operands) {
    figures.commands += commands.size();
    for (const Command& command : commands) {
        switch (command.opcode) {
            case Opcode::Set:
                state.set({command.number, command.index}, command.value);
                break;
            case Opcode::Reset:
                state.reset({command.number, command.index});
                break;
            case Opcode::SetIndexBuffer:
                state.set(kIndexSize, command.index);
                state.set(kIndexBuffer, command.value);
                break;
            case Opcode::UnbindAll:
                state.unbind_all();
                break;
            case Opcode::PushRenderEnable:
                if (state.is_pushed()) {
                    return error("a patch pushes the render enable override inside a push");
                }
                state.push_render_enable(static_cast<RenderEnable>(command.value));
                break;
            case Opcode::PopRenderEnable:
                state.pop_render_enable();
                break;
            case Opcode::Draw: {
                base::Status drawn = draw(command, operands);
                WEFT_TRY(drawn);
                break;
            }
        }
    }
    return base::Done{};
}

base::Status Submitter::Run::resolve(const PatchRequest& request) {
    const RoutineShape& routine = submitter.vocabulary_->patches[request.routine];
    ++figures.patches;
    figures.patch_bytes += sizeof(PatchRequest) + routine.operand_count * sizeof(u64);
    base::Status checked = check_needs("patch", routine);
    WEFT_TRY(checked);
    CommandWriter& writer = submitter.patch_writer_;
    writer.clear();
    const std::span<const u64> operands =
        std::span(list->operands).subspan(request.first_operand, routine.operand_count);
    base::Status resolved =
        submitter.routines_.patches[request.routine](Call(state, bindings, operands), writer);
    WEFT_TRY(resolved);
    if (writer.is_pushed()) {
        writer.refuse("the render enable override is pushed but not popped");
    }
    if (writer.misuse()) {
        return error("patch '" + routine.name + "', " + *writer.misuse());
    }
    return execute(writer.commands(), writer.operands());
}

base::Status Submitter::Run::execute_list() {
    ++figures.lists;
    for (std::size_t place = 0; place < list->tokens.size(); ++place) {
        const Token token = list->tokens[place];
        if (place % 2 == 0) {
            ++figures.segments;
            base::Status executed = execute(
                std::span(list->commands).subspan(token.first, token.count), list->operands);
            WEFT_TRY(executed);
            continue;
        }
        for (u32 index = 0; index < token.count; ++index) {
            base::Status resolved = resolve(list->patch_requests[token.first + index]);
            WEFT_TRY(resolved);
        }
    }
    return base::Done{};
}

base::Result<SubmitFigures> Submitter::submit(std::span<const ListPtr> lists,
                                              const Bindings& bindings,
                                              RenderState& state) {
    Run run{*this, bindings, state, {}};
    for (const ListPtr& list : lists) {
        ENSURE(list->vocabulary == vocabulary_, ==, true);
        run.list = list.get();
        base::Status executed = run.execute_list();
        if (!executed.is_ok()) {
            if (state.is_pushed()) {
                state.pop_render_enable();
            }
            return executed.error();
        }
    }
    return run.figures;
}

}  // namespace weft::command
