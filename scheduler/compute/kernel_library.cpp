#include "scheduler/compute/kernel_library.h"

#include <algorithm>

#include "scheduler/base/trace_log.h"

namespace weft::compute {

namespace {

base::Error error(const std::string& kernel, const std::string& what) {
    return {base::ErrorKind::Render, "kernel " + kernel + ": " + what};
}

void finish(std::optional<base::Result<Loaded>>& place,
            std::atomic<bool>& is_done,
            base::Result<Loaded> result) {
    place.emplace(std::move(result));
    is_done.store(true, std::memory_order_release);  // pairs with the acquire in is_done
}

// "avx512 of the class fma, FEATURES=3": what would have been optimal.
std::string wish_text(const Wish& wish, const Capability& device) {
    const InstructionSet* const set = wanted_set(wish, device);
    std::string text = set ? set->name : wish.instruction_set;
    if (!wish.arithmetic_class.empty()) {
        text += (text.empty() ? "any" : "") + std::string(" of the class ") + wish.arithmetic_class;
    }
    return text + (wish.options.empty() ? "" : ", specialised to " + wish.options);
}

}  // namespace

KernelLibrary::KernelLibrary(std::filesystem::path cache_folder, Log log)
    : builder_(std::move(cache_folder)), log_(std::move(log)) {}

KernelLibrary::~KernelLibrary() {
    thread_.request_stop();
    if (thread_.joinable()) {
        thread_.join();
    }
    for (const Order& order : orders_) {
        finish(order.load->result_,
               order.load->is_done_,
               error(order.kernel, "the library was closed before it was built"));
    }
}

base::Status KernelLibrary::declare(KernelDeclaration declaration) {
    const std::lock_guard lock(mutex_);
    if (entries_.contains(declaration.name)) {
        return error(declaration.name, "it was declared already");
    }
    std::string name = declaration.name;
    entries_[std::move(name)] = {std::move(declaration), {}};
    return base::Done{};
}

base::Status KernelLibrary::add(ExecutablePointer executable) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(executable->record().kernel);
    if (found == entries_.end()) {
        return error(executable->record().kernel, "it is not declared");
    }
    if (executable->function_type() != found->second.declaration.function_type) {
        return error(executable->record().kernel,
                     "an executable is of another function type than was declared");
    }
    put(found->second, std::move(executable));
    return base::Done{};
}

// Under the lock.
void KernelLibrary::put(Entry& entry, ExecutablePointer executable) {
    const ExecutableRecord& record = executable->record();
    std::erase_if(entry.executables, [&](const ExecutablePointer& other) {
        const ExecutableRecord& old = other->record();
        return old.type == record.type && old.instruction_set == record.instruction_set &&
               old.options == record.options;
    });
    entry.executables.push_back(std::move(executable));
}

std::vector<std::string> KernelLibrary::kernel_names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) {
        names.push_back(name);
    }
    return names;
}

base::Result<std::vector<Parameter>> KernelLibrary::parameters(const std::string& kernel) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(kernel);
    if (found == entries_.end()) {
        return error(kernel, "it is not in the library");
    }
    return found->second.declaration.parameters;
}

std::vector<Listed> KernelLibrary::list(const std::string& kernel,
                                        const Capability& device,
                                        const Wish& wish) const {
    const std::lock_guard lock(mutex_);
    std::vector<Listed> listed;
    const auto found = entries_.find(kernel);
    if (found != entries_.end()) {
        for (const ExecutablePointer& executable : found->second.executables) {
            listed.push_back(
                {executable->record(), judge_executable(executable->record(), wish, device)});
        }
    }
    return listed;
}

// Under the lock.
base::Result<Loaded> KernelLibrary::choose_of(const Entry& entry,
                                              const Capability& device,
                                              const Wish& wish) const {
    std::vector<ExecutableVerdict> verdicts;
    std::string refusals;
    for (const ExecutablePointer& executable : entry.executables) {
        verdicts.push_back(judge_executable(executable->record(), wish, device));
        refusals += (refusals.empty() ? "" : "; ") + executable->record().instruction_set + ": " +
                    verdicts.back().reason;
    }
    const u32 best = best_executable(verdicts);
    if (best == kNone) {
        return error(entry.declaration.name,
                     "device " + device.name + " has no executable; looked for " +
                         wish_text(wish, device) + ", found " +
                         (refusals.empty() ? "none at all" : refusals));
    }
    return Loaded{entry.executables[best], verdicts[best].is_optimal, verdicts[best].reason};
}

base::Result<Loaded> KernelLibrary::choose(const std::string& kernel,
                                           const Capability& device,
                                           const Wish& wish) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(kernel);
    if (found == entries_.end()) {
        return error(kernel, "it is not in the library");
    }
    return choose_of(found->second, device, wish);
}

base::Result<Loaded> KernelLibrary::load(const std::string& kernel,
                                         const Capability& device,
                                         const Wish& wish) {
    return load_until(kernel, device, wish, log_, {});
}

base::Result<Loaded> KernelLibrary::load_until(const std::string& kernel,
                                               const Capability& device,
                                               const Wish& wish,
                                               const Log& log,
                                               const std::stop_token& stop) {
    base::Result<Loaded> chosen = choose(kernel, device, wish);
    const InstructionSet* const set = wanted_set(wish, device);
    if ((chosen.is_ok() && chosen.value().is_optimal) || !set) {
        return chosen;
    }
    BuildOrder order{kernel, device.type, set->name, wish.options};
    std::optional<KernelSource> source;
    {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(kernel);
        if (found == entries_.end() || !found->second.declaration.source) {
            return chosen;
        }
        source = found->second.declaration.source;
        order.function_type = found->second.declaration.function_type;
    }
    base::Result<ExecutablePointer> built = builder_.build(order, *source, stop);
    if (built.is_ok()) {
        const std::lock_guard lock(mutex_);
        Entry& entry = entries_.at(kernel);
        put(entry, built.value());
        return choose_of(entry, device, wish);
    }
    const std::string& why = built.error().sentence;
    if (!chosen.is_ok()) {
        return base::Error{base::ErrorKind::Render,
                           chosen.error().sentence + "; and none could be built: " + why};
    }
    if (!stop.stop_requested()) {
        say_once(why + "; a present kernel is used instead", log);
    }
    chosen.value().reason += "; a better one could not be built: " + why;
    return chosen;
}

std::shared_ptr<const LaterLoad> KernelLibrary::load_later(const std::string& kernel,
                                                           const Capability& device,
                                                           const Wish& wish,
                                                           Log log) {
    auto load = std::make_shared<LaterLoad>();
    const std::lock_guard lock(mutex_);
    orders_.push_back({kernel, device, wish, log ? std::move(log) : log_, load});
    if (!thread_.joinable()) {
        thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    }
    ordered_.notify_one();
    return load;
}

void KernelLibrary::serve(const std::stop_token& stop) {
    base::name_traced_thread("kernel builder");
    std::unique_lock lock(mutex_);
    while (ordered_.wait(lock, stop, [this] { return !orders_.empty(); })) {
        if (stop.stop_requested()) {
            return;
        }
        const Order order = std::move(orders_.front());
        orders_.pop_front();
        lock.unlock();
        finish(order.load->result_,
               order.load->is_done_,
               load_until(order.kernel, order.device, order.wish, order.log, stop));
        lock.lock();
    }
}

void KernelLibrary::say_once(const std::string& line, const Log& log) {
    {
        const std::lock_guard lock(mutex_);
        if (!said_.insert(line).second) {
            return;
        }
    }
    if (log) {
        log(line);
    }
}

}  // namespace weft::compute
