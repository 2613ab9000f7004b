// checkpoint.h — saves the film of a running render at intervals, and reads it back.
//
//     timer ──▶ frame held ──▶ save(): film copied ──▶ frame goes on
//                                          └──▶ program of the runtime, beside the frame:
//                                               checksum, temporary file, fsync, rename
//
// The frame waits for the copy alone. The thread that drives the frame calls everything but
// is_due(), which any thread may call.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/render_outputs.h"
#include "engine/film/film_file.h"
#include "scheduler/base/clock.h"

namespace weft::app {

class Checkpoint {
public:
    // `path` may be empty: nothing is saved.
    Checkpoint(std::string path, double interval_s);
    Checkpoint(const Checkpoint&) = delete;
    Checkpoint& operator=(const Checkpoint&) = delete;

    [[nodiscard]] bool is_wanted() const { return !path_.empty(); }

    // Takes the memory of the copy, so that a full machine fails before the first sample.
    base::Status prepare(const Plan& plan, const frame::Renderer& frame);

    // Looks at the clock and notes whether it is time for a checkpoint.
    void look();

    [[nodiscard]] bool is_due() const {
        return is_due_.load(std::memory_order_relaxed);  // a late read only delays the checkpoint
    }

    // Copies the film, and writes it while the frame goes on. A failure is a warning; the
    // checkpoint before stays. The frame must be held.
    void save(const Plan& plan, const frame::Renderer& frame);
    // Writes the film and returns when it is on the disk. `is_finished`: a stop rule of the options
    // ended the render, and keeps_finished() will find it so.
    base::Status save_now(const Plan& plan, const frame::Renderer& frame, bool is_finished);

private:
    std::string path_;
    double interval_s_;
    base::Clock::time_point last_;
    std::atomic<bool> is_due_{false};
    std::atomic<bool> is_writing_{false};
    std::vector<std::byte> bytes_;                        // the writer's while it runs
    std::shared_ptr<const frame::BesideProgram> writer_;  // the last member: waited for first
};

// The record of the frame's film as it is now. The frame must be held or finished.
film::FilmRecord record_now(const Plan& plan, const frame::Renderer& frame);

// Lets the frame continue from the checkpoint of the plan's options. Errors, and the file is left
// alone: it is damaged, of another picture, or holds samples that the options do not ask for.
base::Status continue_from_checkpoint(const Plan& plan, frame::Renderer& frame);

// Whether --no-clobber keeps the output: it exists and, with --resume, no checkpoint lies there
// from which it would change. The checkpoint of a finished picture is older than it and names the
// stop rules of these options.
bool keeps_finished(const RenderOptions& options);

}  // namespace weft::app
