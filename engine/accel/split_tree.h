// split_tree.h — a tree built by Embree (rtcBuildBVH): nodes with pointers, before lay_out() writes
// them into arrays.
//
// The only part of the builder that includes Embree. Runs on the TBB threads of the caller's arena;
// the finished tree belongs to one thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/accel/placing.h"
#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::accel {

// An item of a leaf. `owner` is an instance or a mesh, `index` a primitive or a placement; the
// caller decides.
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
    Box box;  // of the items' boxes

    union {
        SplitNode* child[kMaxChildren];  // of a node
        SplitItem item[kMaxLeafItems];   // of a leaf
    };
};

struct SplitConfig {
    u32 leaf_items = 4;  // 1..kMaxLeafItems
    bool is_high_quality = true;
    // Polled by the building threads; when it returns true the build ends with an error. null:
    // never
    const std::function<bool()>* maybe_should_stop = nullptr;
};

// Items and boxes for one build; Embree reorders them in place.
class SplitInput {
public:
    SplitInput();
    ~SplitInput();
    SplitInput(SplitInput&&) noexcept;
    SplitInput& operator=(SplitInput&&) noexcept;
    SplitInput(const SplitInput&) = delete;
    SplitInput& operator=(const SplitInput&) = delete;

    void resize(std::size_t count);
    // Sets one item. A box out of reach leaves the place empty: Embree would abort on it. Any
    // thread, for distinct places.
    void set(std::size_t place, const SplitItem& item, const Box& box);
    // Removes empty places. Call before build().
    void drop_empty();
    [[nodiscard]] std::size_t size() const;

private:
    friend class SplitTree;
    struct State;
    std::unique_ptr<State> state_;
};

// One tree, and the memory that Embree built it in.
class SplitTree {
public:
    // Errors name `what`. An input without items gives a tree without a root.
    static base::Result<SplitTree> build(SplitInput input,
                                         const SplitConfig& config,
                                         const std::string& what);
    SplitTree(SplitTree&&) noexcept;
    SplitTree& operator=(SplitTree&&) noexcept;
    SplitTree(const SplitTree&) = delete;
    SplitTree& operator=(const SplitTree&) = delete;
    ~SplitTree();

    // nullptr: the tree is empty.
    [[nodiscard]] const SplitNode* maybe_root() const;

private:
    struct State;
    explicit SplitTree(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace weft::accel
