#include "engine/pages/page_lives.h"

#include <algorithm>

namespace weft::pages {

using shaders::PageState;

// All atomic operations here are seq_cst: closing a page writes its state and then looks for
// readers inside, while a reader notes that it is inside and then reads the state.

PageLives::PageLives(u64 page_count, u32 reader_count, Eviction eviction)
    : states_(std::make_unique<std::atomic<PageState>[]>(page_count + 1)),
      walks_(page_count),
      phases_(page_count),
      turns_(page_count),
      eviction_(eviction),
      used_at_(eviction == Eviction::LeastRecent ? page_count : 0),
      epochs_(reader_count) {}

void PageLives::start(u32 page) {
    note_uses();
    phases_[page] = Phase::Coming;
}

void PageLives::publish(u32 page) {
    near_.push_back(page);
    phases_[page] = Phase::Near;
    if (eviction_ == Eviction::LeastRecent) {
        used_at_[page] = time_;
    }
    // Seq_cst, thus release: pairs with the load in kernels, which then see the page's rows.
    states_[page].store(PageState::Fresh);
}

void PageLives::abandon(u32 page) {
    phases_[page] = Phase::Far;
}

bool PageLives::begin_walk(u32 page) {
    // For the hand, whoever entered it before does not count.
    note_use(page);
    return walks_[page]++ == 0;
}

bool PageLives::end_walk(u32 page) {
    return --walks_[page] == 0;
}

// Whether the hand finds that nobody waits for the page or has entered it since the last turn.
bool PageLives::may_leave(u32 page) {
    PageState entered = PageState::Used;
    return walks_[page] == 0 && !states_[page].compare_exchange_strong(entered, PageState::Fresh);
}

// Makes a Used page Fresh again, and notes when it was used.
void PageLives::note_use(u32 page) {
    PageState entered = states_[page].load();
    const bool was_used = entered == PageState::Used &&
                          states_[page].compare_exchange_strong(entered, PageState::Fresh);
    if (was_used && eviction_ == Eviction::LeastRecent) {
        used_at_[page] = time_;
    }
}

// Of all pages: those that were used since the last time have the same time.
void PageLives::note_uses() {
    if (eviction_ == Eviction::LeastRecent) {
        ++time_;
        for (const u32 page : near_) {
            note_use(page);
        }
    }
}

// The place in near_ where the hand finds a page that may leave.
std::optional<u64> PageLives::next_by_clock() {
    // Two turns: the first passes, the second finds what was not entered.
    for (u64 left = 2 * near_.size(); left > 0; --left, ++hand_) {
        hand_ = hand_ < near_.size() ? hand_ : 0;
        if (may_leave(near_[hand_])) {
            return hand_;
        }
    }
    return std::nullopt;
}

// The place in near_ of the page without a walk that was used longest ago.
std::optional<u64> PageLives::least_recent() {
    note_uses();
    std::optional<u64> least;
    for (u64 k = 0; k < near_.size(); ++k) {
        const u32 page = near_[k];
        if (walks_[page] == 0 && (!least || used_at_[page] < used_at_[near_[*least]])) {
            least = k;
        }
    }
    return least;
}

std::optional<u32> PageLives::close_one() {
    const std::optional<u64> place =
        eviction_ == Eviction::Clock ? next_by_clock() : least_recent();
    if (!place) {
        return std::nullopt;
    }
    const u32 page = near_[*place];
    near_[*place] = near_.back();
    near_.pop_back();
    phases_[page] = Phase::Leaving;
    ++turns_[page];
    // From here on no reader enters the page; those that have are waited for.
    states_[page].store(PageState::Far);
    return page;
}

void PageLives::wait_for_readers(u32 page, task::EventId left) {
    leaving_.push_back({page, epochs_.begin_epoch(), left});
    waiting_count_.fetch_add(1);
}

std::optional<LeavingPage> PageLives::take_left() {
    if (leaving_.empty() || epochs_.oldest_inside() < leaving_.front().epoch) {
        return std::nullopt;
    }
    const LeavingPage first = leaving_.front();
    leaving_.pop_front();
    waiting_count_.fetch_sub(1);
    return first;
}

std::optional<task::EventId> PageLives::restore(u32 page) {
    near_.push_back(page);
    phases_[page] = Phase::Near;
    states_[page].store(PageState::Fresh);
    const auto found = std::find_if(
        leaving_.begin(), leaving_.end(), [&](const LeavingPage& one) { return one.page == page; });
    if (found == leaving_.end()) {
        return std::nullopt;
    }
    const task::EventId left = found->left;
    leaving_.erase(found);
    waiting_count_.fetch_sub(1);
    return left;
}

bool PageLives::begin_evict(u32 page, u32 turn) {
    if (phases_[page] != Phase::Leaving || turns_[page] != turn) {
        return false;
    }
    phases_[page] = Phase::Far;
    return true;
}

}  // namespace weft::pages
