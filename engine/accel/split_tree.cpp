#include "engine/accel/split_tree.h"

#include <algorithm>
#include <new>

#include <embree3/rtcore.h>

namespace weft::accel {

namespace {

// Eight levels above this depth Embree stops optimising splits and halves the items.
constexpr u32 kMaxDepth = 24;

void* create_node(RTCThreadLocalAllocator allocator, unsigned int child_count, void* /*context*/) {
    void* memory = rtcThreadLocalAlloc(allocator, sizeof(SplitNode), 16);
    auto* node = new (memory) SplitNode{};
    node->child_count = child_count;
    return node;
}

// Children are complete when Embree sets them, so counts and boxes accumulate bottom-up.
void set_children(void* memory, void** children, unsigned int child_count, void* /*context*/) {
    auto* node = static_cast<SplitNode*>(memory);
    node->node_count = 1;
    for (u32 c = 0; c < child_count; ++c) {
        node->child[c] = static_cast<SplitNode*>(children[c]);
        node->node_count += node->child[c]->node_count;
        node->leaf_count += node->child[c]->leaf_count;
        node->box.include(node->child[c]->box);
        node->levels = std::max(node->levels, node->child[c]->levels + 1);
    }
}

// Ignored: nodes add up the boxes of their children.
void set_bounds(void* /*node*/,
                const RTCBounds** /*bounds*/,
                unsigned int /*child_count*/,
                void* /*context*/) {}

void* create_leaf(RTCThreadLocalAllocator allocator,
                  const RTCBuildPrimitive* primitives,
                  std::size_t count,
                  void* /*context*/) {
    void* memory = rtcThreadLocalAlloc(allocator, sizeof(SplitNode), 16);
    auto* leaf = new (memory) SplitNode{};
    leaf->item_count = static_cast<u32>(count);
    leaf->leaf_count = 1;
    for (std::size_t k = 0; k < count; ++k) {
        const RTCBuildPrimitive& item = primitives[k];
        leaf->item[k] = {item.geomID, item.primID};
        leaf->box.include(Box{{item.lower_x, item.lower_y, item.lower_z},
                              {item.upper_x, item.upper_y, item.upper_z}});
    }
    return leaf;
}

// Returns false to make Embree cancel the build.
bool goes_on(void* should_stop, double /*share*/) {
    return !(*static_cast<const std::function<bool()>*>(should_stop))();
}

base::Error build_error(RTCError code, const std::string& what) {
    if (code == RTC_ERROR_CANCELLED) {
        return {base::ErrorKind::Render, "building the tree of " + what + " was stopped"};
    }
    if (code == RTC_ERROR_OUT_OF_MEMORY) {
        return {base::ErrorKind::TooLarge, "building the tree of " + what + " ran out of memory"};
    }
    return {base::ErrorKind::Scene,
            "building the tree of " + what + " failed: Embree's error " +
                std::to_string(static_cast<int>(code)) + ", expected none"};
}

}  // namespace

struct SplitInput::State {
    std::vector<RTCBuildPrimitive> primitives;
};

SplitInput::SplitInput() : state_(std::make_unique<State>()) {}

SplitInput::~SplitInput() = default;
SplitInput::SplitInput(SplitInput&&) noexcept = default;
SplitInput& SplitInput::operator=(SplitInput&&) noexcept = default;

void SplitInput::resize(std::size_t count) {
    RTCBuildPrimitive empty{};
    empty.geomID = kNone;
    state_->primitives.resize(count, empty);
}

void SplitInput::set(std::size_t place, const SplitItem& item, const Box& box) {
    if (!is_in_reach(box)) {
        return;
    }
    state_->primitives[place] = {box.low[0],
                                 box.low[1],
                                 box.low[2],
                                 item.owner,
                                 box.high[0],
                                 box.high[1],
                                 box.high[2],
                                 item.index};
}

void SplitInput::drop_empty() {
    std::erase_if(state_->primitives, [](const RTCBuildPrimitive& p) { return p.geomID == kNone; });
}

std::size_t SplitInput::size() const {
    return state_->primitives.size();
}

struct SplitTree::State {
    RTCDevice device = nullptr;
    RTCBVH bvh = nullptr;
    const SplitNode* root = nullptr;

    ~State() {
        if (bvh) {
            rtcReleaseBVH(bvh);
        }
        if (device) {
            rtcReleaseDevice(device);
        }
    }
};

SplitTree::SplitTree(std::unique_ptr<State> state) : state_(std::move(state)) {}

SplitTree::SplitTree(SplitTree&&) noexcept = default;
SplitTree& SplitTree::operator=(SplitTree&&) noexcept = default;
SplitTree::~SplitTree() = default;

const SplitNode* SplitTree::maybe_root() const {
    return state_->root;
}

base::Result<SplitTree> SplitTree::build(SplitInput input,
                                         const SplitConfig& config,
                                         const std::string& what) {
    auto state = std::make_unique<State>();
    std::vector<RTCBuildPrimitive>& primitives = input.state_->primitives;
    if (primitives.empty()) {
        return SplitTree(std::move(state));
    }
    state->device = rtcNewDevice(nullptr);
    if (!state->device) {
        return build_error(rtcGetDeviceError(nullptr), what);
    }
    state->bvh = rtcNewBVH(state->device);
    // Set the arguments of the build and its callbacks.
    RTCBuildArguments arguments = rtcDefaultBuildArguments();
    arguments.buildQuality =
        config.is_high_quality ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_LOW;
    arguments.maxBranchingFactor = kMaxChildren;
    arguments.maxDepth = kMaxDepth;
    // Full leaves: items that fit into one block form a leaf, and the SAH counts whole blocks.
    arguments.sahBlockSize = config.leaf_items;
    arguments.minLeafSize = config.leaf_items;
    arguments.maxLeafSize = config.leaf_items;
    arguments.bvh = state->bvh;
    arguments.primitives = primitives.data();
    arguments.primitiveCount = primitives.size();
    arguments.primitiveArrayCapacity = primitives.size();
    arguments.createNode = create_node;
    arguments.setNodeChildren = set_children;
    arguments.setNodeBounds = set_bounds;
    arguments.createLeaf = create_leaf;
    std::function<bool()> should_stop;
    if (config.maybe_should_stop && *config.maybe_should_stop) {
        should_stop = *config.maybe_should_stop;
        arguments.buildProgress = goes_on;
        arguments.userPtr = &should_stop;
    }
    state->root = static_cast<const SplitNode*>(rtcBuildBVH(&arguments));
    if (!state->root) {
        return build_error(rtcGetDeviceError(state->device), what);
    }
    return SplitTree(std::move(state));
}

}  // namespace weft::accel
