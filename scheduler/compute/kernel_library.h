// kernel_library.h — declarations, sources and executables of kernels; loading picks the best for a
// device or builds a better one (R6, R7).
//
// Any thread may call. Building takes seconds: load() builds on the caller's thread, load_later()
// on a thread of the library with low priority, while the caller uses the best present executable.
// A failed build is logged once per reason, and a compatible executable is used.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <typeindex>
#include <vector>

#include "scheduler/base/result.h"
#include "scheduler/compute/executable_choice.h"
#include "scheduler/compute/kernel.h"
#include "scheduler/compute/kernel_builder.h"

namespace weft::compute {

struct KernelDeclaration {
    std::string name;
    std::type_index function_type = typeid(ItemsFunction);
    std::vector<Parameter> parameters;   // of an ItemsFunction
    std::optional<KernelSource> source;  // none: it cannot be built at run time
};

// The result of loading.
struct Loaded {
    ExecutablePointer executable;
    bool is_optimal = false;
    std::string reason;  // of the choice, and of a failed build
};

// The verdict on an executable for one device.
struct Listed {
    ExecutableRecord record;
    ExecutableVerdict verdict;
};

// A load in the background. Any thread may query it.
class LaterLoad {
public:
    [[nodiscard]] bool is_done() const { return is_done_.load(std::memory_order_acquire); }

    // After is_done(): the best executable now, which may be the one before.
    [[nodiscard]] const base::Result<Loaded>& result() const { return *result_; }

private:
    friend class KernelLibrary;
    std::optional<base::Result<Loaded>> result_;  // written before is_done_
    std::atomic<bool> is_done_{false};            // release by the builder, acquire in is_done
};

class KernelLibrary {
public:
    using Log = std::function<void(const std::string& line)>;

    explicit KernelLibrary(std::filesystem::path cache_folder = {}, Log log = {});
    // Kills builds under way; loads that are still open end with an error.
    ~KernelLibrary();
    KernelLibrary(const KernelLibrary&) = delete;
    KernelLibrary& operator=(const KernelLibrary&) = delete;
    KernelLibrary(KernelLibrary&&) = delete;
    KernelLibrary& operator=(KernelLibrary&&) = delete;

    // Error: declared already.
    base::Status declare(KernelDeclaration declaration);
    // Of a declared kernel; replaces one for the same type of device, instruction set and options.
    // Error: the kernel is unknown or of another function type.
    base::Status add(ExecutablePointer executable);

    [[nodiscard]] std::vector<std::string> kernel_names() const;
    base::Result<std::vector<Parameter>> parameters(const std::string& kernel) const;

    // The best present executable; builds nothing.
    base::Result<Loaded> choose(const std::string& kernel,
                                const Capability& device,
                                const Wish& wish) const;
    // The best executable; builds one if no present one is optimal.
    base::Result<Loaded> load(const std::string& kernel,
                              const Capability& device,
                              const Wish& wish);
    // Lines about a failed build go to `log`; empty: to the library's.
    std::shared_ptr<const LaterLoad> load_later(const std::string& kernel,
                                                const Capability& device,
                                                const Wish& wish,
                                                Log log = {});

    // Every executable of a kernel with the verdict on it.
    [[nodiscard]] std::vector<Listed> list(const std::string& kernel,
                                           const Capability& device,
                                           const Wish& wish) const;

private:
    struct Entry {
        KernelDeclaration declaration;
        std::vector<ExecutablePointer> executables;
    };

    struct Order {
        std::string kernel;
        Capability device;
        Wish wish;
        Log log;
        std::shared_ptr<LaterLoad> load;
    };

    base::Result<Loaded> load_until(const std::string& kernel,
                                    const Capability& device,
                                    const Wish& wish,
                                    const Log& log,
                                    const std::stop_token& stop);
    base::Result<Loaded> choose_of(const Entry& entry,
                                   const Capability& device,
                                   const Wish& wish) const;
    void put(Entry& entry, ExecutablePointer executable);
    void serve(const std::stop_token& stop);
    void say_once(const std::string& line, const Log& log);

    KernelBuilder builder_;
    Log log_;
    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
    std::set<std::string> said_;
    std::deque<Order> orders_;
    std::condition_variable_any ordered_;
    std::jthread thread_;  // started by the first load_later()
};

}  // namespace weft::compute
