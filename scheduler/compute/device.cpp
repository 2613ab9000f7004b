#include "scheduler/compute/device.h"

#include "scheduler/base/clock.h"

namespace weft::compute {

namespace {

// Time constant of the utilisation.
constexpr double kMemoryNs = 1e8;
// Weight of the newest throughput in its running mean.
constexpr double kNewest = 0.25;

double forgotten(double mean, double now, u64 duration_ns) {
    const auto duration = static_cast<double>(duration_ns);
    return mean + (now - mean) * duration / (duration + kMemoryNs);
}

double load_of(const DeviceState& state) {
    return static_cast<double>(state.running) / state.slots;
}

}  // namespace

Device::Device(Capability capability,
               std::unique_ptr<MemoryPort> memory,
               Launcher launcher,
               u32 slots)
    : capability_(std::move(capability)),
      memory_(memory ? std::move(memory) : make_host_memory(capability_.memory_bytes)),
      launcher_(std::move(launcher)),
      changed_ns_(base::now_ns()) {
    state_.slots = slots;
}

u32 Device::launch(const Executable& executable, void* const* arguments, ItemRange items) {
    if (launcher_) {
        return launcher_(executable, arguments, items);
    }
    return executable.as<ItemsFunction>()(arguments, items.first, items.count);
}

DeviceState Device::state() const {
    const u64 used = memory_->used_bytes();
    const std::lock_guard lock(mutex_);
    DeviceState state = state_;
    state.utilisation = forgotten(state.utilisation, load_of(state), base::now_ns() - changed_ns_);
    state.memory_used_bytes = used;
    state.memory_limit_bytes = memory_->limit_bytes();
    return state;
}

void Device::set_attached(bool is_attached) {
    const std::lock_guard lock(mutex_);
    state_.is_attached = is_attached;
}

void Device::set_drawing(bool is_drawing) {
    const std::lock_guard lock(mutex_);
    state_.is_drawing = is_drawing;
}

// Updates the utilisation before the load changes.
void Device::advance() {
    const u64 now = base::now_ns();
    state_.utilisation = forgotten(state_.utilisation, load_of(state_), now - changed_ns_);
    changed_ns_ = now;
}

void Device::begin_part() {
    const std::lock_guard lock(mutex_);
    advance();
    ++state_.running;
}

void Device::end_part() {
    const std::lock_guard lock(mutex_);
    ENSURE(state_.running, >, 0U);
    advance();
    --state_.running;
}

double Device::items_per_s(const std::string& kernel) const {
    const std::lock_guard lock(mutex_);
    const auto found = items_per_s_.find(kernel);
    return found == items_per_s_.end() ? 0 : found->second;
}

void Device::note_items(const std::string& kernel, u64 items, u64 duration_ns) {
    if (items == 0 || duration_ns == 0) {
        return;
    }
    const double rate = static_cast<double>(items) * 1e9 / static_cast<double>(duration_ns);
    const std::lock_guard lock(mutex_);
    double& mean = items_per_s_.try_emplace(kernel, rate).first->second;
    mean += (rate - mean) * kNewest;
}

}  // namespace weft::compute
