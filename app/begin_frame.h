// begin_frame.h — everything of a render before the first sample: the scene, the frame with its
// memory, the checkpoint that it continues from, and the memory of the files that it will write.
//
// One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/checkpoint.h"
#include "app/render_input.h"
#include "app/render_outputs.h"
#include "app/render_stats.h"

namespace weft::app {

// A frame with all memory that it takes.
struct BegunFrame {
    std::shared_ptr<Plan> plan;
    std::unique_ptr<frame::Renderer> renderer;
    std::unique_ptr<WriterMemory> writer_memory;
    std::unique_ptr<Checkpoint> checkpoint;  // null for --debug-pixel
};

// What frames begin with.
struct BeginConfig {
    const RenderOptions* options = nullptr;
    const std::string* command_line = nullptr;
    std::function<void(const std::string& what)> leave_while;  // leave_on_signal()
};

// Names what the mattes of the plan's picture show and, where the film is saved (saves_film()), the
// picture that it belongs to.
void name_origin(Plan& plan, const frame::Renderer& frame);

// Kind TooLarge: the memory limit leaves too little.
bool is_too_large(const base::Status& status);

// Begins a frame beside the one in `kept`, from which it takes over what both have in common. One
// that does not fit into memory beside it begins again without it, with the same bits. Leaves in
// `kept` what the next frame may take over.
base::Status begin_frame(const BeginConfig& config,
                         KeptFrame& kept,
                         RenderTimes& times,
                         BegunFrame& begun);

}  // namespace weft::app
