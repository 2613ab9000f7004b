#include "engine/trace/page_desk.h"

#include <algorithm>

namespace weft::trace {

namespace {

constexpr u32 kLost = 1U << 31;

u32 bit_of(PageUser user) {
    return 1U << static_cast<u32>(user);
}

}  // namespace

PageDesk::PageDesk(pages::PageStore& store, u32 cluster_count)
    : store_(store),
      reader_(store.join()),
      cluster_count_(cluster_count),
      full_(std::make_unique<std::atomic<u32>[]>(cluster_count)) {}

PageDesk::~PageDesk() {
    store_.part(reader_);
}

pages::Fetch PageDesk::fetch(PageUser user, u32 page) {
    const std::lock_guard lock(mutex_);
    const pages::Fetch answer = store_.fetch(reader_, page);
    if (answer == pages::Fetch::Refused) {
        return answer;
    }
    const auto place = std::find_if(
        asked_.begin(), asked_.end(), [&](const Asked& one) { return one.page == page; });
    if (place == asked_.end()) {
        asked_.push_back({page, bit_of(user)});
    } else {
        place->users |= bit_of(user);
    }
    return answer;
}

void PageDesk::leaves(PageUser user, u32 page, std::span<const u32> clusters) {
    const std::lock_guard lock(mutex_);
    for (const u32 cluster : clusters) {
        slices_.push_back({page, cluster, user});
    }
    for (Asked& one : asked_) {
        one.users &= one.page == page ? ~bit_of(user) : ~0U;
    }
    std::erase_if(asked_, [](const Asked& one) { return one.users == 0; });
    end_idle_walk(page);
}

void PageDesk::end_slice(PageUser user, u32 page, u32 cluster) {
    const std::lock_guard lock(mutex_);
    const auto place = std::find_if(slices_.begin(), slices_.end(), [&](const Slice& slice) {
        return slice.page == page && slice.cluster == cluster && slice.user == user;
    });
    // A lost cluster may come back.
    if (place != slices_.end()) {
        slices_.erase(place);
        end_idle_walk(page);
    }
}

void PageDesk::forget(u32 cluster) {
    full_[cluster].fetch_or(kLost, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    for (std::size_t k = slices_.size(); k-- > 0;) {
        if (slices_[k].cluster == cluster) {
            const u32 page = slices_[k].page;
            slices_.erase(slices_.begin() + static_cast<std::ptrdiff_t>(k));
            end_idle_walk(page);
        }
    }
}

void PageDesk::set_room(PageUser user, u32 cluster, bool has_room) {
    if (has_room) {
        full_[cluster].fetch_and(~bit_of(user), std::memory_order_relaxed);
    } else {
        full_[cluster].fetch_or(bit_of(user), std::memory_order_relaxed);
    }
}

bool PageDesk::has_room(PageUser user) const {
    for (u32 cluster = 0; cluster < cluster_count_; ++cluster) {
        const u32 full = full_[cluster].load(std::memory_order_relaxed);
        if ((full & kLost) == 0 && (full & bit_of(user)) != 0) {
            return false;
        }
    }
    return true;
}

void PageDesk::rest() {
    const std::lock_guard lock(mutex_);
    asked_.clear();
    slices_.clear();
    store_.end_walks(reader_);
}

// With the lock held.
void PageDesk::end_idle_walk(u32 page) {
    const auto is_of_page = [page](const auto& one) { return one.page == page; };
    if (std::none_of(asked_.begin(), asked_.end(), is_of_page) &&
        std::none_of(slices_.begin(), slices_.end(), is_of_page)) {
        store_.end_walk(reader_, page);
    }
}

}  // namespace weft::trace
