#include "scheduler/unit/share_plan.h"

#include <algorithm>
#include <cmath>

namespace weft::unit {

namespace {

// Largest double below which every value converts to u64.
constexpr double kMostWork = 9e18;

u64 as_work(double work) {
    return static_cast<u64>(std::clamp(work, 1.0, kMostWork));
}

}  // namespace

void set_ratios(std::span<UnitOffer> offers) {
    double measured = 0;
    u32 measured_count = 0;
    for (const UnitOffer& offer : offers) {
        measured += offer.throughput;
        measured_count += offer.throughput > 0 ? 1u : 0u;
    }
    const double mean = measured_count > 0 ? measured / measured_count : 1;
    const double sum =
        measured + mean * static_cast<double>(offers.size() - std::size_t{measured_count});
    for (UnitOffer& offer : offers) {
        offer.ratio = (offer.throughput > 0 ? offer.throughput : mean) / sum;
    }
}

SharePlan plan_share(std::span<const UnitOffer> offers) {
    double target = 1;
    double most = kMostWork;
    for (const UnitOffer& offer : offers) {
        target = std::max(target, static_cast<double>(offer.target_work) / offer.ratio);
        most = std::min(most, static_cast<double>(offer.most_work) / offer.ratio);
    }
    return {as_work(std::min(target, most)), as_work(most)};
}

std::size_t choose_offers(std::span<UnitOffer> offers, u64 size) {
    set_ratios(offers);
    std::stable_sort(offers.begin(), offers.end(), [](const UnitOffer& a, const UnitOffer& b) {
        return a.ratio > b.ratio;
    });
    std::size_t count = offers.size();
    while (count > 1) {
        const auto chosen = offers.first(count);
        set_ratios(chosen);
        const bool is_worth =
            std::all_of(chosen.begin(), chosen.end(), [&](const UnitOffer& offer) {
                return static_cast<double>(size) * offer.ratio >=
                       static_cast<double>(offer.least_work);
            });
        if (is_worth) {
            return count;
        }
        --count;
    }
    set_ratios(offers.first(1));
    return 1;
}

}  // namespace weft::unit
