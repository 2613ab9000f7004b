// sample_tree.h — trees of any size for tests of pages, folders for their files, and a reader that
// loads all pages of a file at once.
#pragma once

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "engine/pages/page_file.h"

namespace weft::pages::testing {

// A folder of its own that disappears.
class TestFolder {
public:
    TestFolder();
    ~TestFolder();
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }

    // Of the files in it.
    [[nodiscard]] u64 file_count() const;

private:
    std::filesystem::path path_;
};

// A tree of random shape, depth first. Block k of a walk has primitive[0] == first_block + k.
struct SampleTree {
    std::vector<shaders::BvhNode> nodes;
    std::vector<shaders::LeafBlock> blocks;
    u32 root = shaders::kRefEmpty;

    [[nodiscard]] BuiltTree view() const { return {nodes.data(), blocks.data(), root}; }
};

SampleTree make_tree(u32 block_count, u32 seed, u32 first_block = 0);

// The arrays of a page file with every page in its rows.
struct LoadedTree {
    ResidentTree resident;
    std::vector<shaders::BvhNode> nodes;
    std::vector<shaders::LeafBlock> blocks;

    // primitive[0] of every block below the reference, depth first, through page roots. Instances
    // count as 1'000'000 + placement.
    [[nodiscard]] std::vector<u32> blocks_below(u32 ref) const;
    // Whether every page root has the box of the child that leads to it.
    [[nodiscard]] bool has_right_boxes() const;

private:
    void walk(u32 ref, std::vector<u32>& found) const;
};

LoadedTree load(const std::string& path, ResidentTree resident);

// 0, 1, … count − 1, from `first` on.
std::vector<u32> counted(u32 count, u32 first = 0);

// Writes one tree into one file; page_bytes as given.
ResidentTree write_file(const std::string& path, const SampleTree& tree, u64 page_bytes);

inline constexpr const char* kFingerprint = "sample";

}  // namespace weft::pages::testing
