#include "scheduler/compute/execution_queue.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "scheduler/base/clock.h"
#include "scheduler/base/trace_log.h"
#include "scheduler/unit/float_state.h"

namespace weft::compute {

namespace {

base::Error failed(const Instance& instance, const std::string& what) {
    return {base::ErrorKind::Render, "kernel " + instance.name + ": " + what};
}

u64 missing_bytes(const Instance& instance, const Device& device) {
    u64 bytes = 0;
    if (!instance.is_program()) {
        for (const Argument& argument : instance.arguments->arguments()) {
            if (argument.buffer && !argument.buffer->is_on(device)) {
                bytes += argument.buffer->size_bytes();
            }
        }
    }
    return bytes;
}

// Lanes that run at once on a device, weighed by their speed.
double lanes_of(const Place& place) {
    const Capability& capability = place.device->capability();
    const InstructionSet* const set =
        place.executable ? capability.find_set(place.executable->record().instruction_set)
                         : capability.best_set("");
    return capability.lane_speed * capability.units * (set ? set->lanes : 1);
}

// Uses lanes until every device has a measured rate: lanes and rates cannot be compared.
std::vector<DeviceView> views_of(const Instance& instance) {
    std::vector<DeviceView> views;
    const bool is_measured =
        std::all_of(instance.places.begin(), instance.places.end(), [&](const Place& place) {
            return !place.is_own || place.device->items_per_s(instance.name) > 0;
        });
    for (const Place& place : instance.places) {
        const Capability& capability = place.device->capability();
        DeviceView view;
        view.type = capability.type;
        view.state = place.device->state();
        view.is_own = place.is_own;
        view.can_run = instance.is_program() || place.executable != nullptr;
        view.missing_bytes = missing_bytes(instance, *place.device);
        view.rate = is_measured ? place.device->items_per_s(instance.name) : lanes_of(place);
        views.push_back(view);
    }
    return views;
}

void set_users(const Instance& instance, bool is_user) {
    if (instance.is_program()) {
        return;
    }
    for (const Argument& argument : instance.arguments->arguments()) {
        if (argument.buffer && is_user) {
            argument.buffer->add_user();
        } else if (argument.buffer) {
            argument.buffer->remove_user();
        }
    }
}

}  // namespace

ExecutionQueue::ExecutionQueue(const QueueConfig& config) : config_(config) {}

// As many as the work in the queue and `more` can use. Where the system refuses another thread,
// those that there are do the work.
void ExecutionQueue::start_threads(std::size_t more) {
    const std::size_t wanted = threads_.size() - idle_ + open_.size() + parts_.size() + more;
    while (threads_.size() < std::min<std::size_t>(wanted, config_.thread_count)) {
        try {
            threads_.emplace_back([this, k = threads_.size()](const std::stop_token& stop) {
                base::name_traced_thread("runtime " + std::to_string(k));
                serve(stop);
            });
        } catch (const std::system_error&) {
            if (threads_.empty()) {
                throw;
            }
            return;
        }
    }
}

ExecutionQueue::~ExecutionQueue() {
    {
        std::unique_lock lock(mutex_);
        const std::vector<InstancePointer> unbegun = std::exchange(open_, {});
        for (const InstancePointer& instance : unbegun) {
            instance->error = failed(*instance, "the queue was closed before it ran");
        }
        // Instances that follow others end with the last of these.
        std::vector<InstancePointer> first;
        std::copy_if(unbegun.begin(), unbegun.end(), std::back_inserter(first), [](const auto& i) {
            return i->open_dependencies == 0;
        });
        for (const InstancePointer& instance : first) {
            end(instance);
        }
        while (running_ > 0) {
            if (config_.thread_count != 0 || !step(lock)) {
                changed_.wait(lock);
            }
        }
        for (std::jthread& thread : threads_) {
            thread.request_stop();
        }
        changed_.notify_all();
    }
    threads_.clear();
}

base::Result<std::shared_ptr<Event>> ExecutionQueue::enqueue(
    InstancePointer instance, const std::vector<std::shared_ptr<Event>>& follows) {
    const std::lock_guard lock(mutex_);
    if (unended_.size() >= config_.most_open) {
        return failed(*instance,
                      "the queue holds " + std::to_string(config_.most_open) +
                          " instances, and no more are taken");
    }
    start_threads(1);
    instance->number = numbers_++;
    instance->event = std::make_shared<Event>();
    instance->event->enqueued_ns = base::now_ns();
    std::vector<InstancePointer> before = order_.add(instance);
    figures_.dependencies += before.size();
    figures_.followers += follows.empty() ? 0U : 1U;
    bool follows_failed = false;
    for (const std::shared_ptr<Event>& event : follows) {
        follows_failed = follows_failed || event->state == EventState::Failed;
        const auto found = unended_.find(event.get());
        if (found != unended_.end() &&
            std::find(before.begin(), before.end(), found->second) == before.end()) {
            before.push_back(found->second);
        }
    }
    for (const InstancePointer& other : before) {
        other->dependants.push_back(instance);
        ++instance->open_dependencies;
    }
    set_users(*instance, true);
    unended_[instance->event.get()] = instance;
    ++figures_.enqueued;
    if (follows_failed) {
        instance->error = failed(*instance, "it did not run because a predecessor failed");
    }
    if (!follows_failed) {
        open_.push_back(instance);
    } else if (before.empty()) {
        end(instance);
    }
    changed_.notify_all();
    return instance->event;
}

Event ExecutionQueue::look(const Event& event) const {
    const std::lock_guard lock(mutex_);
    return event;
}

base::Status ExecutionQueue::wait(const Event& event) {
    std::unique_lock lock(mutex_);
    while (!event.has_ended()) {
        // A step may find that an instance can never run, which ends it.
        if (config_.thread_count == 0 && (step(lock) || event.has_ended())) {
            continue;
        }
        changed_.wait(lock);
    }
    return event.error ? base::Status(*event.error) : base::Status(base::Done{});
}

void ExecutionQueue::look_again() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
}

QueueFigures ExecutionQueue::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

void ExecutionQueue::serve(const std::stop_token& stop) {
    unit::set_float_state();
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        if (!step(lock)) {
            ++idle_;
            changed_.wait(lock);
            --idle_;
        }
    }
}

// Runs a part, or begins an instance. False: nothing can be done now.
bool ExecutionQueue::step(std::unique_lock<std::mutex>& lock) {
    if (!parts_.empty()) {
        const Part part = parts_.front();
        parts_.erase(parts_.begin());
        run(part, lock);
        return true;
    }
    const InstancePointer instance = place_next();
    if (!instance) {
        return false;
    }
    begin(instance, lock);
    return true;
}

// Removes and returns the first instance of highest priority that follows nothing open and has a
// device. Instances that no device can ever run end here.
InstancePointer ExecutionQueue::place_next() {
    std::vector<InstancePointer> ready;
    std::copy_if(open_.begin(), open_.end(), std::back_inserter(ready), [](const auto& instance) {
        return instance->open_dependencies == 0;
    });
    std::stable_sort(ready.begin(), ready.end(), [](const auto& a, const auto& b) {
        return a->priority > b->priority;
    });
    for (const InstancePointer& instance : ready) {
        if (!place(instance)) {
            continue;
        }
        std::erase(open_, instance);
        if (!instance->error) {
            return instance;
        }
        end(instance);
    }
    return nullptr;
}

// True: the instance has devices, or an error because it never will.
bool ExecutionQueue::place(const InstancePointer& instance) {
    const Dispatch dispatch = choose_devices(instance->need, views_of(*instance));
    if (dispatch.result == DispatchResult::Wait) {
        return false;
    }
    if (dispatch.result == DispatchResult::Never) {
        instance->error = failed(*instance, "no device runs it: " + dispatch.reason);
        return true;
    }
    Event& event = *instance->event;
    instance->shares = dispatch.shares;
    event.state = EventState::Running;
    event.started_ns = base::now_ns();
    event.reason = dispatch.reason;
    bool stands_in = false;
    for (const Share& share : dispatch.shares) {
        const Place& place = instance->places[share.view];
        event.devices += (event.devices.empty() ? "" : " + ") + place.device->capability().name;
        stands_in = stands_in || !place.is_own;
        place.device->begin_part();
    }
    figures_.stood_in += stands_in ? 1U : 0U;
    figures_.split += dispatch.shares.size() > 1 ? 1U : 0U;
    ++running_;
    return true;
}

// All arguments are on all devices before any part begins, since parts write where others copy.
void ExecutionQueue::begin(const InstancePointer& instance, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    base::Status brought = instance->bring_arguments();
    lock.lock();
    const auto count = static_cast<u32>(instance->shares.size());
    if (!brought.is_ok()) {
        instance->error = brought.error();
        end_parts(instance, count, lock);
        return;
    }
    if (instance->is_program()) {
        lock.unlock();
        base::Status ran = instance->run_part(0);
        lock.lock();
        if (!ran.is_ok()) {
            instance->error = ran.error();
        }
        end_parts(instance, count, lock);
        return;
    }
    for (u32 part = 1; part < count; ++part) {
        parts_.push_back({instance, part});
    }
    start_threads(0);
    changed_.notify_all();
    run({instance, 0}, lock);
}

void ExecutionQueue::run(const Part& part, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    base::Status ran = part.instance->run_part(part.part);
    lock.lock();
    if (!ran.is_ok() && !part.instance->error) {
        part.instance->error = ran.error();
    }
    end_parts(part.instance, 1, lock);
}

void ExecutionQueue::end_parts(const InstancePointer& instance,
                               u32 count,
                               std::unique_lock<std::mutex>& lock) {
    instance->parts_ended += count;
    if (instance->parts_ended < instance->shares.size()) {
        return;
    }
    if (!instance->error) {
        lock.unlock();
        instance->publish_written();
        lock.lock();
    }
    for (const Share& share : instance->shares) {
        instance->places[share.view].device->end_part();
    }
    --running_;
    end(instance);
}

// Ends the event; instances that follow become free, or fail with it. Failure spreads along a list,
// not by recursion, since a chain may be long.
void ExecutionQueue::end(const InstancePointer& instance) {
    std::vector<InstancePointer> ending = {instance};
    while (!ending.empty()) {
        const InstancePointer now = ending.back();
        ending.pop_back();
        Event& event = *now->event;
        event.ended_ns = base::now_ns();
        event.error = now->error;
        event.state = now->error ? EventState::Failed : EventState::Done;
        figures_.failed += now->error ? 1U : 0U;
        ++figures_.ended;
        order_.remove(*now);
        set_users(*now, false);
        unended_.erase(now->event.get());
        for (const InstancePointer& next : now->dependants) {
            if (now->error && !next->error) {
                next->error = failed(
                    *next, "it did not run because a predecessor failed: " + now->error->sentence);
                std::erase(open_, next);
            }
            // A failed follower ends only after everything that it follows, as if it had run, so
            // that its own followers find their buffers unused.
            if (--next->open_dependencies == 0 && next->error) {
                ending.push_back(next);
            }
        }
        now->dependants.clear();
    }
    changed_.notify_all();
}

}  // namespace weft::compute
