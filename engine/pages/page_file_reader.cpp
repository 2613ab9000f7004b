#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

#include "engine/pages/file_descriptor.h"
#include "engine/pages/page_file.h"
#include "engine/pages/page_file_format.h"
#include "engine/pages/tree_check.h"
#include "scheduler/base/memory_limit.h"

namespace weft::pages {

namespace {

base::Error unreadable(const std::string& path, const std::string& fault) {
    return {base::ErrorKind::Scene, path + ": " + fault};
}

base::Error damaged_file(const std::string& path, const std::string& fault) {
    return unreadable(path, "damaged: " + fault + "; expected a page file as it was written");
}

std::string system_words() {
    return std::generic_category().message(errno);
}

// The fault of the file itself, before any byte of it is read.
std::string fault_of_file(const struct stat& status) {
    if (!S_ISREG(status.st_mode)) {
        return "is no regular file; expected a page file";
    }
    if (status.st_uid != ::geteuid()) {
        return "belongs to another user; expected a page file of one's own";
    }
    return "";
}

std::string fault_of_header(const PageFileHeader& header,
                            const std::string& fingerprint,
                            u64 file_bytes) {
    if (header.magic != kPageFileMagic) {
        return "is no page file";
    }
    if (header.version != kPageFileVersion) {
        return "is of version " + std::to_string(header.version) + "; expected version " +
               std::to_string(kPageFileVersion);
    }
    if (header.header_checksum != header.own_checksum()) {
        return "damaged: the header's checksum is wrong; expected a page file as it was written";
    }
    std::array<char, 64> expected{};
    std::memcpy(expected.data(), fingerprint.data(), std::min(fingerprint.size(), expected.size()));
    if (fingerprint.size() > expected.size() || header.fingerprint != expected) {
        return "was made from something else; expected the fingerprint " + fingerprint;
    }
    if (header.file_bytes != file_bytes) {
        return "has " + std::to_string(file_bytes) + " bytes; expected " +
               std::to_string(header.file_bytes);
    }
    return "";
}

// Whether the five arrays fill the file from tail_offset to its end. Counts are bounded by the
// file's size, so that the sum does not overflow and nothing larger is allocated.
bool is_tail_of(const PageFileHeader& header) {
    const u64 most = header.file_bytes;
    if (header.node_count > most / sizeof(shaders::BvhNode) ||
        header.root_count > most / sizeof(shaders::PageRoot) ||
        header.placement_count > most / sizeof(shaders::Placement) ||
        header.page_count > most / sizeof(PageEntry) ||
        header.table_count > most / sizeof(RecordTable)) {
        return false;
    }
    const u64 tail_bytes = header.node_count * sizeof(shaders::BvhNode) +
                           header.root_count * sizeof(shaders::PageRoot) +
                           header.placement_count * sizeof(shaders::Placement) +
                           header.page_count * sizeof(PageEntry) +
                           header.table_count * sizeof(RecordTable);
    return header.tail_offset >= kPageAlign && tail_bytes <= most &&
           header.tail_offset == most - tail_bytes;
}

// Reads the arrays of the tail one after the other.
class TailReader {
public:
    TailReader(const FileDescriptor& file, u64 offset) : file_(file), offset_(offset) {}

    template <typename Row>
    [[nodiscard]] bool read(std::vector<Row>& rows, u64 count) {
        rows.resize(count);
        const bool is_read = file_.read_at(rows.data(), count * sizeof(Row), offset_);
        offset_ += count * sizeof(Row);
        return is_read;
    }

private:
    const FileDescriptor& file_;
    u64 offset_;
};

base::Result<ResidentTree> read_tail(const std::string& path,
                                     const FileDescriptor& file,
                                     const PageFileHeader& header) {
    base::Result<base::MemoryClaim> claim = base::claim_memory(
        header.file_bytes - header.tail_offset, "the part of a tree that lies in no page");
    WEFT_TRY(claim);
    ResidentTree tree;
    tree.root = header.root;
    tree.page_node_rows = header.page_node_rows;
    tree.page_block_rows = header.page_block_rows;
    tree.page_sheets = static_cast<u32>(std::min<u64>(header.page_sheets, kNone));
    TailReader tail(file, header.tail_offset);
    if (!tail.read(tree.nodes, header.node_count) || !tail.read(tree.roots, header.root_count) ||
        !tail.read(tree.placements, header.placement_count) ||
        !tail.read(tree.pages, header.page_count) || !tail.read(tree.tables, header.table_count)) {
        return unreadable(path, errno != 0 ? system_words() : "ends too early");
    }
    claim.value().give_back(tree.size_bytes());
    if (tail_checksum_of(tree) != header.tail_checksum) {
        return damaged_file(path, "the checksum behind the pages is wrong");
    }
    for (const PageEntry& page : tree.pages) {
        tree.most_page_bytes = std::max(tree.most_page_bytes, page.size_bytes());
    }
    return tree;
}

}  // namespace

base::Result<ResidentTree> read_page_file(const std::string& path, const std::string& fingerprint) {
    // Opening a pipe does not wait for somebody who writes.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));

    struct stat status {};

    if (!file.is_open() || ::fstat(file.number(), &status) != 0) {
        return unreadable(path, "cannot be opened (" + system_words() + ")");
    }
    if (const std::string fault = fault_of_file(status); !fault.empty()) {
        return unreadable(path, fault);
    }
    const u64 file_bytes = static_cast<u64>(status.st_size);
    PageFileHeader header{};
    if (file_bytes < kPageAlign) {
        return unreadable(path, "is too short for a page file");
    }
    if (!file.read_at(&header, sizeof(header), 0)) {
        return unreadable(path, "cannot be read (" + system_words() + ")");
    }
    if (const std::string fault = fault_of_header(header, fingerprint, file_bytes);
        !fault.empty()) {
        return unreadable(path, fault);
    }
    if (!is_tail_of(header)) {
        return damaged_file(path, "the counts of the header contradict its size");
    }
    base::Result<ResidentTree> tree = read_tail(path, file, header);
    WEFT_TRY(tree);
    if (const std::string fault = fault_of(tree.value(), kPageAlign, header.tail_offset);
        !fault.empty()) {
        return damaged_file(path, fault);
    }
    return tree;
}

}  // namespace weft::pages
