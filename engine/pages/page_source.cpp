#include "engine/pages/page_source.h"

#include <array>
#include <fcntl.h>
#include <sys/uio.h>
#include <system_error>

#include "engine/pages/page_checksum.h"

namespace weft::pages {

namespace {

// The parts of a page, without what has been read.
class PageTarget {
public:
    static constexpr int kParts = 3;

    PageTarget(const PageEntry& page, const PageArrays& arrays) {
        const std::array<PageArrays::Part, kParts> parts = arrays.parts_of(page);
        for (u32 k = 0; k < kParts; ++k) {
            parts_[k] = {parts[k].begin, parts[k].size_bytes};
        }
    }

    [[nodiscard]] const iovec* parts() const { return parts_.data(); }

    [[nodiscard]] u64 left_bytes() const {
        return parts_[0].iov_len + parts_[1].iov_len + parts_[2].iov_len;
    }

    void skip(u64 size_bytes) {
        for (iovec& part : parts_) {
            const u64 taken = std::min<u64>(part.iov_len, size_bytes);
            part.iov_base = static_cast<char*>(part.iov_base) + taken;
            part.iov_len -= taken;
            size_bytes -= taken;
        }
    }

private:
    std::array<iovec, kParts> parts_{};
};

// The fault of a page that was read.
PageFault fault_of(const PageEntry& page, const PageArrays& arrays) {
    PageChecksum checksum;
    for (const PageArrays::Part& part : arrays.parts_of(page)) {
        checksum.add(part.begin, part.size_bytes);
    }
    if (checksum.value() != page.checksum) {
        return {PageFault::Damaged,
                "is damaged: its checksum is wrong; expected the bytes that were written"};
    }
    if (!check_page(page, arrays.nodes() + page.first_node)) {
        return {PageFault::Damaged,
                "is damaged: a reference leaves it; expected the bytes that were written"};
    }
    return {};
}

}  // namespace

base::Result<std::unique_ptr<PageSource>> PageSource::open(const std::string& path) {
    FileDescriptor buffered(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!buffered.is_open()) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": cannot be opened (" + std::generic_category().message(errno) +
                               "); expected a page file"};
    }
    // The same file again, whatever has the name by now. Most errors mean that direct reads are
    // not known here.
    const std::string same = "/proc/self/fd/" + std::to_string(buffered.number());
    FileDescriptor direct(::open(same.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
    return std::unique_ptr<PageSource>(
        new PageSource(path, std::move(buffered), std::move(direct)));
}

PageSource::PageSource(std::string path, FileDescriptor buffered, FileDescriptor direct)
    : path_(std::move(path)),
      buffered_(std::move(buffered)),
      direct_(std::move(direct)),
      is_direct_(direct_.is_open()) {}

base::Status PageSource::read(u32 number, const PageEntry& page, const PageArrays& arrays) {
    if (read_once(page, arrays).kind == PageFault::None) {
        return base::Done{};
    }
    return finish(number, page, arrays, false);
}

bool PageSource::start(PageRing& ring,
                       u32 number,
                       const PageEntry& page,
                       const PageArrays& arrays) const {
    const PageTarget target(page, arrays);
    return ring.start(
        number, file(is_direct()), target.parts(), PageTarget::kParts, page.file_offset);
}

base::Status PageSource::finish(u32 number,
                                const PageEntry& page,
                                const PageArrays& arrays,
                                bool is_whole) {
    if (is_whole) {
        forget(page, is_direct());
    }
    if (is_whole && fault_of(page, arrays).kind == PageFault::None) {
        return base::Done{};
    }
    const PageFault fault = read_once(page, arrays);
    if (fault.kind == PageFault::None) {
        return base::Done{};
    }
    // The bytes of a damaged file are wrong input; a disk that fails is not.
    const bool is_damaged = fault.kind == PageFault::Damaged;
    return base::Error{is_damaged ? base::ErrorKind::Scene : base::ErrorKind::Render,
                       path_ + ": page " + std::to_string(number) + " " + fault.sentence};
}

PageFault PageSource::read_once(const PageEntry& page, const PageArrays& arrays) {
    PageFault fault = fill(page, arrays, is_direct());
    if (fault.kind == PageFault::Refused) {
        // Relaxed: both ways read the same bytes.
        is_direct_.store(false, std::memory_order_relaxed);
        fault = fill(page, arrays, false);
    }
    return fault.kind == PageFault::None ? fault_of(page, arrays) : fault;
}

PageFault PageSource::fill(const PageEntry& page, const PageArrays& arrays, bool is_direct) const {
    PageTarget target(page, arrays);
    u64 offset = page.file_offset;
    while (target.left_bytes() > 0) {
        const ssize_t count = ::preadv(
            file(is_direct), target.parts(), PageTarget::kParts, static_cast<off_t>(offset));
        if (count > 0) {
            target.skip(static_cast<u64>(count));
            offset += static_cast<u64>(count);
        } else if (count == 0) {
            return {PageFault::Damaged,
                    "lies behind the end of the file; expected a file that nobody changes"};
        } else if (is_direct && errno == EINVAL) {
            return {PageFault::Refused, ""};
        } else if (errno != EINTR) {
            return {PageFault::Unreadable,
                    "cannot be read (" + std::generic_category().message(errno) +
                        "); expected a disk without faults"};
        }
    }
    forget(page, is_direct);
    return {};
}

// Drops what a buffered read left in the system's page cache.
void PageSource::forget(const PageEntry& page, bool is_direct) const {
    if (!is_direct) {
        static_cast<void>(::posix_fadvise(file(false),
                                          static_cast<off_t>(page.file_offset),
                                          static_cast<off_t>(page.size_bytes()),
                                          POSIX_FADV_DONTNEED));
    }
}

}  // namespace weft::pages
