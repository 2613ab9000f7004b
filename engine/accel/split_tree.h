// split_tree.h — one tree as Embree's builder leaves it: nodes with pointers, before they are laid
// out.
//
// The wrapper of rtcBuildBVH: the only file of the builder that sees Embree. Runs on the TBB
// threads of the caller's arena; a tree belongs to one thread afterwards.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/accel/placing.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::accel {

// What a leaf is made of. `owner` is an instance or a mesh, `index` a primitive; the caller says
// which.
struct SplitItem {
    u32 owner;
    u32 index;
};

inline constexpr u32 kMaxLeafItems = 4;
inline constexpr u32 kMaxChildren = 8;

// A node (child_count > 0) or a leaf (item_count > 0), with sums over its subtree.
struct SplitNode {
    u32 child_count;
    u32 item_count;
    u32 levels;      // of nodes; 0 for a leaf
    u64 node_count;  // itself included
    u64 leaf_count;
    SplitNode* child[kMaxChildren];
    SplitItem item[kMaxLeafItems];
};

struct SplitConfig {
    u32 leaf_items = 4;  // 1..kMaxLeafItems
    bool is_high_quality = true;
    // Asked by any of the building threads; once true the build ends with an error. null: never
    const std::function<bool()>* maybe_should_stop = nullptr;
};

// Items with their boxes, in memory that Embree may reorder.
class SplitInput {
public:
    SplitInput();
    ~SplitInput();
    SplitInput(SplitInput&&) noexcept;
    SplitInput& operator=(SplitInput&&) noexcept;
    SplitInput(const SplitInput&) = delete;
    SplitInput& operator=(const SplitInput&) = delete;

    void resize(std::size_t count);
    // A box out of reach, which would end the program in Embree, leaves its place empty. Distinct
    // places: any thread.
    void set(std::size_t place, const SplitItem& item, const Box& box);
    // Drops the places that are empty; before a build.
    void drop_empty();
    [[nodiscard]] std::size_t size() const;

private:
    friend class SplitTree;
    struct State;
    std::unique_ptr<State> state_;
};

// Owns the memory that Embree built one tree in.
class SplitTree {
public:
    // The sentence of an error names `what`. An input without items gives a tree without root.
    static base::Result<SplitTree> build(SplitInput input,
                                         const SplitConfig& config,
                                         const std::string& what);
    SplitTree(SplitTree&&) noexcept;
    SplitTree& operator=(SplitTree&&) noexcept;
    SplitTree(const SplitTree&) = delete;
    SplitTree& operator=(const SplitTree&) = delete;
    ~SplitTree();

    // nullptr: nothing in it.
    [[nodiscard]] const SplitNode* maybe_root() const;

private:
    struct State;
    explicit SplitTree(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace weft::accel
