#include "scheduler/compute/instance.h"

#include <exception>

#include "scheduler/base/clock.h"

namespace weft::compute {

base::Error Instance::failed(const std::string& what) const {
    return {base::ErrorKind::Render, "kernel " + name + ": " + what};
}

base::Result<std::vector<void*>> places_on(const KernelArguments& arguments,
                                           const DevicePointer& device) {
    std::vector<void*> places;
    for (const Argument& argument : arguments.arguments()) {
        if (!argument.buffer) {
            places.push_back(const_cast<std::byte*>(argument.value.data()));
            continue;
        }
        base::Result<void*> place = argument.buffer->place_on(device);
        WEFT_TRY(place);
        places.push_back(place.value());
    }
    return places;
}

base::Status Instance::bring_arguments() {
    if (is_program()) {
        return base::Done{};
    }
    for (const Share& share : shares) {
        auto brought = places_on(*arguments, places[share.view].device);
        if (!brought.is_ok()) {
            return failed(brought.error().sentence);
        }
        part_arguments.push_back(std::move(brought.value()));
    }
    return base::Done{};
}

base::Status Instance::run_part(u32 part) {
    try {
        if (is_program()) {
            std::vector<DevicePointer> devices;
            for (const Share& share : shares) {
                devices.push_back(places[share.view].device);
            }
            return program(devices);
        }
        const Share& share = shares[part];
        const Place& place = places[share.view];
        const u64 begin_ns = base::now_ns();
        const u32 code =
            place.device->launch(*place.executable, part_arguments[part].data(), share.items);
        place.device->note_items(name, share.items.count, base::now_ns() - begin_ns);
        if (code != 0) {
            return failed("error code " + std::to_string(code) + " on " +
                          place.device->capability().name);
        }
        return base::Done{};
    } catch (const std::exception& thrown) {
        return failed(std::string("it threw: ") + thrown.what());
    } catch (...) {
        return failed("it threw an exception without a message");
    }
}

void Instance::publish_written() {
    if (is_program()) {
        return;
    }
    for (std::size_t k = 0; k < arguments->parameters().size(); ++k) {
        const Parameter& parameter = arguments->parameters()[k];
        const Argument& argument = arguments->arguments()[k];
        if (!argument.buffer || parameter.access == Access::In) {
            continue;
        }
        std::vector<Buffer::Written> parts;
        for (const Share& share : shares) {
            const u64 each = parameter.bytes_per_item;
            parts.push_back({places[share.view].device.get(),
                             share.items.first * each,
                             share.items.count * each});
        }
        argument.buffer->take_written(parts);
    }
}

}  // namespace weft::compute
