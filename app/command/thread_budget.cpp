#include "app/command/thread_budget.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <system_error>
#include <thread>
#include <vector>

#include <tbb/global_control.h>

#include "app/command/messages.h"
#include "engine/image/codecs.h"

namespace weft::app {

namespace {

// Machines with few cores also accept this count, so that a command line works on several machines.
constexpr u32 kAlwaysAllowed = 16;
constexpr u32 kUsefulPerCore = 4;

// Threads besides workers, builders and encoders, such as the frame's thread, its watch and the
// compiler's.
constexpr u32 kOthers = 6;
// The frame's thread and one worker.
constexpr u32 kFewest = 2;

// Returns how many more threads the system lets this process start, up to `wanted`.
u32 possible_threads(u32 wanted) {
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    threads.reserve(wanted);
    try {
        while (threads.size() < wanted) {
            threads.emplace_back([&] { is_over.wait(false); });
        }
    } catch (const std::system_error&) {
        // The limit is reached: count the threads that have started.
    }
    is_over = true;
    is_over.notify_all();
    for (std::thread& thread : threads) {
        thread.join();
    }
    return static_cast<u32>(threads.size());
}

base::Error too_few_threads() {
    return {base::ErrorKind::Render,
            fmt::format("the system refuses to start threads; expected room for at least {} (see "
                        "ulimit -u)",
                        image::threads_at_load() + kFewest)};
}

// Bounds the threads that TBB and the image codecs start, until the program ends.
void limit_packages(u32 threads, image::Codecs& codecs) {
    static const auto* const limit =
        new tbb::global_control(tbb::global_control::max_allowed_parallelism, threads);
    static_cast<void>(limit);
    codecs.limit_threads(threads);
}

}  // namespace

base::Result<std::vector<std::string>> bound_threads(u32& threads) {
    std::vector<std::string> reductions;
    const u32 cores = std::max(1U, std::thread::hardware_concurrency());
    const u32 most = std::max(kAlwaysAllowed, kUsefulPerCore * cores);
    if (threads > most) {
        reductions.push_back(fmt::format(
            "--threads {}: this machine runs {} at once; {} are used", threads, cores, most));
        threads = most;
    }
    const u32 workers = threads == 0 ? cores : threads;
    const u32 wanted = workers + 2 * std::max(workers, cores) + kOthers;
    const u32 at_load = image::threads_at_load();
    const u32 at_first = possible_threads(at_load + wanted);
    if (at_first >= at_load + wanted) {
        return reductions;
    }
    // Load the codecs while there is room for the threads of their libraries, and divide the rest.
    if (at_first < at_load + kFewest) {
        return too_few_threads();
    }
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    const u32 possible = possible_threads(wanted);
    if (possible < kFewest) {
        return too_few_threads();
    }
    if (possible < wanted) {
        threads = std::clamp(possible < kOthers ? 1U : (possible - kOthers + 1) / 3, 1U, workers);
        limit_packages(threads, *codecs.value());
        reductions.push_back(fmt::format(
            "the system lets this program start {} threads (ulimit -u); it renders with "
            "{} instead of {}",
            possible,
            threads,
            workers));
    }
    return reductions;
}

base::Status choose_threads(u32& threads) {
    const base::Result<std::vector<std::string>> reductions = bound_threads(threads);
    WEFT_TRY(reductions);
    for (const std::string& reduction : reductions.value()) {
        say(Level::Warning, reduction);
    }
    return base::Done{};
}

}  // namespace weft::app
