// page_store.h — the pages of a tree: a budget of them in memory, the others in a page file.
//
// The arrays of nodes, blocks and records are reserved addresses; a page that is read fills its
// rows, one that is evicted gives its memory back. So references hold whatever is in memory, and
// kernels read through plain pointers. The state of each page tells kernels whether they may enter
// it.
//
// Life of a page (page_lives.h, page_tasks.h), every step but the marked ones a task of its stream:
//
//     Far ─load: read, checksum right─▶ Fresh ─*entered─▶ Used ─*closed─▶ leaving ─evict─▶ Far
//
// A *reader* is a cluster whose routines traverse pages or read records. Between enter() and
// leave() it may traverse every page that it sees Fresh or Used, so a leaving page keeps its memory
// until the readers that were inside have left once: the eviction is launched at once and waits for
// the event that the last of them lets happen. A fetch() before that makes the page near again.
// Whoever enters a Fresh page makes it Used by compare-and-exchange, never by a plain store: it may
// just have become Far.
//
// A fetch() opens a *walk*: the page stays until its reader has ended that, because it has visited
// the page or needs it no more. Bytes of pages that are coming, near or leaving never exceed the
// budget. Eviction takes pages without a walk that were not entered again since its hand passed
// last (a clock, which makes a Used page Fresh when it passes), or the one that was used longest
// ago.
//
// The store pledges what its pages may come to fill (scheduler/base/memory_limit.h).
//
// Reads are direct (O_DIRECT), so that neither the budget nor a measurement is fooled by the
// system's page cache; where the file system refuses them, buffered ones whose pages are dropped.
// Several are under way at once.
//
// Any thread calls everything but the constructor and the destructor; what names a reader is called
// on one thread at a time for that reader.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/pages/page_file.h"
#include "engine/pages/page_lives.h"
#include "scheduler/base/result.h"
#include "scheduler/task/task_counters.h"
#include "shaders/traverse/bvh_view.h"

namespace weft::pages {

struct PageStoreConfig {
    std::string path;
    u64 budget_bytes = 0;      // of pages; at least least_budget()
    u32 reads_in_flight = 16;  // most reads under way at once
    u32 reader_count = 1;      // readers that may join
    bool may_use_ring = true;  // false: threads read, as where the kernel forbids io_uring
    Eviction eviction = Eviction::Clock;
};

enum class Fetch : u8 {
    Near,     // in memory, and stays until the walk is ended
    Coming,   // a load is launched
    Refused,  // no room, or too many loads or walks: ask again when something has changed
};

struct PageFigures {
    u64 count = 0;         // pages
    u64 bytes = 0;         // of all pages
    u64 record_count = 0;  // those that hold records
    u64 record_bytes = 0;
    u64 budget_bytes = 0;
    u64 least_bytes = 0;     // the least budget
    u64 resident_bytes = 0;  // always in memory, beside the budget
    u64 reads = 0;
    u64 bytes_read = 0;
    u64 record_reads = 0;     // of `reads`, those of records
    u64 evictions = 0;        // launched; some of those pages were asked for before they had left
    u64 walks = 0;            // begun
    u64 open_walks = 0;       // now
    u64 reader_waits = 0;     // evictions that found a reader inside
    task::TaskFigures tasks;  // of loads, walks and evictions
    u64 most_bytes = 0;       // of pages in memory at once
    bool is_direct = false;
    bool has_ring = false;  // the kernel reads without a thread for each read (page_ring.h)
};

// What is always in memory of a tree, as rows of the view's arrays, and the table of its pages.
struct ResidentRows {
    u32 first_node = 0;
    u32 node_count = 0;
    std::span<const shaders::PageRoot> roots;
    std::span<const shaders::Placement> placements;
    std::span<const PageEntry> pages;
};

// The arrays of all pages' rows, as addresses; rows of far pages hold nothing that may be read.
struct PageRows {
    std::span<const shaders::BvhNode> nodes;
    std::span<const shaders::LeafBlock> blocks;
    std::span<const char> sheets;  // of records
};

class PageStore {
public:
    // The least budget: room for every reader to have a page that it runs, one that comes and one
    // that leaves; never more than all pages. Routines that run in turn on one thread may share a
    // reader.
    static u64 least_budget(const ResidentTree& tree, u32 reader_count);

    // Opens the file again for reads; the tree is read_page_file()'s or finish()'s. Claims no
    // memory (scheduler/base/memory_limit.h): the caller counts the budget. Errors: the file,
    // addresses.
    static base::Result<std::unique_ptr<PageStore>> open(ResidentTree tree,
                                                         const PageStoreConfig& config);
    // Waits for reads under way.
    ~PageStore();
    PageStore(const PageStore&) = delete;
    PageStore& operator=(const PageStore&) = delete;

    // The tree for kernels.
    [[nodiscard]] shaders::BvhView view() const;
    [[nodiscard]] ResidentRows resident() const;
    // The arrays of view() and records(), with the rows of all pages.
    [[nodiscard]] PageRows rows() const;
    // The records of meshes; no tables where there are none.
    [[nodiscard]] RecordView records() const;

    // Readers that may join.
    [[nodiscard]] u32 reader_count() const;

    // Registers a reader; its number. Parting ends its walks.
    [[nodiscard]] u32 join();
    void part(u32 reader);
    // Around every kernel call that traverses pages, and every look at records. Waits for nobody.
    void enter(u32 reader);
    void leave(u32 reader);

    // Opens the reader's walk of a page, unless it is open, and launches the load of a page that is
    // far; evicts where room is needed. Does not block on the disk.
    [[nodiscard]] Fetch fetch(u32 reader, u32 page);
    // The page may leave, as far as this reader is concerned; nothing if its walk is not open.
    void end_walk(u32 reader, u32 page);
    // The same of all pages that are near. Before a reader waits for one page alone: loads behind
    // its walks could wait for it otherwise.
    void end_near_walks(u32 reader);
    // The same of all: the reader stands still. What it waits for has to be fetched again.
    void end_walks(u32 reader);

    // How many reads have ended so far; wait_beyond() blocks until it exceeds `arrivals`, or
    // reading has failed, or nothing is under way: no read, and no page that leaves.
    [[nodiscard]] u64 arrivals() const;
    void wait_beyond(u64 arrivals);
    // The page that the read with this number (from 0) brought, if it was one of the last
    // kArrivalsKept reads and did not fail; else kNone.
    [[nodiscard]] u32 arrived_page(u64 number) const;
    static constexpr u64 kArrivalsKept = 256;

    // Has a function called whenever a page has come or gone, may go from now on, or reading has
    // failed: on any thread, with locks of the store held, so that it calls nothing of the store.
    // Returns its number for stop_telling(), after which it is not called any more.
    [[nodiscard]] u32 tell_of_changes(std::function<void()> tell);
    void stop_telling(u32 listener);

    // A page could not be read twice, or its bytes were wrong twice: the sentence, with the file
    // and the page. Every fetch is Refused from then
    // on, and the file is removed.
    [[nodiscard]] bool has_failed() const;
    // A user of the pages cannot go on: the first sentence stays.
    void fail(const base::Error& error);
    [[nodiscard]] base::Error failure() const;

    [[nodiscard]] PageFigures figures() const;

private:
    struct State;
    explicit PageStore(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace weft::pages
