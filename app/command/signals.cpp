#include "app/command/signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>
#include <unistd.h>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "scheduler/base/program.h"
#include "scheduler/base/temporary_files.h"

namespace weft::app {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> snapshot_wanted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

// The text that the handler prints before it ends the program. A handler can neither format text
// nor lock, so leave_on_signal() fills the entry that is not in use and then publishes it.
struct LastWords {
    std::array<char, 1024> text{};
    std::size_t size = 0;
};

std::array<LastWords, 2> last_words;
std::atomic<const LastWords*> shown_words{nullptr};
std::atomic<bool> has_work{false};  // if set, signals only set `interrupted`
static_assert(std::atomic<const LastWords*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

[[noreturn]] void leave(int code) {
    base::remove_temporary_files();
    base::end_programs();
    _exit(code);
}

extern "C" void on_signal(int signal_number) {
    // relaxed: the flags guard no other data.
    const bool was_before = interrupted.exchange(true, std::memory_order_relaxed);
    if (!has_work.load(std::memory_order_relaxed)) {
        // acquire: pairs with the release in leave_on_signal()
        if (const LastWords* const words = shown_words.load(std::memory_order_acquire)) {
            put_on_stderr({words->text.data(), words->size});
        }
        leave(kExitSignal);
    }
    if (was_before && signal_number == SIGINT) {
        leave(kExitSecondSignal);
    }
}

extern "C" void on_snapshot_signal(int /*signal_number*/) {
    snapshot_wanted.store(true, std::memory_order_relaxed);
}

}  // namespace

void install_signals() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;  // restart reads and writes after a signal
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before = {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) {  // keep `nohup weft …` running
        sigaction(SIGHUP, &action, nullptr);
    }
    action.sa_handler = on_snapshot_signal;
    sigaction(SIGUSR1, &action, nullptr);
}

void leave_on_signal(std::string_view sentence, std::string_view last_line) {
    const LastWords* const before =
        shown_words.load(std::memory_order_relaxed);  // only this thread writes it
    LastWords& words = last_words[before == last_words.data() ? 1 : 0];
    std::string line;
    if (!sentence.empty()) {
        line = message_line(Level::Info, "interrupted " + std::string(sentence));
    }
    line += last_line;
    words.size = std::min(line.size(), words.text.size());
    std::memcpy(words.text.data(), line.data(), words.size);
    // release: pairs with the acquire in on_signal()
    shown_words.store(&words, std::memory_order_release);
    has_work.store(false, std::memory_order_relaxed);
}

void stop_on_signal() {
    has_work.store(true, std::memory_order_relaxed);
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
