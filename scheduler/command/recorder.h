// recorder.h — records commands into a list without knowing the state that the list will inherit
// (C1, C2).
//
// It keeps no state and takes no lock: each recording thread has its own recorder. A command that
// depends on inherited state goes to the side queue as a patch request and ends the ready segment
// (C3, C4). Construction allocates the memory, which all lists of the recorder reuse.
#pragma once

#include "scheduler/base/result.h"
#include "scheduler/command/command_list.h"
#include "scheduler/command/command_writer.h"

namespace weft::command {

struct RecorderConfig {
    u32 max_commands = 4096;
    u32 max_patches = 64;
    u32 max_operands = 16384;  // of draws and patches together
};

class Recorder : public CommandWriter {
public:
    // The vocabulary must outlive the recorder and its lists.
    Recorder(const Vocabulary& vocabulary, const RecorderConfig& config);

    // Lets the patch routine write the commands of this place at submission, from the state then
    // current.
    void request_patch(u32 routine, std::span<const u64> operands);

    // The list, and an empty recorder. Error: the first misuse since the last finish, with the
    // list's name.
    base::Result<ListPtr> finish(std::string name);

private:
    void close_segment();

    std::vector<Token> tokens_;
    std::vector<PatchRequest> patch_requests_;
    u32 max_patches_;
    u32 segment_begin_ = 0;
};

}  // namespace weft::command
