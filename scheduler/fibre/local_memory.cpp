#include "scheduler/fibre/local_memory.h"

#include "scheduler/base/ensure.h"

namespace weft::fibre {

LocalMemory::LocalMemory(u32 element_capacity, u32 element_bytes, u64 cache_bytes)
    : element_capacity_(element_capacity),
      element_bytes_(element_bytes),
      managed_elements_(element_capacity),
      total_bytes_(u64{element_capacity} * element_bytes + cache_bytes) {
    ENSURE(element_capacity, >, 0u);
}

bool LocalMemory::set_split(u32 managed_elements) {
    if (managed_elements == 0 || managed_elements > element_capacity_) {
        return false;
    }
    managed_elements_ = managed_elements;
    return true;
}

}  // namespace weft::fibre
