#include "scheduler/command/recorder.h"

namespace weft::command {

Recorder::Recorder(const Vocabulary& vocabulary, const RecorderConfig& config)
    : CommandWriter(vocabulary, config.max_commands, config.max_operands),
      max_patches_(config.max_patches) {
    tokens_.reserve(2 * std::size_t{config.max_patches} + 1);
    patch_requests_.reserve(config.max_patches);
}

// Appends the open segment, which may be empty, as a token.
void Recorder::close_segment() {
    const u32 end = command_count();
    tokens_.push_back({segment_begin_, end - segment_begin_});
    segment_begin_ = end;
}

void Recorder::request_patch(u32 routine, std::span<const u64> operands) {
    if (routine >= vocabulary().patches.size()) {
        refuse("patch routine " + std::to_string(routine) + " does not exist");
        return;
    }
    if (patch_requests_.size() == max_patches_) {
        refuse("there is room for " + std::to_string(max_patches_) + " patches");
        return;
    }
    const auto first = keep("patch", vocabulary().patches[routine], operands);
    if (!first) {
        return;
    }
    // Consecutive requests share the last patch entry.
    const bool goes_on = !tokens_.empty() && segment_begin_ == command_count();
    if (goes_on) {
        ++tokens_.back().count;
    } else {
        close_segment();
        tokens_.push_back({static_cast<u32>(patch_requests_.size()), 1});
    }
    patch_requests_.push_back({routine, *first});
}

base::Result<ListPtr> Recorder::finish(std::string name) {
    close_segment();
    if (is_pushed()) {
        refuse("the render enable override is pushed but not popped");
    }
    base::Result<ListPtr> result = ListPtr{};
    if (misuse()) {
        result = base::Error{base::ErrorKind::Render, "list '" + name + "', " + *misuse()};
    } else {
        result = ListPtr(
            std::make_shared<CommandList>(CommandList{std::move(name),
                                                      &vocabulary(),
                                                      tokens_,
                                                      {commands().begin(), commands().end()},
                                                      patch_requests_,
                                                      {operands().begin(), operands().end()}}));
    }
    clear();
    tokens_.clear();
    patch_requests_.clear();
    segment_begin_ = 0;
    return result;
}

}  // namespace weft::command
