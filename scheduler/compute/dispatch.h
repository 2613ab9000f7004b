// dispatch.h — which devices an instance goes to, by what each is doing now (R9, R10).
//
// Pure: a need and views of devices in, shares out. Any thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/compute/device.h"

namespace weft::compute {

struct DispatchNeed {
    ItemRange items;
    u64 least_items = 1;  // a smaller share is not worth a device of its own
    bool may_split = false;
    // The instance divides its work itself, over all devices at once: it waits for none and gets
    // every one that is free (the renderer's frame).
    bool takes_all = false;
};

// A device as an instance sees it.
struct DeviceView {
    DeviceType type = DeviceType::Cpu;
    DeviceState state;
    bool is_own = true;     // of the instance's context; others only stand in for a GPU that draws
    bool can_run = true;    // it has an executable
    u64 missing_bytes = 0;  // of memory that the instance still needs there
    double rate = 1;        // items per second, or lanes where none was measured anywhere
};

struct Share {
    u32 view = 0;
    ItemRange items;
};

enum class DispatchResult : u32 {
    Placed,
    Wait,   // a device that suits is full, and will have room
    Never,  // no device can run it
};

struct Dispatch {
    DispatchResult result = DispatchResult::Never;
    std::vector<Share> shares;  // Placed: the largest first, together all items
    std::string reason;
};

Dispatch choose_devices(const DispatchNeed& need, const std::vector<DeviceView>& views);

}  // namespace weft::compute
