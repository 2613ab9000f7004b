#include "scheduler/compute/runtime.h"

#include <algorithm>

namespace weft::compute {

namespace {

base::Error error(const std::string& what) {
    return {base::ErrorKind::Render, what};
}

u64 image_bytes(const ImageShape& shape) {
    return u64{shape.width} * shape.height * pixel_bytes(shape.format);
}

// A launch that writes a buffer without a size per item cannot be split over devices.
base::Status check_split(const KernelArguments& arguments, const LaunchConfig& launch) {
    const u64 last = launch.items.first + launch.items.count;
    for (std::size_t k = 0; k < arguments.parameters().size(); ++k) {
        const Parameter& parameter = arguments.parameters()[k];
        const Argument& argument = arguments.arguments()[k];
        if (!argument.buffer || parameter.access == Access::In) {
            continue;
        }
        if (launch.may_split && parameter.bytes_per_item == 0) {
            return error("kernel " + arguments.kernel() + ": a launch that writes " +
                         parameter.name + " anywhere cannot be split");
        }
        if (parameter.bytes_per_item * last > argument.buffer->size_bytes()) {
            return error("kernel " + arguments.kernel() + ": " + std::to_string(last) +
                         " items write " + std::to_string(parameter.bytes_per_item * last) +
                         " bytes of " + parameter.name + ", which has " +
                         std::to_string(argument.buffer->size_bytes()));
        }
    }
    return base::Done{};
}

}  // namespace

Runtime::Runtime(const RuntimeConfig& config)
    : devices_("device", config.most_devices),
      logical_devices_("logical device", config.most_contexts),
      contexts_("context", config.most_contexts),
      buffers_("buffer", config.most_buffers),
      kernels_("kernel", config.most_kernels),
      events_("event", 2 * config.queue.most_open),
      library_(config.cache_folder, config.log),
      queue_(config.queue) {}

base::Result<DeviceHandle> Runtime::attach(std::shared_ptr<Device> device) {
    device->set_attached(true);
    auto handle = devices_.create(std::move(device));
    revision_.fetch_add(1, std::memory_order_relaxed);
    queue_.look_again();
    return handle;
}

base::Status Runtime::detach(DeviceHandle handle) {
    auto device = devices_.find(handle);
    WEFT_TRY(device);
    device.value()->set_attached(false);
    // Its groups cannot match again; contexts on them keep what they need.
    {
        const std::lock_guard lock(matching_);
        for (const auto& [group, logical] : logical_devices_.live()) {
            const auto& members = logical->members;
            if (std::find(members.begin(), members.end(), device.value()) != members.end()) {
                WEFT_TRY(logical_devices_.release(group));
            }
        }
    }
    base::Status released = devices_.release(handle);
    revision_.fetch_add(1, std::memory_order_relaxed);
    queue_.look_again();
    return released;
}

std::vector<ListedDevice> Runtime::devices() const {
    std::vector<ListedDevice> listed;
    for (const auto& [handle, device] : devices_.live()) {
        listed.push_back({handle, device->capability(), device->state()});
    }
    return listed;
}

u64 Runtime::device_revision() const {
    return revision_.load(std::memory_order_relaxed);
}

base::Status Runtime::set_drawing(DeviceHandle handle, bool is_drawing) {
    auto device = devices_.find(handle);
    WEFT_TRY(device);
    device.value()->set_drawing(is_drawing);
    queue_.look_again();
    return base::Done{};
}

base::Result<std::vector<MatchedDevice>> Runtime::match(const Requirements& requirements,
                                                        const std::vector<DeviceHandle>& left_out) {
    std::vector<DevicePointer> listed;
    std::vector<const Capability*> records;
    std::string verdicts;
    for (const auto& [handle, device] : devices_.live()) {
        if (std::find(left_out.begin(), left_out.end(), handle) != left_out.end()) {
            continue;
        }
        listed.push_back(device);
        records.push_back(&device->capability());
        verdicts += (verdicts.empty() ? "" : "; ") + device->capability().name + ": " +
                    judge(requirements, device->capability()).reason;
    }
    const std::vector<MatchGroup> groups = match_groups(requirements, records);
    if (groups.empty()) {
        return error("no device meets the requirements: " +
                     (verdicts.empty() ? "none is attached" : verdicts));
    }
    const std::lock_guard lock(matching_);
    std::vector<MatchedDevice> matched;
    for (const MatchGroup& group : groups) {
        MatchedDevice match{intern(group, listed), {}, group.score, group.arithmetic_class, {}};
        match.reason = group.reason;
        for (const u32 member : group.members) {
            match.names.push_back(records[member]->name);
        }
        matched.push_back(std::move(match));
    }
    return matched;
}

// The same group keeps its handle.
LogicalHandle Runtime::intern(const MatchGroup& group, const std::vector<DevicePointer>& listed) {
    auto device = std::make_shared<LogicalDevice>();
    device->arithmetic_class = group.arithmetic_class;
    for (const u32 member : group.members) {
        device->members.push_back(listed[member]);
    }
    for (const auto& [handle, other] : logical_devices_.live()) {
        if (other->members == device->members &&
            other->arithmetic_class == device->arithmetic_class) {
            return handle;
        }
    }
    auto handle = logical_devices_.create(std::move(device));
    return handle.is_ok() ? handle.value() : LogicalHandle{};
}

base::Result<ContextHandle> Runtime::create_context(LogicalHandle device) {
    auto found = logical_devices_.find(device);
    WEFT_TRY(found);
    return contexts_.create(std::make_shared<Context>(Context{found.value()}));
}

base::Result<std::vector<DevicePointer>> Runtime::context_devices(ContextHandle context) const {
    auto found = contexts_.find(context);
    WEFT_TRY(found);
    return found.value()->device->members;
}

base::Result<BufferHandle> Runtime::add_buffer(ContextHandle context,
                                               std::shared_ptr<Buffer> buffer) {
    auto found = contexts_.find(context);
    WEFT_TRY(found);
    return buffers_.create(std::move(buffer));
}

base::Result<BufferHandle> Runtime::create_buffer(ContextHandle context, u64 size_bytes) {
    return add_buffer(context, std::make_shared<Buffer>(size_bytes));
}

base::Status Runtime::check_images(ContextHandle context) const {
    auto members = context_devices(context);
    WEFT_TRY(members);
    for (const DevicePointer& device : members.value()) {
        if (!device->capability().has_images) {
            return error("image: the device " + device->capability().name + " has no images");
        }
    }
    return base::Done{};
}

base::Result<BufferHandle> Runtime::create_image(ContextHandle context, const ImageShape& shape) {
    WEFT_TRY(check_images(context));
    images_.fetch_add(1, std::memory_order_relaxed);
    return add_buffer(context, std::make_shared<Buffer>(image_bytes(shape), shape));
}

base::Result<BufferHandle> Runtime::lend_buffer(ContextHandle context,
                                                std::span<const std::byte> bytes,
                                                const std::optional<ImageShape>& shape) {
    if (shape) {
        WEFT_TRY(check_images(context));
        if (image_bytes(*shape) != bytes.size()) {
            return error("image: " + std::to_string(bytes.size()) + " bytes were lent, expected " +
                         std::to_string(image_bytes(*shape)));
        }
        images_.fetch_add(1, std::memory_order_relaxed);
    }
    lent_.fetch_add(1, std::memory_order_relaxed);
    return add_buffer(context, std::make_shared<Buffer>(bytes, shape));
}

base::Result<BufferHandle> Runtime::map_buffer(ContextHandle context,
                                               std::span<const std::byte> bytes) {
    mapped_.fetch_add(1, std::memory_order_relaxed);
    return add_buffer(context, std::make_shared<Buffer>(bytes, std::nullopt, LentAccess::Mapped));
}

base::Status Runtime::write(BufferHandle buffer, u64 offset, std::span<const std::byte> bytes) {
    auto found = buffers_.find(buffer);
    WEFT_TRY(found);
    return found.value()->write(offset, bytes);
}

base::Status Runtime::read(BufferHandle buffer, u64 offset, std::span<std::byte> bytes) const {
    auto found = buffers_.find(buffer);
    WEFT_TRY(found);
    return found.value()->read(offset, bytes);
}

base::Result<void*> Runtime::bring(BufferHandle buffer, const DevicePointer& device) {
    auto found = buffers_.find(buffer);
    WEFT_TRY(found);
    return found.value()->place_on(device);
}

// Attached processors outside of the group: they run instances of a GPU that draws.
std::vector<DevicePointer> Runtime::stand_ins(const std::vector<DevicePointer>& members) const {
    std::vector<DevicePointer> found;
    for (const auto& [handle, device] : devices_.live()) {
        if (device->capability().type == DeviceType::Cpu &&
            std::find(members.begin(), members.end(), device) == members.end()) {
            found.push_back(device);
        }
    }
    return found;
}

base::Result<KernelHandle> Runtime::create_kernel(ContextHandle context,
                                                  const std::string& name,
                                                  const Wish& wish) {
    auto found = contexts_.find(context);
    WEFT_TRY(found);
    auto parameters = library_.parameters(name);
    WEFT_TRY(parameters);
    const LogicalDevice& logical = *found.value()->device;
    Kernel kernel{found.value(), KernelArguments(name, parameters.value()), {}};
    Wish own = wish;
    if (own.arithmetic_class.empty()) {
        own.arithmetic_class = logical.arithmetic_class;
    }
    for (const DevicePointer& device : logical.members) {
        auto loaded = library_.load(name, device->capability(), own);
        WEFT_TRY(loaded);
        kernel.places.push_back({device, loaded.value().executable, true});
    }
    for (const DevicePointer& device : stand_ins(logical.members)) {
        auto loaded = library_.choose(name, device->capability(), own);
        if (loaded.is_ok()) {
            kernel.places.push_back({device, loaded.value().executable, false});
        }
    }
    return kernels_.create(std::make_shared<Kernel>(std::move(kernel)));
}

base::Status Runtime::bind(KernelHandle kernel, KernelArguments::Which which, BufferHandle buffer) {
    auto found = kernels_.find(kernel);
    WEFT_TRY(found);
    auto bound = buffers_.find(buffer);
    WEFT_TRY(bound);
    bound_.fetch_add(1, std::memory_order_relaxed);
    return found.value()->arguments.bind_buffer(which, bound.value());
}

base::Result<BroughtKernel> Runtime::bring(KernelHandle kernel, const DevicePointer& device) {
    auto found = kernels_.find(kernel);
    WEFT_TRY(found);
    const Kernel& object = *found.value();
    base::Status complete = object.arguments.check_complete();
    WEFT_TRY(complete);
    const auto place = std::find_if(object.places.begin(),
                                    object.places.end(),
                                    [&](const Place& other) { return other.device == device; });
    if (place == object.places.end()) {
        return error("kernel " + object.arguments.kernel() + ": the device " +
                     device->capability().name + " is not of its context");
    }
    BroughtKernel brought;
    brought.executable = place->executable;
    brought.arguments = std::make_shared<const KernelArguments>(object.arguments);
    auto places = places_on(*brought.arguments, device);
    WEFT_TRY(places);
    brought.places = std::move(places.value());
    return brought;
}

void* BroughtKernel::at(std::string_view parameter) const {
    const auto place = arguments->place_of(parameter);
    ENSURE(place.is_ok(), ==, true);
    return places[place.value()];
}

base::Result<EventHandle> Runtime::enqueue(KernelHandle kernel, const LaunchConfig& launch) {
    auto found = kernels_.find(kernel);
    WEFT_TRY(found);
    const KernelArguments& arguments = found.value()->arguments;
    base::Status complete = arguments.check_complete();
    if (complete.is_ok()) {
        complete = check_split(arguments, launch);
    }
    WEFT_TRY(complete);
    auto instance = std::make_shared<Instance>();
    instance->name = arguments.kernel();
    instance->arguments = arguments;
    instance->places = found.value()->places;
    instance->need = {launch.items, launch.least_items, launch.may_split, false, false};
    return put(std::move(instance), launch);
}

base::Result<EventHandle> Runtime::enqueue_program(ContextHandle context,
                                                   const std::string& name,
                                                   Program program,
                                                   const LaunchConfig& launch) {
    auto found = contexts_.find(context);
    WEFT_TRY(found);
    auto instance = std::make_shared<Instance>();
    instance->name = name;
    instance->program = std::move(program);
    instance->need = {launch.items, launch.least_items, true, true, !launch.needs_device};
    for (const KernelHandle handle : launch.calls) {
        auto kernel = kernels_.find(handle);
        WEFT_TRY(kernel);
        instance->calls.push_back(kernel.value());
    }
    const LogicalDevice& logical = *found.value()->device;
    for (const DevicePointer& device : logical.members) {
        instance->places.push_back({device, nullptr, true});
    }
    for (const DevicePointer& device : stand_ins(logical.members)) {
        if (device->capability().best_set(logical.arithmetic_class)) {
            instance->places.push_back({device, nullptr, false});
        }
    }
    return put(std::move(instance), launch);
}

base::Result<EventHandle> Runtime::put(InstancePointer instance, const LaunchConfig& launch) {
    instance->priority = launch.priority;
    std::vector<std::shared_ptr<Event>> follows;
    for (const EventHandle handle : launch.follows) {
        auto event = events_.find(handle);
        WEFT_TRY(event);
        follows.push_back(event.value());
    }
    auto event = queue_.enqueue(std::move(instance), follows);
    WEFT_TRY(event);
    return events_.create(event.value());
}

ObjectFigures Runtime::object_figures() const {
    return {contexts_.counts(),
            buffers_.counts(),
            kernels_.counts(),
            lent_.load(std::memory_order_relaxed),
            mapped_.load(std::memory_order_relaxed),
            images_.load(std::memory_order_relaxed),
            bound_.load(std::memory_order_relaxed)};
}

base::Result<Event> Runtime::look(EventHandle event) const {
    auto found = events_.find(event);
    WEFT_TRY(found);
    return queue_.look(*found.value());
}

base::Status Runtime::wait(EventHandle event) {
    auto found = events_.find(event);
    WEFT_TRY(found);
    return queue_.wait(*found.value());
}

}  // namespace weft::compute
