#include "engine/scene/model/bounded_mapping.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "scheduler/base/memory_limit.h"

namespace weft::scene {

// All mappings of the process, and the lock that guards their chunks. A thread that holds the lock
// touches no mapped byte, so the handler never waits for its own thread.
struct MappingList {
    std::atomic_flag lock;
    BoundedMapping* first = nullptr;

    struct sigaction former {};

    class Guard {
    public:
        explicit Guard(std::atomic_flag& lock) : lock_(lock) {
            // Pairs with the release below: the chunks are as the former holder left them.
            while (lock_.test_and_set(std::memory_order_acquire)) {
                lock_.wait(true, std::memory_order_relaxed);
            }
        }

        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

        ~Guard() {
            lock_.clear(std::memory_order_release);
            lock_.notify_one();
        }

    private:
        std::atomic_flag& lock_;
    };

    void add(BoundedMapping& mapping) {
        const Guard guard(lock);
        mapping.next_ = first;
        first = &mapping;
    }

    void remove(BoundedMapping& mapping) {
        const Guard guard(lock);
        BoundedMapping** place = &first;
        while (*place != &mapping) {
            place = &(*place)->next_;
        }
        *place = mapping.next_;
    }

    // Whether the place is of a mapping, whose chunk is open now.
    bool open_at(const std::byte* place) {
        const Guard guard(lock);
        for (BoundedMapping* mapping = first; mapping; mapping = mapping->next_) {
            if (place >= mapping->data_ && place < mapping->data_ + mapping->size_bytes_) {
                return mapping->open_at(place);
            }
        }
        return false;
    }
};

namespace {

MappingList& all_mappings() {
    static MappingList the_only;
    return the_only;
}

// A signal that was sent, and not raised by an access, goes on once: a handler that itself came
// after ours would send it back and forth.
std::atomic_flag was_sent_on;

// Hands a fault elsewhere to the former handler. Without one, the default action ends the process:
// the access runs again, or the signal is sent again.
void pass_on(int signal, siginfo_t* fault, void* context) {
    const struct sigaction& former = all_mappings().former;
    const bool is_sent = fault->si_code <= 0;
    const bool is_plain = (former.sa_flags & SA_SIGINFO) == 0;
    const bool is_handled =
        !is_plain || (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN);
    if (!is_handled || (is_sent && was_sent_on.test_and_set(std::memory_order_relaxed))) {
        ::signal(signal, SIG_DFL);
        if (is_sent) {
            ::raise(signal);
        }
    } else if (is_plain) {
        former.sa_handler(signal);
    } else {
        former.sa_sigaction(signal, fault, context);
    }
}

void open_touched(int signal, siginfo_t* fault, void* context) {
    const int error_number = errno;
    const bool is_sent = fault->si_code <= 0;  // its address means nothing
    if (is_sent || !all_mappings().open_at(static_cast<const std::byte*>(fault->si_addr))) {
        pass_on(signal, fault, context);
    }
    errno = error_number;
}

}  // namespace

bool BoundedMapping::take_faults() {
    MappingList& mappings = all_mappings();
    const MappingList::Guard guard(mappings.lock);

    struct sigaction current {};

    if (::sigaction(SIGSEGV, nullptr, &current) != 0) {
        return false;
    }
    if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == open_touched) {
        return true;
    }

    struct sigaction action {};

    action.sa_sigaction = open_touched;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    mappings.former = current;
    return ::sigaction(SIGSEGV, &action, nullptr) == 0;
}

base::Result<std::unique_ptr<BoundedMapping>> BoundedMapping::make(
    int descriptor, const BoundedMappingConfig& config) {
    const auto page_bytes = static_cast<u64>(::sysconf(_SC_PAGESIZE));
    const u64 chunk_bytes =
        std::max(page_bytes, std::bit_floor(config.budget_bytes / kFewestChunks));
    const u64 whole_bytes = (config.size_bytes + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
    void* const data = ::mmap(nullptr, whole_bytes, PROT_NONE, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED || !take_faults()) {
        return base::Error{
            base::ErrorKind::Scene,
            config.what + " cannot be mapped into memory (" + std::string(std::strerror(errno)) +
                "); expected address space for " + std::to_string(config.size_bytes >> 30) +
                " GiB, or no " + config.option_name};
    }
    return std::unique_ptr<BoundedMapping>(
        new BoundedMapping(static_cast<std::byte*>(data),
                           whole_bytes,
                           chunk_bytes,
                           std::max<u64>(1, config.budget_bytes / chunk_bytes),
                           config.may_write ? PROT_READ | PROT_WRITE : PROT_READ));
}

BoundedMapping::BoundedMapping(
    std::byte* data, u64 size_bytes, u64 chunk_bytes, u64 most_open, int open_protection)
    : data_(data),
      size_bytes_(size_bytes),
      chunk_bytes_(chunk_bytes),
      most_open_(most_open),
      open_protection_(open_protection),
      is_open_(size_bytes / chunk_bytes),
      ring_(most_open) {
    base::pledge_memory(most_open_ * chunk_bytes_);
    all_mappings().add(*this);
}

BoundedMapping::~BoundedMapping() {
    all_mappings().remove(*this);
    const u64 open = open_count_.load(std::memory_order_relaxed);
    base::end_pledge((most_open_ - open) * chunk_bytes_);
    ::munmap(data_, size_bytes_);
}

BoundedMapping::Figures BoundedMapping::figures() const {
    return {chunk_bytes_,
            open_count_.load(std::memory_order_relaxed) * chunk_bytes_,
            closed_.load(std::memory_order_relaxed)};
}

bool BoundedMapping::open_at(const std::byte* place) {
    const u64 chunk = static_cast<u64>(place - data_) / chunk_bytes_;
    // Another thread may have opened it since the access failed.
    if (is_open_[chunk]) {
        return true;
    }
    const u64 open = open_count_.load(std::memory_order_relaxed);
    if (open == most_open_ && !close_oldest()) {
        return false;
    }
    if (!set_access(chunk, open_protection_) &&
        (!close_all() || !set_access(chunk, open_protection_))) {
        return false;
    }
    is_open_[chunk] = true;
    const u64 count = open_count_.load(std::memory_order_relaxed);
    ring_[(first_ + count) % most_open_] = static_cast<u32>(chunk);
    open_count_.store(count + 1, std::memory_order_relaxed);
    base::end_pledge(chunk_bytes_);
    return true;
}

bool BoundedMapping::set_access(u64 chunk, int protection) {
    return ::mprotect(data_ + chunk * chunk_bytes_, chunk_bytes_, protection) == 0;
}

// Closes it before its pages go, so that no thread brings one back.
bool BoundedMapping::close_oldest() {
    const u64 chunk = ring_[first_];
    if (!set_access(chunk, PROT_NONE)) {
        return close_all();
    }
    is_open_[chunk] = false;
    first_ = (first_ + 1) % most_open_;
    note_closed(1);
    return ::madvise(data_ + chunk * chunk_bytes_, chunk_bytes_, MADV_DONTNEED) == 0;
}

// Where the system refuses to split the mapping further: closed as a whole, it is one area again.
bool BoundedMapping::close_all() {
    if (::mprotect(data_, size_bytes_, PROT_NONE) != 0) {
        return false;
    }
    std::fill(is_open_.begin(), is_open_.end(), false);
    first_ = 0;
    note_closed(open_count_.load(std::memory_order_relaxed));
    return ::madvise(data_, size_bytes_, MADV_DONTNEED) == 0;
}

void BoundedMapping::note_closed(u64 chunks) {
    open_count_.store(open_count_.load(std::memory_order_relaxed) - chunks,
                      std::memory_order_relaxed);
    closed_.store(closed_.load(std::memory_order_relaxed) + chunks, std::memory_order_relaxed);
    base::pledge_memory(chunks * chunk_bytes_);
}

}  // namespace weft::scene
