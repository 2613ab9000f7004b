#include "app/signals.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

extern "C" void on_signal(int signal_number) {
    // relaxed: the flag is the whole message.
    if (interrupted.exchange(true, std::memory_order_relaxed) && signal_number == SIGINT) {
        film::remove_temporary_files();
        _exit(130);
    }
}

}  // namespace

void install_signals() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;  // a signal is no reason for a read or write to fail
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() {
    return interrupted.load(std::memory_order_relaxed);
}

}  // namespace weft::app
