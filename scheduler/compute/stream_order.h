// stream_order.h — finds the instances that an instance must follow because of common buffers (R8).
//
// In the order of enqueueing: a reader follows the last writer; a writer follows the last writer
// and all readers since. Ended instances are dropped. The queue uses it under its lock.
#pragma once

#include <map>
#include <vector>

#include "scheduler/compute/instance.h"

namespace weft::compute {

class StreamOrder {
public:
    // The instances that must end first, each once; notes the instance as a user.
    std::vector<InstancePointer> add(const InstancePointer& instance);
    void remove(const Instance& instance);

    // Buffers that an open instance uses.
    [[nodiscard]] std::size_t size() const { return uses_.size(); }

private:
    struct Uses {
        InstancePointer writer;
        std::vector<InstancePointer> readers;  // since
    };

    std::map<const Buffer*, Uses> uses_;
};

}  // namespace weft::compute
