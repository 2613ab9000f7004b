#include "scheduler/base/temporary_files.h"

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <unistd.h>

namespace weft::base {

namespace {

std::array<std::atomic<const char*>, 16> listed_files{};
static_assert(std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

// The text stays until the process ends, for a signal handler may be reading it at any time. A file
// that is written again and again has the same temporary name, so that this does not grow.
const char* kept_text(const std::string& text) {
    static std::mutex mutex;
    static std::set<std::string> texts;
    const std::lock_guard lock(mutex);
    return texts.insert(text).first->c_str();
}

}  // namespace

const char* list_temporary_file(const std::string& path) {
    const char* text = kept_text(path);
    for (std::atomic<const char*>& place : listed_files) {
        const char* nobody = nullptr;
        // Release: pairs with the acquire in remove_temporary_files.
        if (place.compare_exchange_strong(nobody, text, std::memory_order_release)) {
            break;
        }
    }
    return text;
}

void unlist_temporary_file(const char* listed) {
    for (std::atomic<const char*>& place : listed_files) {
        const char* own = listed;
        // Relaxed: a handler that still reads the text unlinks a name that is gone.
        if (place.compare_exchange_strong(own, nullptr, std::memory_order_relaxed)) {
            break;
        }
    }
}

void remove_temporary_files() {
    for (const std::atomic<const char*>& place : listed_files) {
        // Acquire: pairs with the release in list_temporary_file.
        if (const char* text = place.load(std::memory_order_acquire)) {
            ::unlink(text);
        }
    }
}

}  // namespace weft::base
