#include "scheduler/compute/stream_order.h"

#include <algorithm>

namespace weft::compute {

namespace {

void add_once(std::vector<InstancePointer>& list,
              const InstancePointer& instance,
              const InstancePointer& self) {
    if (instance && instance != self &&
        std::find(list.begin(), list.end(), instance) == list.end()) {
        list.push_back(instance);
    }
}

}  // namespace

std::vector<InstancePointer> StreamOrder::add(const InstancePointer& instance) {
    std::vector<InstancePointer> before;
    if (instance->is_program()) {
        return before;
    }
    const std::vector<Argument>& arguments = instance->arguments->arguments();
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (!arguments[k].buffer) {
            continue;
        }
        Uses& uses = uses_[arguments[k].buffer.get()];
        add_once(before, uses.writer, instance);
        if (instance->arguments->parameters()[k].access == Access::In) {
            add_once(uses.readers, instance, nullptr);
            continue;
        }
        for (const InstancePointer& reader : uses.readers) {
            add_once(before, reader, instance);
        }
        uses.readers.clear();
        uses.writer = instance;
    }
    return before;
}

void StreamOrder::remove(const Instance& instance) {
    if (instance.is_program()) {
        return;
    }
    for (const Argument& argument : instance.arguments->arguments()) {
        const auto found = uses_.find(argument.buffer.get());
        if (found == uses_.end()) {
            continue;
        }
        Uses& uses = found->second;
        if (uses.writer.get() == &instance) {
            uses.writer = nullptr;
        }
        std::erase_if(uses.readers,
                      [&](const InstancePointer& reader) { return reader.get() == &instance; });
        if (!uses.writer && uses.readers.empty()) {
            uses_.erase(found);
        }
    }
}

}  // namespace weft::compute
