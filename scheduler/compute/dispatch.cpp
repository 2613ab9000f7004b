#include "scheduler/compute/dispatch.h"

#include <algorithm>

namespace weft::compute {

namespace {

// A recently busy device is likely to be busy again; full utilisation halves its expected rate.
constexpr double kBusyPenalty = 0.5;

struct Candidate {
    u32 view;
    double rate;  // expected now
};

double expected_rate(const DeviceView& view) {
    const DeviceState& state = view.state;
    const double free = static_cast<double>(state.slots - state.running) / state.slots;
    return view.rate * free * (1 - kBusyPenalty * state.utilisation);
}

bool is_drawing_gpu(const DeviceView& view) {
    return view.type == DeviceType::Gpu && view.state.is_drawing;
}

// Memory of other instances may become free; a need above the device's memory never fits.
bool fits_ever(const DeviceView& view) {
    const DeviceState& state = view.state;
    return view.missing_bytes <= state.memory_limit_bytes &&
           (state.running > 0 ||
            view.missing_bytes <= state.memory_limit_bytes - state.memory_used_bytes);
}

bool fits_now(const DeviceView& view) {
    return view.missing_bytes <=
           view.state.memory_limit_bytes -
               std::min(view.state.memory_used_bytes, view.state.memory_limit_bytes);
}

// The context's devices that do not draw; if all of them are drawing GPUs, the processors that
// stand in.
std::vector<u32> eligible_views(const std::vector<DeviceView>& views, std::string& reason) {
    std::vector<u32> own;
    std::vector<u32> standing_in;
    bool has_drawing = false;
    reason = "it has no device";
    for (u32 k = 0; k < views.size(); ++k) {
        const DeviceView& view = views[k];
        if (view.is_own && is_drawing_gpu(view)) {
            has_drawing = true;
            continue;
        }
        if (!view.state.is_attached) {
            reason = "its device was detached";
        } else if (!view.can_run) {
            reason = "its device has no executable of the kernel";
        } else if (!fits_ever(view)) {
            reason = "its device has too little memory";
        } else if (view.is_own) {
            own.push_back(k);
        } else if (view.type == DeviceType::Cpu) {
            standing_in.push_back(k);
        }
    }
    if (has_drawing && own.empty()) {
        reason = standing_in.empty() ? "its device draws, and no processor can stand in"
                                     : "its device draws, so a processor stands in";
        return standing_in;
    }
    if (!own.empty()) {
        reason = has_drawing ? "a device that draws was left out" : "";
    }
    return own;
}

// The number of fastest devices to split over, so that each share is large enough.
u32 split_count(const DispatchNeed& need, const std::vector<Candidate>& candidates) {
    double sum = 0;
    u32 count = 0;
    for (const Candidate& candidate : candidates) {
        sum += candidate.rate;
        const double share = static_cast<double>(need.items.count) * candidate.rate / sum;
        if (share < static_cast<double>(need.least_items)) {
            break;
        }
        ++count;
    }
    return std::max(count, 1U);
}

// Splits in the ratio of the rates; the first device gets the remainder.
std::vector<Share> split_items(const DispatchNeed& need, const std::vector<Candidate>& candidates) {
    double sum = 0;
    for (const Candidate& candidate : candidates) {
        sum += candidate.rate;
    }
    std::vector<u64> counts;
    u64 left = need.items.count;
    for (const Candidate& candidate : candidates) {
        const double part =
            sum > 0 ? candidate.rate / sum : 1 / static_cast<double>(candidates.size());
        counts.push_back(
            std::min(left, static_cast<u64>(static_cast<double>(need.items.count) * part)));
        left -= counts.back();
    }
    std::vector<Share> shares;
    u64 first = need.items.first;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        const u64 count = counts[k] + (k == 0 ? left : 0);
        shares.push_back({candidates[k].view, {first, count}});
        first += count;
    }
    return shares;
}

}  // namespace

Dispatch choose_devices(const DispatchNeed& need, const std::vector<DeviceView>& views) {
    Dispatch dispatch;
    if (need.takes_none) {
        dispatch.result = DispatchResult::Placed;
        dispatch.reason = "it needs no device";
        return dispatch;
    }
    const std::vector<u32> eligible = eligible_views(views, dispatch.reason);
    if (eligible.empty()) {
        return dispatch;
    }
    std::vector<Candidate> free;
    for (const u32 k : eligible) {
        if (views[k].state.running < views[k].state.slots && fits_now(views[k])) {
            free.push_back({k, expected_rate(views[k])});
        }
    }
    if (free.empty()) {
        dispatch.result = DispatchResult::Wait;
        dispatch.reason = "its devices are busy";
        return dispatch;
    }
    std::stable_sort(free.begin(), free.end(), [](const Candidate& a, const Candidate& b) {
        return a.rate > b.rate;
    });
    dispatch.result = DispatchResult::Placed;
    if (need.takes_all) {
        for (const Candidate& candidate : free) {
            dispatch.shares.push_back({candidate.view, need.items});
        }
        return dispatch;
    }
    free.resize(need.may_split ? split_count(need, free) : 1);
    dispatch.shares = split_items(need, free);
    if (dispatch.reason.empty()) {
        dispatch.reason = free.size() > 1 ? "split by the rates of its devices"
                                          : "the device that is expected to be fastest now";
    }
    return dispatch;
}

}  // namespace weft::compute
