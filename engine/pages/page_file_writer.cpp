#include <cstring>
#include <optional>

#include "engine/pages/page_cut.h"
#include "engine/pages/page_file.h"
#include "engine/pages/page_file_format.h"
#include "engine/pages/page_output.h"
#include "engine/pages/record_pages.h"

namespace weft::pages {

namespace {

constexpr u64 kLeastPageBytes = u64{16} << 10;
constexpr u64 kLeastSubtreeBytes = sizeof(shaders::LeafBlock);
constexpr u64 kFingerprintLetters = 64;

u32 rounded_up(u64 count, u32 step) {
    return static_cast<u32>((count + step - 1) / step * step);
}

base::Error too_many_rows(u64 found, const char* what) {
    return {base::ErrorKind::Scene,
            "the scene needs " + std::to_string(found) + " " + what + " in its tree, and at most " +
                std::to_string(kMostRows) + " are possible"};
}

u32 kind_of(u32 ref) {
    return ref & shaders::kRefKind;
}

}  // namespace

// References of `nodes`, and of page roots whose page is kNone, are rows of `nodes` until
// finish().
struct PageFileWriter::State {
    State(const PageFileConfig& asked, PageOutput made)
        : config(asked),
          output(std::move(made)),
          records(asked.sheet_bytes,
                  [this](std::span<const char> page) { add_record_page(page); }) {}

    PageFileConfig config;
    PageOutput output;
    std::vector<shaders::BvhNode> nodes;
    std::vector<shaders::PageRoot> roots;
    std::vector<PageEntry> pages;
    RecordPages records;
    u64 most_page_bytes = 0;
    // Rows that closed pages fill: where the open page begins.
    u32 node_rows = 0;
    u32 block_rows = 0;
    u32 sheet_rows = 0;
    // The open page of subtrees.
    std::vector<shaders::BvhNode> open_nodes;
    std::vector<shaders::LeafBlock> open_blocks;
    // The tree that is being appended, and the sizes that its walk has not met.
    BuiltTree tree;
    std::vector<SubtreeSize> sizes;
    u64 next_size = 0;
    std::optional<base::Error> first_error;

    // Puts a reference of the tree into a page or among the nodes above; returns the new one.
    u32 place(u32 ref, const Bounds& bounds);
    u32 place_above(const shaders::BvhNode& node);
    u32 place_into_page(u32 ref, const SubtreeSize& size, const Bounds& bounds);
    u32 copy_into_page(u32 ref);
    u32 add_root(u32 ref, u32 page, const Bounds& bounds);
    void close_page();
    void add_record_page(std::span<const char> bytes);
    void add_page(const PageEntry& page);
    void refuse(base::Error error);
    [[nodiscard]] base::Status state() const;
    ResidentTree take_resident(std::vector<shaders::Placement> placements, u32 root);
    void write_tail(const ResidentTree& tree);
};

void PageFileWriter::State::refuse(base::Error error) {
    if (!first_error) {
        first_error = std::move(error);
    }
}

base::Status PageFileWriter::State::state() const {
    return first_error ? base::Status(*first_error) : output.state();
}

u32 PageFileWriter::State::add_root(u32 ref, u32 page, const Bounds& bounds) {
    if (roots.size() >= kMostRows) {
        refuse(too_many_rows(roots.size() + 1, "roots of pages"));
        return shaders::kRefEmpty;
    }
    shaders::PageRoot root{};
    for (u32 axis = 0; axis < 3; ++axis) {
        root.bounds[axis][0] = bounds[axis][0];
        root.bounds[axis][1] = bounds[axis][1];
    }
    root.ref = ref;
    root.page = page;
    roots.push_back(root);
    return shaders::kRefPage | static_cast<u32>(roots.size() - 1);
}

u32 PageFileWriter::State::place(u32 ref, const Bounds& bounds) {
    if (ref == shaders::kRefEmpty || first_error) {
        return shaders::kRefEmpty;
    }
    if (kind_of(ref) == shaders::kRefLeaf) {
        return place_into_page(ref, kBlockSize, bounds);
    }
    if (kind_of(ref) != shaders::kRefNode) {
        return ref;
    }
    const SubtreeSize size = sizes[next_size++];
    return size.is_page ? place_into_page(ref, size, bounds) : place_above(tree.nodes[ref]);
}

u32 PageFileWriter::State::place_above(const shaders::BvhNode& node) {
    if (nodes.size() >= kMostRows) {
        refuse(too_many_rows(nodes.size() + 1, "nodes"));
        return shaders::kRefEmpty;
    }
    const u64 row = nodes.size();
    nodes.push_back(node);
    for (u32 k = 0; k < 8; ++k) {
        const u32 child = place(node.child[k], child_bounds(node, k));
        nodes[row].child[k] = child;
    }
    return shaders::kRefNode | static_cast<u32>(row);
}

u32 PageFileWriter::State::place_into_page(u32 ref, const SubtreeSize& size, const Bounds& bounds) {
    if (padded_bytes(static_cast<u32>(open_nodes.size()) + size.node_count,
                     static_cast<u32>(open_blocks.size()) + size.block_count) > config.page_bytes) {
        close_page();
    }
    // Rows count up to where the page behind this one would begin.
    const u64 node_end =
        u64{node_rows} + rounded_up(open_nodes.size() + size.node_count, kNodeStep);
    const u64 block_end =
        u64{block_rows} + rounded_up(open_blocks.size() + size.block_count, kBlockStep);
    if (node_end > kMostRows || block_end > kMostRows) {
        refuse(node_end > kMostRows ? too_many_rows(node_end, "nodes")
                                    : too_many_rows(block_end, "leaf blocks"));
        return shaders::kRefEmpty;
    }
    return add_root(copy_into_page(ref), static_cast<u32>(pages.size()), bounds);
}

u32 PageFileWriter::State::copy_into_page(u32 ref) {
    if (ref == shaders::kRefEmpty) {
        return ref;
    }
    if (kind_of(ref) == shaders::kRefLeaf) {
        open_blocks.push_back(tree.blocks[ref & shaders::kRefIndex]);
        return shaders::kRefLeaf | (block_rows + static_cast<u32>(open_blocks.size() - 1));
    }
    const u64 place = open_nodes.size();
    open_nodes.push_back(tree.nodes[ref]);
    for (u32 k = 0; k < 8; ++k) {
        const u32 child = copy_into_page(tree.nodes[ref].child[k]);
        open_nodes[place].child[k] = child;
    }
    return shaders::kRefNode | (node_rows + static_cast<u32>(place));
}

void PageFileWriter::State::close_page() {
    if (open_nodes.empty() && open_blocks.empty()) {
        return;
    }
    PageEntry page{output.size_bytes(),
                   node_rows,
                   static_cast<u32>(open_nodes.size()),
                   block_rows,
                   static_cast<u32>(open_blocks.size()),
                   0,
                   sheet_rows,
                   0};
    // Whole steps of rows, filled with zeros: no fewer bytes than the padded ones.
    open_nodes.resize(rounded_up(open_nodes.size(), kNodeStep));
    open_blocks.resize(rounded_up(open_blocks.size(), kBlockStep));
    PageChecksum checksum;
    checksum.add(open_nodes.data(), page.node_bytes());
    checksum.add(open_blocks.data(), page.block_bytes());
    page.checksum = checksum.value();
    output.append(open_nodes.data(), page.node_bytes());
    output.append(open_blocks.data(), page.block_bytes());
    node_rows += static_cast<u32>(open_nodes.size());
    block_rows += static_cast<u32>(open_blocks.size());
    add_page(page);
    open_nodes.clear();
    open_blocks.clear();
}

void PageFileWriter::State::add_page(const PageEntry& page) {
    most_page_bytes = std::max(most_page_bytes, page.size_bytes());
    pages.push_back(page);
}

// Writes a page of records. All of them come before the first subtree.
void PageFileWriter::State::add_record_page(std::span<const char> bytes) {
    const u64 sheet_count = bytes.size() / kPageAlign;
    if (sheet_rows + sheet_count > kMostRows) {
        refuse(too_many_rows(sheet_rows + sheet_count, "sheets of records"));
        return;
    }
    const u64 offset = output.size_bytes();
    output.append(bytes.data(), bytes.size());
    add_page({.file_offset = offset,
              .first_node = 0,
              .node_count = 0,
              .first_block = 0,
              .block_count = 0,
              .checksum = page_checksum(bytes.data(), bytes.size()),
              .first_sheet = sheet_rows,
              .sheet_count = static_cast<u32>(sheet_count)});
    sheet_rows += static_cast<u32>(sheet_count);
}

ResidentTree PageFileWriter::State::take_resident(std::vector<shaders::Placement> placements,
                                                  u32 root) {
    // The nodes above get rows behind those of all pages.
    for (shaders::PageRoot& page_root : roots) {
        page_root.ref += page_root.page == kNone ? node_rows : 0;
    }
    for (shaders::BvhNode& node : nodes) {
        for (u32& child : node.child) {
            if (kind_of(child) == shaders::kRefNode) {
                child += node_rows;
            } else if (kind_of(child) == shaders::kRefPage && child != shaders::kRefEmpty) {
                // The root of a tree that stays in memory is reached without a detour.
                const shaders::PageRoot& page_root = roots[child & shaders::kRefIndex];
                child = page_root.page == kNone ? page_root.ref : child;
            }
        }
    }
    if (root != shaders::kRefEmpty) {
        const shaders::PageRoot& top = roots.at(root & shaders::kRefIndex);
        root = top.page == kNone ? top.ref : root;
    }
    ResidentTree resident;
    resident.root = root;
    resident.page_node_rows = node_rows;
    resident.page_block_rows = block_rows;
    resident.page_sheets = sheet_rows;
    resident.tables = std::move(records.tables());
    resident.nodes = std::move(nodes);
    resident.roots = std::move(roots);
    resident.placements = std::move(placements);
    resident.pages = std::move(pages);
    resident.most_page_bytes = most_page_bytes;
    return resident;
}

void PageFileWriter::State::write_tail(const ResidentTree& resident) {
    PageFileHeader header{};
    header.magic = kPageFileMagic;
    header.version = kPageFileVersion;
    header.root = resident.root;
    std::memcpy(header.fingerprint.data(), config.fingerprint.data(), config.fingerprint.size());
    header.page_node_rows = resident.page_node_rows;
    header.page_block_rows = resident.page_block_rows;
    header.page_sheets = resident.page_sheets;
    header.node_count = resident.nodes.size();
    header.root_count = resident.roots.size();
    header.placement_count = resident.placements.size();
    header.page_count = resident.pages.size();
    header.table_count = resident.tables.size();
    header.tail_offset = output.size_bytes();
    header.tail_checksum = tail_checksum_of(resident);
    output.append(resident.nodes.data(), resident.nodes.size() * sizeof(shaders::BvhNode));
    output.append(resident.roots.data(), resident.roots.size() * sizeof(shaders::PageRoot));
    output.append(resident.placements.data(),
                  resident.placements.size() * sizeof(shaders::Placement));
    output.append(resident.pages.data(), resident.pages.size() * sizeof(PageEntry));
    output.append(resident.tables.data(), resident.tables.size() * sizeof(RecordTable));
    header.file_bytes = output.size_bytes();
    header.header_checksum = header.own_checksum();
    output.put_first(&header, sizeof(header));
}

u64 ResidentTree::size_bytes() const {
    return nodes.size() * sizeof(shaders::BvhNode) + roots.size() * sizeof(shaders::PageRoot) +
           placements.size() * sizeof(shaders::Placement) + pages.size() * sizeof(PageEntry) +
           tables.size() * sizeof(RecordTable);
}

PageFileWriter::PageFileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

PageFileWriter::~PageFileWriter() = default;

base::Result<std::unique_ptr<PageFileWriter>> PageFileWriter::create(const PageFileConfig& config) {
    ENSURE(config.fingerprint.size(), <=, kFingerprintLetters);
    ENSURE(config.page_bytes, >=, kLeastPageBytes);
    ENSURE((config.subtree_bytes == 0 || config.subtree_bytes >= kLeastSubtreeBytes), ==, true);
    ENSURE(config.sheet_bytes % kPageAlign == 0 && config.sheet_bytes > 0, ==, true);
    base::Result<PageOutput> output = PageOutput::create(config.path);
    WEFT_TRY(output);
    auto state = std::make_unique<State>(config, std::move(output.value()));
    // The header's place; finish() fills it.
    const std::vector<char> zeros(kPageAlign);
    state->output.append(zeros.data(), zeros.size());
    return std::unique_ptr<PageFileWriter>(new PageFileWriter(std::move(state)));
}

void PageFileWriter::begin_records(u32 record_bytes) {
    ENSURE(state_->roots.empty(), ==, true);
    state_->records.begin(record_bytes);
}

base::Status PageFileWriter::append_records(const void* records, u32 count) {
    ENSURE(state_->roots.empty(), ==, true);
    state_->records.add(records, count);
    return state_->state();
}

base::Result<u32> PageFileWriter::append(const BuiltTree& tree) {
    if (tree.root == shaders::kRefEmpty) {
        return shaders::kRefEmpty;
    }
    State& state = *state_;
    ENSURE(kind_of(tree.root) == shaders::kRefNode || kind_of(tree.root) == shaders::kRefLeaf,
           ==,
           true);
    state.records.close();
    state.tree = tree;
    state.sizes = measure_subtrees(
        tree, {.page_bytes = state.config.page_bytes, .subtree_bytes = state.config.subtree_bytes});
    state.next_size = 0;
    const Bounds bounds = root_bounds(tree);
    u32 root = state.place(tree.root, bounds);
    if (kind_of(root) == shaders::kRefNode) {
        root = state.add_root(root, kNone, bounds);
    }
    state.sizes = {};
    WEFT_TRY(state.state());
    return root;
}

base::Result<ResidentTree> PageFileWriter::finish(std::vector<shaders::Placement> placements,
                                                  u32 root) {
    State& state = *state_;
    state.records.close();
    state.close_page();
    if (state.node_rows + state.nodes.size() > kMostRows) {
        state.refuse(too_many_rows(state.node_rows + state.nodes.size(), "nodes"));
    }
    if (placements.size() > kMostRows) {
        state.refuse(too_many_rows(placements.size(), "placed instances"));
    }
    WEFT_TRY(state.state());
    ResidentTree resident = state.take_resident(std::move(placements), root);
    state.write_tail(resident);
    WEFT_TRY(state.output.commit());
    return resident;
}

}  // namespace weft::pages
