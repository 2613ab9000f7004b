#include "tests/engine/pages/sample_tree.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>

#include <doctest/doctest.h>

#include "shaders/traverse/decoded_node.h"

namespace weft::pages::testing {

namespace {

// Boxes grow with the numbers of the blocks inside: block k lies between k and k + 1.
class TreeMaker {
public:
    TreeMaker(SampleTree& tree, u32 seed, u32 first_block)
        : tree_(tree), random_(seed), next_block_(first_block) {}

    u32 make(u32 block_count) { return block_count == 1 ? make_block() : make_node(block_count); }

private:
    u32 make_block() {
        shaders::LeafBlock block{};
        for (u32 triangle = 0; triangle < 4; ++triangle) {
            for (u32 corner = 0; corner < 3; ++corner) {
                for (u32 axis = 0; axis < 3; ++axis) {
                    block.vertex[corner][axis][triangle] =
                        static_cast<float>(next_block_) + 0.5F * static_cast<float>(corner);
                }
            }
            block.primitive[triangle] = next_block_;
            block.instance[triangle] = kNone;
        }
        block.flags = 0xf00;
        ++next_block_;
        tree_.blocks.push_back(block);
        return shaders::kRefLeaf | static_cast<u32>(tree_.blocks.size() - 1);
    }

    u32 make_node(u32 block_count) {
        const u64 row = tree_.nodes.size();
        tree_.nodes.emplace_back();
        shaders::BvhNode node{};
        u32 left = block_count;
        for (u32 k = 0; k < 8; ++k) {
            const u32 most = std::max(1U, left / (8 - k) * 2);
            const u32 want = k == 7 ? left : 1 + static_cast<u32>(random_() % most);
            // A node with one child alone would have as many blocks as its parent.
            const u32 count = std::min({want, left, block_count - 1});
            const auto low = static_cast<float>(next_block_);
            node.child[k] = count == 0 ? shaders::kRefEmpty : make(count);
            for (auto& axis : node.bounds) {
                axis[0][k] = count == 0 ? std::numeric_limits<float>::infinity() : low;
                axis[1][k] = count == 0 ? -std::numeric_limits<float>::infinity()
                                        : static_cast<float>(next_block_);
            }
            left -= count;
        }
        shaders::order_children(node);
        tree_.nodes[row] = node;
        return static_cast<u32>(row);
    }

    SampleTree& tree_;
    std::mt19937 random_;
    u32 next_block_;
};

template <typename Row>
void copy_rows(const char* from, u32 count, std::vector<Row>& to, u32 first) {
    if (count > 0) {
        std::memcpy(to.data() + first, from, count * sizeof(Row));
    }
}

}  // namespace

TestFolder::TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-pages-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

u64 TestFolder::file_count() const {
    const std::filesystem::directory_iterator files(path_);
    return static_cast<u64>(std::distance(begin(files), end(files)));
}

SampleTree make_tree(u32 block_count, u32 seed, u32 first_block) {
    SampleTree tree;
    if (block_count > 0) {
        tree.root = TreeMaker(tree, seed, first_block).make(block_count);
    }
    return tree;
}

std::vector<u32> LoadedTree::blocks_below(u32 ref) const {
    std::vector<u32> found;
    walk(ref, found);
    return found;
}

void LoadedTree::walk(u32 ref, std::vector<u32>& found) const {
    if (ref == shaders::kRefEmpty) {
        return;
    }
    const u32 index = ref & shaders::kRefIndex;
    switch (ref & shaders::kRefKind) {
        case shaders::kRefNode:
            for (const u32 child : nodes.at(index).child) {
                walk(child, found);
            }
            break;
        case shaders::kRefLeaf:
            found.push_back(blocks.at(index).primitive[0]);
            break;
        case shaders::kRefInstance:
            found.push_back(1'000'000 + index);
            break;
        default:
            walk(resident.roots.at(index).ref, found);
    }
}

bool LoadedTree::has_right_boxes() const {
    return std::all_of(
        resident.roots.begin(), resident.roots.end(), [&](const shaders::PageRoot& root) {
            const std::vector<u32> below = blocks_below(root.ref);
            // A box of a child ends where the next block begins, one of vertices at corner 2.
            return std::all_of(
                std::begin(root.bounds), std::end(root.bounds), [&](const auto& axis) {
                    return axis[0] == static_cast<float>(below.front()) &&
                           axis[1] == static_cast<float>(below.back()) + 1;
                });
        });
}

LoadedTree load(const std::string& path, ResidentTree resident) {
    LoadedTree tree{std::move(resident), {}, {}};
    tree.nodes.resize(tree.resident.page_node_rows);
    tree.blocks.resize(tree.resident.page_block_rows);
    std::ifstream file(path, std::ios::binary);
    for (const PageEntry& page : tree.resident.pages) {
        std::vector<char> bytes(page.size_bytes());
        file.seekg(static_cast<std::streamoff>(page.file_offset));
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        REQUIRE(file.good());
        REQUIRE(page_checksum(bytes.data(), bytes.size()) == page.checksum);
        copy_rows(bytes.data(), page.node_count, tree.nodes, page.first_node);
        copy_rows(
            bytes.data() + page.node_bytes(), page.block_count, tree.blocks, page.first_block);
        REQUIRE(check_page(page, tree.nodes.data() + page.first_node));
    }
    tree.nodes.insert(tree.nodes.end(), tree.resident.nodes.begin(), tree.resident.nodes.end());
    return tree;
}

std::vector<u32> counted(u32 count, u32 first) {
    std::vector<u32> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

ResidentTree write_file(const std::string& path, const SampleTree& tree, u64 page_bytes) {
    auto writer = PageFileWriter::create({path, kFingerprint, page_bytes});
    REQUIRE(writer.is_ok());
    const base::Result<u32> root = writer.value()->append(tree.view());
    REQUIRE(root.is_ok());
    base::Result<ResidentTree> resident = writer.value()->finish({}, root.value());
    REQUIRE(resident.is_ok());
    return std::move(resident.value());
}

}  // namespace weft::pages::testing
