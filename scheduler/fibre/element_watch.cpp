#include "scheduler/fibre/element_watch.h"

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

[[noreturn]] void stop(const char* rule, const std::string& what) {
    base::fail_claim(__FILE__, __LINE__, rule, what);
}

}  // namespace

ElementWatch::ElementWatch(u32 element_count) : seen_(kWatchesElements ? element_count : 0) {}

std::string ElementWatch::describe(u32 packet_id, const std::string& routine_name, Key key) {
    return "packet " + std::to_string(packet_id) + " (" + routine_name + ", key " +
           std::to_string(key.value) + "/" + std::to_string(key.tag) + ")";
}

std::string ElementWatch::describe(u32 element) const {
    std::string text = "element " + std::to_string(element);
    if (element < seen_.size() && seen_[element].packet_id != 0) {
        const Seen& seen = seen_[element];
        text += ", last in " + describe(seen.packet_id, *seen.routine_name, seen.key);
    }
    return text;
}

void ElementWatch::begin(const Packet& packet, const std::string& routine_name) {
    for (const u32 element : packet.elements) {
        const bool is_known = element < seen_.size();
        if (!is_known || seen_[element].is_running) {
            const bool is_twice = is_known && seen_[element].packet_id == packet.packet_id;
            stop(!is_known  ? "an element is one of the cluster's"
                 : is_twice ? "an element is once in a packet"
                            : "fibres of one element run one after the other",
                 describe(packet.packet_id, routine_name, packet.key) + " vs " + describe(element));
        }
        seen_[element] = {packet.packet_id, true, packet.key, &routine_name};
    }
}

void ElementWatch::end(const Packet& packet) {
    for (const u32 element : packet.elements) {
        seen_[element].is_running = false;
    }
}

void ElementWatch::touch(const Packet& running,
                         const std::string& routine_name,
                         const char* deed,
                         std::span<const u32> elements) const {
    for (const u32 element : elements) {
        const bool is_own = element < seen_.size() && seen_[element].is_running &&
                            seen_[element].packet_id == running.packet_id;
        if (!is_own) {
            stop("a fibre touches elements of its own packet",
                 describe(running.packet_id, routine_name, running.key) + " " + deed + " " +
                     describe(element));
        }
    }
}

}  // namespace weft::fibre
