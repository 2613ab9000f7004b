#include "engine/trace/local_tree.h"

#include <algorithm>
#include <cstring>

namespace weft::trace {

namespace {

// What an entry of the cache needs beside the placement itself.
constexpr u64 kTagBytes = 16;

}  // namespace

LocalTree::LocalTree(const TreeletView& far)
    : far_(far),
      placements_(kPlacements * (sizeof(shaders::Placement) + kTagBytes),
                  sizeof(shaders::Placement)),
      spare_(most_bytes(far)) {}

u32 most_bytes(const TreeletView& far) {
    return far.pages ? std::max(far.most_bytes, far.pages->most_bytes()) : far.most_bytes;
}

// The emulated bus: beside PageTreelets::copy() the only place where the tree of a device is read.
void LocalTree::copy(void* to, const void* from, u64 bytes) {
    std::memcpy(to, from, bytes);
    ++counted_.transfers;
    counted_.bytes += bytes;
}

TreeletParts LocalTree::bring(u32 treelet) {
    if (const void* const found = cache_->find(treelet)) {
        return parts_of(static_cast<const std::byte*>(found));
    }
    void* const entry = cache_->insert(treelet);
    auto* const image = entry ? static_cast<std::byte*>(entry) : spare_.data();
    fill(treelet, image);
    return parts_of(image);
}

void LocalTree::fill(u32 treelet, std::byte* image) {
    if (treelet < far_.count) {
        copy(image, far_.images + far_.places[treelet], far_.size_of(treelet));
    } else if (!far_.pages->copy(treelet - far_.count, far_, image, counted_)) {
        TreeletHeader empty;
        empty.root = shaders::kRefEmpty;
        std::memcpy(image, &empty, sizeof(empty));
    }
}

TreeletParts LocalTree::at(u32 treelet) {
    const void* const held = cache_->peek(treelet);
    return held ? parts_of(static_cast<const std::byte*>(held)) : bring(treelet);
}

const shaders::Placement* LocalTree::bring_placement(u32 index) {
    if (const void* const found = placements_.find(index)) {
        return static_cast<const shaders::Placement*>(found);
    }
    void* const entry = placements_.insert(index);
    auto* const placement = entry ? static_cast<shaders::Placement*>(entry) : &spare_placement_;
    copy(placement, far_.placements + index, sizeof(*placement));
    return placement;
}

}  // namespace weft::trace
