// page_desk.h — the pages that packets of a device wait for, whichever of its clusters they run on.
//
// All clusters of a device share one packet unit (scheduler/fibre/shared_packet_unit.h), and so one
// reader of the store: the desk opens a walk of a page when a collection asks for it. When the
// packet leaves it is cut into slices, and the walk ends when the last of them has visited the page
// (engine/pages/page_tasks.h). A lost cluster visits nothing more.
//
//     fetch(): asked ──▶ walk ──▶ near ──▶ leaves(): a slice per cluster ──▶ end_slice() of each
//                         ▲                                                      │ asked again?
//                         └──────────────────────────────────────────────────────┘ else: walk ends
//
// One per device. Any thread calls it; it waits for nobody.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/pages/page_store.h"

namespace weft::trace {

// Who waits for pages: the routines of a cluster.
enum class PageUser : u8 { Closest, Shadow, Hits };

class PageDesk {
public:
    // The store outlives the desk.
    PageDesk(pages::PageStore& store, u32 cluster_count);
    ~PageDesk();
    PageDesk(const PageDesk&) = delete;
    PageDesk& operator=(const PageDesk&) = delete;

    // A collection of the user's fibres asks for its page (PageStore::fetch).
    [[nodiscard]] pages::Fetch fetch(PageUser user, u32 page);
    // Its fibres leave, in a slice for each of these clusters.
    void leaves(PageUser user, u32 page, std::span<const u32> clusters);
    // A cluster has run its slice.
    void end_slice(PageUser user, u32 page, u32 cluster);
    // A cluster is lost, with all of its slices.
    void forget(u32 cluster);
    // Whether every cluster has room for rays that start again (local_rays.h), as each says itself.
    // They wait under one key: one for each cluster could take all places of keys that are asked
    // for.
    void set_room(PageUser user, u32 cluster, bool has_room);
    [[nodiscard]] bool has_room(PageUser user) const;
    // Ends all walks, so that they hinder no other reader, while no unit works. Collections that
    // ask for a page fetch it again; a slice that finds its page far waits on.
    void rest();

private:
    struct Asked {
        u32 page;
        u32 users;  // bits
    };

    struct Slice {
        u32 page;
        u32 cluster;
        PageUser user;
    };

    void end_idle_walk(u32 page);

    pages::PageStore& store_;
    u32 reader_;
    std::mutex mutex_;
    std::vector<Asked> asked_;
    std::vector<Slice> slices_;
    // By cluster: the bits of its users that have no room, or kLost. Relaxed: a collection that
    // asks too early asks again.
    u32 cluster_count_;
    std::unique_ptr<std::atomic<u32>[]> full_;
};

}  // namespace weft::trace
