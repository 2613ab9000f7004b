// command_list.h — a recorded list: tokens that alternate between ready command segments and patch
// entries, and the side queue of patch requests (C3, C4).
//
// Immutable and without pointers into any state, so that any number of submissions can execute it,
// each with its own inherited state and resources. Shared between threads as ListPtr.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scheduler/command/vocabulary.h"

namespace weft::command {

// Tokens 0, 2, 4 … are ready segments; tokens 1, 3, 5 … are patch entries, resolved from the state
// that the tokens before them left. Consecutive requests share one entry.
struct Token {
    u32 first = 0;  // into commands, or into patch_requests
    u32 count = 0;  // may be 0 for the first segment and the last
};

// A command that depends on inherited state: a patch routine and its operands.
struct PatchRequest {
    u32 routine = 0;
    u32 first_operand = 0;
};

struct CommandList {
    std::string name;
    const Vocabulary* vocabulary = nullptr;
    std::vector<Token> tokens;  // odd in number
    std::vector<Command> commands;
    std::vector<PatchRequest> patch_requests;
    std::vector<u64> operands;

    [[nodiscard]] u64 size_bytes() const {
        return tokens.size() * sizeof(Token) + commands.size() * sizeof(Command) +
               patch_requests.size() * sizeof(PatchRequest) + operands.size() * sizeof(u64);
    }
};

using ListPtr = std::shared_ptr<const CommandList>;

}  // namespace weft::command
