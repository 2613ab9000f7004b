#include "engine/pages/page_lives.h"

#include <algorithm>

namespace weft::pages {

using shaders::PageState;

// All atomic operations here are seq_cst: ask() and pass() each write one of phase and state, then
// read the other.

PageLives::PageLives(const std::vector<PageEntry>& pages, u32 reader_count)
    : pages_(pages),
      states_(std::make_unique<std::atomic<PageState>[]>(pages.size() + 1)),
      phases_(std::make_unique<std::atomic<Phase>[]>(pages.size() + 1)),
      epochs_(reader_count) {}

Phase PageLives::ask(u32 page) {
    std::atomic<Phase>& phase = phases_[page];
    while (true) {
        Phase found = phase.load();
        if (found == Phase::Passed && phase.compare_exchange_strong(found, Phase::Promised)) {
            found = Phase::Promised;
        }
        if (found == Phase::Passed) {
            continue;
        }
        if (found != Phase::Promised) {
            return found;
        }
        // Whoever entered it before does not count.
        PageState entered = PageState::Used;
        if (states_[page].load() == PageState::Used) {
            states_[page].compare_exchange_strong(entered, PageState::Fresh);
        }
        // The hand may have passed meanwhile, because of the entry before.
        if (phase.load() == Phase::Promised) {
            return Phase::Promised;
        }
    }
}

void PageLives::start(u32 page) {
    phases_[page].store(Phase::Coming);
    coming_.push_back(page);
}

void PageLives::publish(u32 page) {
    std::erase(coming_, page);
    near_.push_back(page);
    const bool is_asked = std::erase(unasked_, page) == 0;
    // Seq_cst, thus release: pairs with the load in kernels, which then see the page's rows.
    states_[page].store(PageState::Fresh);
    phases_[page].store(is_asked ? Phase::Promised : Phase::Passed);
}

void PageLives::abandon(u32 page) {
    std::erase(coming_, page);
    std::erase(unasked_, page);
    phases_[page].store(Phase::Far);
}

void PageLives::restore(u32 page) {
    const auto found = std::find_if(
        leaving_.begin(), leaving_.end(), [&](const LeavingPage& one) { return one.page == page; });
    leaving_bytes_ -= pages_[page].size_bytes();
    leaving_.erase(found);
    near_.push_back(page);
    states_[page].store(PageState::Fresh);
    phases_[page].store(Phase::Promised);
}

bool PageLives::pass(u32 page) {
    std::atomic<Phase>& phase = phases_[page];
    std::atomic<PageState>& state = states_[page];
    PageState entered = PageState::Used;
    if (phase.load() == Phase::Promised) {
        if (state.load() == PageState::Used) {
            phase.store(Phase::Passed);
            if (!state.compare_exchange_strong(entered, PageState::Fresh)) {
                // Another thread has entered it, or ask() has promised it again.
                phase.store(Phase::Promised);
            }
        }
        return false;
    }
    if (state.compare_exchange_strong(entered, PageState::Fresh)) {
        return false;  // entered since the hand passed
    }
    Phase passed = Phase::Passed;
    if (!phase.compare_exchange_strong(passed, Phase::Leaving)) {
        return false;  // asked for since
    }
    // From here on no reader enters the page; those that have are waited for.
    state.store(PageState::Far);
    leaving_.push_back({page, epochs_.begin_epoch()});
    leaving_bytes_ += pages_[page].size_bytes();
    return true;
}

bool PageLives::retire_one() {
    // Two turns: the first passes, the second finds what was not entered.
    for (u64 left = 2 * near_.size(); left > 0; --left) {
        hand_ = hand_ < near_.size() ? hand_ : 0;
        if (pass(near_[hand_])) {
            near_[hand_] = near_.back();
            near_.pop_back();
            return true;
        }
        ++hand_;
    }
    return false;
}

std::optional<u32> PageLives::take_left() {
    if (leaving_.empty() || epochs_.oldest_inside() < leaving_.front().epoch) {
        return std::nullopt;
    }
    const u32 page = leaving_.front().page;
    leaving_.pop_front();
    leaving_bytes_ -= pages_[page].size_bytes();
    phases_[page].store(Phase::Far);
    return page;
}

void PageLives::end_promises() {
    unasked_ = coming_;
    for (const u32 page : near_) {
        Phase promised = Phase::Promised;
        phases_[page].compare_exchange_strong(promised, Phase::Passed);
    }
}

}  // namespace weft::pages
