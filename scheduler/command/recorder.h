// recorder.h — one thread's pen: records commands into a list without knowing the state that the
// list will inherit (C1, C2).
//
// It keeps no state and takes no lock: as many recorders as threads, each used by one. What needs
// inherited state goes to the side queue as a patch request and ends the ready segment (C3, C4).
// Its memory is taken at construction and used again for the next list.
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

    // At this place of the list, have this patch routine write the commands, from the state then
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
