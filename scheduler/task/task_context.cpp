#include "scheduler/task/task_context.h"

#include "scheduler/base/ensure.h"
#include "scheduler/task/task_runtime.h"

namespace weft::task {

TaskId TaskContext::id() const {
    // Relaxed: the task is live, so it stands still.
    return {.index = record_,
            .generation = runtime_.record_[record_].generation.load(std::memory_order_relaxed)};
}

const std::array<u64, 6>& TaskContext::arguments() const {
    return runtime_.record_[record_].descriptor.arguments;
}

std::array<u64, 4>& TaskContext::state() {
    return runtime_.record_[record_].descriptor.state;
}

u32 TaskContext::priority() const {
    return runtime_.record_[record_].descriptor.priority;
}

u32 TaskContext::level() const {
    return runtime_.groups_[runtime_.record_[record_].group].level;
}

bool TaskContext::should_stop() {
    return runtime_.should_stop(record_);
}

Refusal TaskContext::open_group() {
    return runtime_.open_group(record_);
}

StreamIndex TaskContext::create_stream() {
    const u32 group = runtime_.record_[record_].own_group;
    ENSURE(group, !=, kNone);
    return runtime_.groups_.create_stream(group);
}

Launched TaskContext::launch(StreamIndex stream,
                             const TaskDescriptor& task,
                             const LaunchEvents& events) {
    const u32 group = runtime_.record_[record_].own_group;
    return runtime_.launch_from(record_, group, stream, task, events);
}

Launched TaskContext::launch_beside(StreamIndex stream,
                                    const TaskDescriptor& task,
                                    const LaunchEvents& events) {
    const u32 group = runtime_.record_[record_].group;
    return runtime_.launch_from(record_, group, stream, task, events);
}

OpenedEvent TaskContext::open_event(StreamIndex stream) {
    return runtime_.open_event_from(record_, stream);
}

void TaskContext::close_event(EventId event) {
    runtime_.close_event(runtime_.record_[record_].own_group, event);
}

}  // namespace weft::task
