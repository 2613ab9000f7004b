#include "app/signals.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

#include "engine/film/whole_file.h"
#include "scheduler/compute/compiler.h"

namespace weft::app {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> snapshot_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

extern "C" void on_signal(int signal_number) {
    // relaxed: the flag is the whole message.
    if (interrupted.exchange(true, std::memory_order_relaxed) && signal_number == SIGINT) {
        film::remove_temporary_files();
        compute::end_compilers();
        _exit(130);
    }
}

extern "C" void on_snapshot_signal(int /*signal_number*/) {
    snapshot_wanted.store(true, std::memory_order_relaxed);
}

}  // namespace

void install_signals() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;  // a signal is no reason for a read or write to fail
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before = {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {  // `nohup weft …` goes on without its terminal
        sigaction(SIGHUP, &action, nullptr);
    }
    action.sa_handler = on_snapshot_signal;
    sigaction(SIGUSR1, &action, nullptr);
}

bool was_interrupted() {
    return interrupted.load(std::memory_order_relaxed);
}

bool is_snapshot_wanted() {
    return snapshot_wanted.load(std::memory_order_relaxed);
}

bool take_snapshot_wish() {
    return snapshot_wanted.exchange(false, std::memory_order_relaxed);
}

}  // namespace weft::app
