// page_source.h — reads one page from the file to its rows, and checks it.
//
// Threads call it, several at once: those of page_reader.h, or the one of a ring of reads
// (page_ring.h), which checks here what the kernel has read meanwhile. Reads are direct; where the
// file system refuses that, they go through the system's page cache, and the source drops them
// there. The file stays open, so that it may be deleted meanwhile.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/pages/file_descriptor.h"
#include "engine/pages/page_arrays.h"
#include "engine/pages/page_file.h"
#include "engine/pages/page_ring.h"
#include "scheduler/base/result.h"

namespace weft::pages {

// What is wrong with a page that was to be read.
struct PageFault {
    enum Kind : u8 {
        None,
        Damaged,     // bytes that nobody wrote, or too few of them
        Unreadable,  // the system could not read
        Refused,     // the file system knows no direct reads
    };

    Kind kind = None;
    std::string sentence;  // goes on from "page 3 "
};

class PageSource {
public:
    // Error: the file cannot be opened.
    static base::Result<std::unique_ptr<PageSource>> open(const std::string& path);

    // Reads page `number`, twice if need be, and checks its bytes and references. The error says
    // what is wrong with which page; its kind is Scene where the file is damaged and Render where
    // the system cannot read it. Any thread; no other uses the rows of that page.
    base::Status read(u32 number, const PageEntry& page, const PageArrays& arrays);

    // Starts to read it in the ring. False: read() must do it.
    bool start(PageRing& ring, u32 number, const PageEntry& page, const PageArrays& arrays) const;
    // After that: checks the page, and reads it once more if it is wrong. As read(), else.
    base::Status finish(u32 number, const PageEntry& page, const PageArrays& arrays, bool is_whole);

    [[nodiscard]] bool is_direct() const {
        // Relaxed: both ways read the same bytes.
        return is_direct_.load(std::memory_order_relaxed);
    }

private:
    PageSource(std::string path, FileDescriptor buffered, FileDescriptor direct);

    PageFault read_once(const PageEntry& page, const PageArrays& arrays);
    PageFault fill(const PageEntry& page, const PageArrays& arrays, bool is_direct) const;
    void forget(const PageEntry& page, bool is_direct) const;

    [[nodiscard]] int file(bool is_direct) const {
        return is_direct ? direct_.number() : buffered_.number();
    }

    std::string path_;
    FileDescriptor buffered_;
    FileDescriptor direct_;  // closed: refused when it was opened
    std::atomic<bool> is_direct_;
};

}  // namespace weft::pages
