#include "engine/trace/alias_table.h"

#include <algorithm>
#include <cmath>

namespace weft::trace {

namespace {

constexpr u32 kGrid = 1u << 24;  // values that the second number can have

double usable(double weight) {
    return std::isfinite(weight) && weight > 0 ? weight : 0;
}

// Entry that the value m of `numbers` draws, in the float arithmetic of the kernels.
u64 entry_of(u32 m, u32 numbers, u64 count) {
    const float u = static_cast<float>(m) / static_cast<float>(numbers);
    const auto entry = static_cast<u64>(std::floor(u * static_cast<float>(count)));
    return std::min(entry, count - 1);
}

// Smallest value whose entry is at least `entry`; `numbers` where there is none.
u32 first_of(u64 entry, u32 numbers, u64 count) {
    // The exact boundary is entry · numbers / count; float rounding moves it by a value or two.
    u64 m = std::min<u64>(entry * numbers / count, numbers);
    while (m > 0 && entry_of(static_cast<u32>(m - 1), numbers, count) >= entry) {
        --m;
    }
    while (m < numbers && entry_of(static_cast<u32>(m), numbers, count) < entry) {
        ++m;
    }
    return static_cast<u32>(m);
}

// Sweeps two cursors over the weights, one over light entries (at most the mean) and one over heavy
// ones. Each light entry is filled up from the present heavy one; a heavy entry whose rest drops to
// the mean is filled up from the next.
void fill(std::span<const double> weights, double mean, AliasTable& table) {
    const std::size_t n = weights.size();
    const auto is_light = [&](std::size_t i) { return usable(weights[i]) <= mean; };
    // Find the first light and the first heavy entry.
    std::size_t light = 0;
    std::size_t heavy = 0;
    while (light < n && !is_light(light)) {
        ++light;
    }
    while (heavy < n && is_light(heavy)) {
        ++heavy;
    }
    // If rounding leaves light entries without a heavy one, they take the last heavy one.
    std::size_t giver = heavy;
    double left = heavy < n ? usable(weights[heavy]) : 0;
    const auto set = [&](std::size_t i, double weight, std::size_t alias) {
        const double steps = std::ceil(std::clamp(weight / mean, 0.0, 1.0) * kGrid);
        table.threshold[i] = static_cast<float>(steps) * 0x1p-24f;
        table.alias[i] = static_cast<u32>(alias);
    };
    // Fill light entries from the heavy one while it has more than the mean left.
    while (heavy < n) {
        if (left > mean && light < n) {
            set(light, usable(weights[light]), heavy);
            left -= mean - usable(weights[light]);
            do {
                ++light;
            } while (light < n && !is_light(light));
        } else {
            giver = heavy;
            do {
                ++heavy;
            } while (heavy < n && is_light(heavy));
            set(giver, heavy < n ? left : mean, heavy < n ? heavy : giver);
            left += heavy < n ? usable(weights[heavy]) - mean : 0;
        }
    }
    while (light < n) {
        set(light, usable(weights[light]), giver < n ? giver : light);
        do {
            ++light;
        } while (light < n && !is_light(light));
    }
}

// Counts the table's probabilities over the values of both numbers.
void count_pdf(u32 numbers, AliasTable& table) {
    const u64 n = table.threshold.size();
    u32 first = 0;
    for (u64 i = 0; i < n; ++i) {
        const u32 next = i + 1 < n ? first_of(i + 1, numbers, n) : numbers;
        const double share = static_cast<double>(next - first) / numbers;
        const auto stay = static_cast<double>(table.threshold[i]);
        table.pdf[i] += share * stay;
        table.pdf[table.alias[i]] += share * (1 - stay);
        first = next;
    }
}

}  // namespace

AliasTable make_alias_table(std::span<const double> weights, u32 numbers) {
    AliasTable table;
    table.threshold.assign(weights.size(), 0.0f);
    table.alias.assign(weights.size(), 0u);
    table.pdf.assign(weights.size(), 0.0);
    double total = 0;
    for (const double weight : weights) {
        total += usable(weight);
    }
    if (total > 0 && std::isfinite(total)) {
        fill(weights, total / static_cast<double>(weights.size()), table);
        count_pdf(numbers, table);
    }
    return table;
}

}  // namespace weft::trace
