// fuzz_target.h — the entry that every fuzz target defines, and what targets share.
//
// A target hands its input to one reader of the program. The reader must end with a value or with
// one sentence; what it read is then checked. libFuzzer calls the entry in builds of the preset
// `fuzz`, replay.cpp in all others. One thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "engine/scene/model/scene.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

// Returns 0. A fault ends the process.
extern "C" int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes);

namespace weft::fuzz {

// The memory that a reader may claim for one input.
inline constexpr u64 kMostClaimedBytes = u64{256} << 20;

// The folder of this process for the files that readers open by name. It is removed when the
// process ends, and with the folder of TMPDIR after a fault.
class Scratch {
public:
    Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch();

    // Writes a file and returns its path. `name` may begin with folders.
    [[nodiscard]] std::string write(const std::string& name, std::span<const u8> bytes) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// The one folder of the process. Each call allows kMostClaimedBytes beyond what the process holds
// now, so that memory of earlier inputs counts for none.
const Scratch& scratch();

// Has OpenImageIO decode on the calling thread alone: its threads wait actively for each other,
// which takes most of the time of small pictures. Loads the image module at the first call.
void decode_on_one_thread();

// Ends the process unless the error has a sentence that contains `part`. A name from the file may
// hold any character; messages escape them (app/command/messages.h).
void check_sentence(const base::Error& error, const std::string& part);

// Ends the process unless all offsets and indices of the scene lie in its arenas and all positions
// and matrices are finite.
void check_scene(const scene::Scene& scene);

}  // namespace weft::fuzz
