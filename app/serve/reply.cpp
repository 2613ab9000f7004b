#include "app/serve/reply.h"

#include <array>
#include <nlohmann/json.hpp>

#include "app/command/version.h"
#include "app/serve/request.h"
#include "engine/scene/files/json_text.h"

namespace weft::app::serve {

namespace {

using Json = nlohmann::json;
using scene::json_to_text;

// Notes of a scene in one reply.
constexpr std::size_t kMostNotes = 100;
// Bytes of a sentence: names from files may be longer than a message.
constexpr std::size_t kMostSentence = 2000;

std::string clipped(const std::string& sentence) {
    return sentence.size() <= kMostSentence ? sentence : sentence.substr(0, kMostSentence) + "…";
}

Json reply_to(u64 id) {
    return {{"id", id}, {"ok", true}};
}

const char* state_name(live::LiveState state) {
    constexpr std::array kNames = {"idle", "preparing", "rendering", "paused", "done", "failed"};
    return kNames.at(static_cast<std::size_t>(state));
}

// What import repaired, replaced or ignored.
Json notes_of(const scene::Scene& scene) {
    Json notes = Json::array();
    for (const scene::Note& note : scene.notes) {
        if (note.kind != scene::Note::Kind::Found && notes.size() < kMostNotes) {
            notes.push_back(clipped(note.sentence));
        }
    }
    return notes;
}

}  // namespace

std::string error_reply(u64 id, const std::string& sentence) {
    return json_to_text({{"id", id}, {"ok", false}, {"error", clipped(sentence)}});
}

std::string done_reply(u64 id) {
    return json_to_text(reply_to(id));
}

std::string hello_reply(u64 id) {
    Json reply = reply_to(id);
    reply["version"] = kProtocolVersion;
    reply["program"] = std::string("weft ") + kVersion;
    return json_to_text(reply);
}

std::string job_reply(u64 id, u64 job) {
    Json reply = reply_to(id);
    reply["job"] = job;
    return json_to_text(reply);
}

std::string scene_reply(u64 id, u64 job, const scene::Scene& scene) {
    Json reply = reply_to(id);
    reply["job"] = job;
    reply["triangles"] = scene::scene_size(scene).triangles;
    reply["instances"] = scene.instances.size();
    reply["materials"] = scene.materials.size();
    reply["lights"] = scene.lights.size();
    reply["notes"] = notes_of(scene);
    return json_to_text(reply);
}

std::string status_reply(u64 id, const live::LiveStatus& status) {
    Json reply = reply_to(id);
    reply["state"] = state_name(status.state);
    reply["job"] = status.job;
    reply["prepared_job"] = status.prepared_job;
    reply["samples"] = status.samples_mean;
    reply["samples_wanted"] = status.samples_wanted;
    reply["noise"] = status.noise;
    reply["elapsed_s"] = status.elapsed_s;
    reply["first_picture_ms"] = status.first_picture.last_ms;
    reply["kept_tables"] = status.counters.kept_tables;
    reply["kept_trees"] = status.counters.kept_trees;
    if (!status.error.empty()) {
        reply["fault"] = clipped(status.error);
    }
    return json_to_text(reply);
}

std::string memory_event(u64 size_bytes) {
    return json_to_text({{"event", "memory"}, {"bytes", size_bytes}});
}

std::string picture_event(u64 number, u64 job) {
    return json_to_text({{"event", "picture"}, {"number", number}, {"job", job}});
}

}  // namespace weft::app::serve
