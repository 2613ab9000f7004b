// element_watch.h — in debug builds, tracks the packet of each element; a violation of the storage
// rules ends the program and names both fibres (F3, F4, F5).
//
// It finds an element in two packets at once, or one touched by a fibre of another packet, at the
// first touch. One cluster owns it; release builds have none.
#pragma once

#include <span>
#include <string>

#include "scheduler/base/huge_pages.h"
#include "scheduler/fibre/routine.h"

namespace weft::fibre {

#ifdef NDEBUG
inline constexpr bool kWatchesElements = false;
#else
inline constexpr bool kWatchesElements = true;
#endif

class ElementWatch {
public:
    explicit ElementWatch(u32 element_count);

    // A packet of this routine begins: its elements must be distinct and in no running packet.
    void begin(const Packet& packet, const std::string& routine_name);
    void end(const Packet& packet);

    // The running packet acts ("spawns onto") on elements, which must be its own.
    void touch(const Packet& running,
               const std::string& routine_name,
               const char* deed,
               std::span<const u32> elements) const;

    // "element 7, last in packet 3 (trace, key 5/0)": the second half where it was in one.
    [[nodiscard]] std::string describe(u32 element) const;

    // "packet 3 (trace, key 5/0)".
    [[nodiscard]] static std::string describe(u32 packet_id,
                                              const std::string& routine_name,
                                              Key key);

private:
    struct Seen {
        u32 packet_id;  // 0: none
        bool is_running;
        Key key;
        const std::string* routine_name;
    };

    base::PageArray<Seen> seen_;
};

}  // namespace weft::fibre
