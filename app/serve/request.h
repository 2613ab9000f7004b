// request.h — what a client asks for: one message as a value with types.
//
// protocol.md describes the messages. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::app::serve {

// The version of the protocol: it rises when a message or a layout changes or goes, not when a
// member of a reply is added.
inline constexpr u64 kProtocolVersion = 1;

enum class Action {
    Hello,     // the version that the client speaks
    Load,      // read a scene
    Settings,  // how to render it
    Edit,      // change it, or the camera
    Mesh,      // other triangles for one of its meshes
    Save,      // write the picture or the edits
    Pause,     // or go on
    Status,    // how far the picture is
    Quit,      // end the server
};

// What the pixels of the shared pictures are.
enum class PixelKind : u32 {
    Linear,   // four floats: scene-linear, premultiplied
    Display,  // four bytes: after exposure and view transform, alpha straight
};

struct Request {
    Action action = Action::Status;
    u64 version = 0;                       // Hello
    std::vector<std::string> scenes;       // Load: one or several, as SCENE of weft render
    std::vector<std::string> options;      // Load, Settings: words as of weft render
    PixelKind pixels = PixelKind::Linear;  // Settings
    bool is_denoised = false;              // Settings
    std::vector<scene::Edit> edits;        // Edit
    std::string mesh;                      // Mesh: its name
    std::string file;                      // Mesh: a glTF file of it; Save: a name without folder
    bool is_paused = false;                // Pause
};

struct ReadRequest {
    u64 id = 0;  // the client's number of the message; 0 where it gave none
    base::Result<Request> request;
};

// Errors (kind Usage) name the member of the message, what was found and what was expected.
ReadRequest read_request(std::string_view text);

}  // namespace weft::app::serve
