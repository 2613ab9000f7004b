// dispatch.h — chooses the devices of an instance by their current state (R9, R10).
//
// Pure: takes a need and views of devices, returns shares. Any thread.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/compute/device.h"

namespace weft::compute {

struct DispatchNeed {
    ItemRange items;
    u64 least_items = 1;  // of a share
    bool may_split = false;
    // The instance divides its work itself (the renderer's frame): it gets all free devices and
    // waits for none.
    bool takes_all = false;
    // It works on the host alone (a file is written), and takes no device.
    bool takes_none = false;
};

// The state of a device for one instance.
struct DeviceView {
    DeviceType type = DeviceType::Cpu;
    DeviceState state;
    bool is_own = true;     // in the instance's context; others only stand in for a drawing GPU
    bool can_run = true;    // it has an executable
    u64 missing_bytes = 0;  // of memory that the instance still needs there
    double rate = 1;        // items per second, or lanes if no device was measured
};

struct Share {
    u32 view = 0;
    ItemRange items;
};

enum class DispatchResult : u32 {
    Placed,
    Wait,   // a suitable device is full, and will have room
    Never,  // no device can run it
};

struct Dispatch {
    DispatchResult result = DispatchResult::Never;
    std::vector<Share> shares;  // Placed: the largest first, together all items
    std::string reason;
};

Dispatch choose_devices(const DispatchNeed& need, const std::vector<DeviceView>& views);

}  // namespace weft::compute
