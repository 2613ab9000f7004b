// bench_fibre.cpp — what the scheduler itself costs: nanoseconds per fibre and per packet, with
// routines that do nothing.
//
// By processor time. Three loads: one key (the cheapest), many keys in the definition memory, and
// re-keyed lists halved until they are small. Then lookups in a cluster's cache that hit, as if
// texels were read out of decoded tiles. Prints one JSON line each with the fastest, median and
// slowest of the repeats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/software_cache.h"

namespace {

using weft::u32;
using weft::u64;
using namespace weft::fibre;

constexpr u32 kElements = 8192;
constexpr u32 kRepeats = 9;

// Processor time of this thread.
double thread_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Load {
    const char* name;
    u32 key_count;      // of the fibres of one parent packet, dealt out in runs
    u32 rounds;         // of each thread
    u32 smallest_list;  // 0: no re-keying
    u32 threads;
    u32 packet_max = 4096;
    bool is_dealt = false;    // keys change from fibre to fibre, each spawned by itself ...
    bool is_derived = false;  // ... or all without a key, which the routine derives
};

struct Bench {
    Load load;
    std::vector<u32> rounds = std::vector<u32>(kElements);
    std::vector<float> numbers = std::vector<float>(kElements);
    std::vector<u32> gone{};
    std::vector<u32> going{};
    RoutineId work = 0;
};

u32 dealt_key(const Load& load, u32 element) {
    return (element * 0x9e3779b9u >> 16) % load.key_count;
}

void run_parent(void* context, const Packet& packet, Spawner& spawner) {
    Bench& bench = *static_cast<Bench*>(context);
    bench.gone.clear();
    bench.going.clear();
    for (const u32 element : packet.elements) {
        if (packet.is_initial_launch) {
            bench.rounds[element] = 0;
        }
        (bench.rounds[element]++ < bench.load.rounds ? bench.going : bench.gone).push_back(element);
    }
    spawner.release(bench.gone);
    const std::span<const u32> going = bench.going;
    if (bench.load.is_derived) {
        spawner.spawn(bench.work, going);
        return;
    }
    if (bench.load.is_dealt) {
        for (const u32& element : going) {
            spawner.spawn(bench.work, {.value = dealt_key(bench.load, element)}, {&element, 1});
        }
        return;
    }
    const std::size_t run = std::max<std::size_t>(1, going.size() / bench.load.key_count);
    for (std::size_t at = 0; at < going.size(); at += run) {
        const u32 key = static_cast<u32>(at / run);
        spawner.spawn(
            bench.work, {.value = key}, going.subspan(at, std::min(run, going.size() - at)));
    }
}

void run_work(void* context, const Packet& packet, Spawner& spawner) {
    Bench& bench = *static_cast<Bench*>(context);
    const std::size_t half = packet.elements.size() / 2;
    if (bench.load.smallest_list == 0 || half < bench.load.smallest_list) {
        return;
    }
    const std::span<const float> numbers(bench.numbers.data(), packet.elements.size());
    const u32 key = packet.key.value * 2;
    if (!spawner.rekey({.value = key + 1}, packet.elements.subspan(half), numbers.subspan(half)) ||
        !spawner.rekey({.value = key}, packet.elements.first(half), numbers.first(half))) {
        std::abort();
    }
}

Key derive_key(void* context, u32 element) {
    return {.value = dealt_key(static_cast<Bench*>(context)->load, element)};
}

void measure(const Load& load) {
    std::vector<double> ns_per_fibre;
    FibreCounters last;
    double last_ns = 0;
    for (u32 repeat = 0; repeat <= kRepeats; ++repeat) {
        Bench bench{.load = load};
        bench.gone.reserve(kElements);
        bench.going.reserve(kElements);
        Cluster cluster({.element_count = kElements});
        cluster.declare({.name = "parent", .run = run_parent, .context = &bench});
        const u32 fill = load.smallest_list ? 4096 : 64;
        bench.work = cluster.declare({.name = "work",
                                      .run = run_work,
                                      .context = &bench,
                                      .packet_fill = fill,
                                      .packet_max = load.packet_max,
                                      .derive_key = load.is_derived ? derive_key : nullptr});
        const double begin = thread_ns();
        if (cluster.submit({.launch_count = load.threads}) != Admission::Taken) {
            std::abort();
        }
        cluster.run();
        last_ns = thread_ns() - begin;
        last = cluster.counters();
        const u64 fibres = last.routine[1].fibres;
        if (last.fibres_completed != u64{load.threads} * load.rounds) {
            std::abort();
        }
        if (repeat > 0) {  // the first one warms up
            ns_per_fibre.push_back(last_ns / static_cast<double>(fibres));
        }
    }
    std::sort(ns_per_fibre.begin(), ns_per_fibre.end());
    const u64 packets = last.routine[0].packets + last.routine[1].packets;
    std::printf(
        "{\"load\": \"%s\", \"fibres\": %llu, \"packets\": %llu, \"fibres_per_packet\": %.1f, "
        "\"ns_per_fibre_min\": %.2f, \"ns_per_fibre_median\": %.2f, \"ns_per_fibre_max\": %.2f, "
        "\"ns_per_packet\": %.1f}\n",
        load.name,
        static_cast<unsigned long long>(last.routine[1].fibres),
        static_cast<unsigned long long>(packets),
        static_cast<double>(last.routine[1].fibres) / static_cast<double>(last.routine[1].packets),
        ns_per_fibre.front(),
        ns_per_fibre[ns_per_fibre.size() / 2],
        ns_per_fibre.back(),
        last_ns / static_cast<double>(packets));
}

// One texel out of a tile of 8 by 8 of four floats each, all tiles in the cache. Four lookups of
// each tile follow each other, as taps of one bilinear footprint do.
void measure_lookups(const char* name) {
    constexpr u32 kTexels = 64;
    constexpr u32 kTileBytes = kTexels * 16;
    constexpr u32 kTiles = 32;
    constexpr u32 kLookups = 1u << 20;
    SoftwareCache cache(u64{4} * kTiles * kTileBytes, kTileBytes);
    for (u32 tile = 0; tile < kTiles; ++tile) {
        auto* const texels = static_cast<float*>(cache.insert(tile));
        if (texels == nullptr) {
            std::abort();
        }
        std::fill(texels, texels + std::size_t{kTexels} * 4, static_cast<float>(tile));
    }
    std::vector<double> ns;
    for (u32 repeat = 0; repeat < kRepeats; ++repeat) {
        const double begin = thread_ns();
        u32 dice = 1;
        float sum = 0;
        for (u32 i = 0; i < kLookups; ++i) {
            dice = i % 4 == 0 ? dice * 1664525u + 1013904223u : dice;
            const auto* const texels = static_cast<const float*>(cache.find((dice >> 24) % kTiles));
            sum += texels == nullptr ? 0 : texels[4 * ((dice >> 8) % kTexels)];
        }
        const double end = thread_ns();
        if (sum <= 0 || cache.counters().misses != 0) {
            std::abort();
        }
        ns.push_back((end - begin) / kLookups);
    }
    std::sort(ns.begin(), ns.end());
    std::printf(
        "{\"load\": \"%s\", \"lookups\": %u, \"ns_per_lookup_min\": %.2f, "
        "\"ns_per_lookup_median\": %.2f, \"ns_per_lookup_max\": %.2f}\n",
        name,
        kLookups,
        ns.front(),
        ns[ns.size() / 2],
        ns.back());
}

}  // namespace

// With an argument: only the load of that name.
int main(int count, char** arguments) {
    const Load loads[] = {
        {.name = "one key", .key_count = 1, .rounds = 16, .smallest_list = 0, .threads = 100000},
        {.name = "packets of 64",
         .key_count = 1,
         .rounds = 16,
         .smallest_list = 0,
         .threads = 100000,
         .packet_max = 64},
        {.name = "16 keys", .key_count = 16, .rounds = 16, .smallest_list = 0, .threads = 100000},
        {.name = "1024 keys",
         .key_count = 1024,
         .rounds = 16,
         .smallest_list = 0,
         .threads = 100000},
        {.name = "8 keys dealt",
         .key_count = 8,
         .rounds = 16,
         .smallest_list = 0,
         .threads = 100000,
         .is_dealt = true},
        {.name = "8 keys derived",
         .key_count = 8,
         .rounds = 16,
         .smallest_list = 0,
         .threads = 100000,
         .is_derived = true},
        {.name = "lists to 64",
         .key_count = 1,
         .rounds = 16,
         .smallest_list = 64,
         .threads = 100000},
        {.name = "lists to 8", .key_count = 1, .rounds = 16, .smallest_list = 8, .threads = 100000},
        {.name = "lists to 1", .key_count = 1, .rounds = 16, .smallest_list = 1, .threads = 100000},
    };
    for (const Load& load : loads) {
        if (count < 2 || std::string_view(arguments[1]) == load.name) {
            measure(load);
        }
    }
    const char* const lookups = "texels of cached tiles";
    if (count < 2 || std::string_view(arguments[1]) == lookups) {
        measure_lookups(lookups);
    }
}
