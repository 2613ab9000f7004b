// reply.h — what a server tells its client: replies to messages, and events, as JSON texts.
//
// protocol.md describes them. Pure; any thread.
#pragma once

#include <string>

#include "engine/live/live_status.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/ids.h"

namespace weft::app::serve {

std::string error_reply(u64 id, const std::string& sentence);

// The message has no other result.
std::string done_reply(u64 id);

std::string hello_reply(u64 id);

// The picture of this job will show the change.
std::string job_reply(u64 id, u64 job);

// The same for a scene that was read.
std::string scene_reply(u64 id, u64 job, const scene::Scene& scene);

std::string status_reply(u64 id, const live::LiveStatus& status);

// Pictures lie in the memory that comes with this event from now on.
std::string memory_event(u64 size_bytes);

// There is another picture.
std::string picture_event(u64 number, u64 job);

}  // namespace weft::app::serve
