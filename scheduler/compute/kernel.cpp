#include "scheduler/compute/kernel.h"

namespace weft::compute {

namespace {

u32 value_bytes(const Parameter& parameter) {
    switch (parameter.type) {
        case ArgumentType::U32:
        case ArgumentType::I32:
        case ArgumentType::F32:
            return 4;
        case ArgumentType::U64:
        case ArgumentType::F64:
            return 8;
        default:
            return parameter.size_bytes;
    }
}

}  // namespace

const char* argument_type_name(ArgumentType type) {
    constexpr std::array<const char*, 8> kNames = {
        "u32", "i32", "u64", "f32", "f64", "struct", "buffer", "image"};
    return kNames[static_cast<u32>(type)];
}

KernelArguments::KernelArguments(std::string kernel, std::vector<Parameter> parameters)
    : kernel_(std::move(kernel)), parameters_(std::move(parameters)) {
    arguments_.resize(parameters_.size());
}

base::Error KernelArguments::error(const std::string& what) const {
    return {base::ErrorKind::Render, "kernel " + kernel_ + ": " + what};
}

base::Result<u32> KernelArguments::place_of(Which which) const {
    if (const u32* const place = std::get_if<u32>(&which)) {
        if (*place < parameters_.size()) {
            return *place;
        }
        return error("it has " + std::to_string(parameters_.size()) + " parameters and none at " +
                     std::to_string(*place));
    }
    const std::string_view name = std::get<std::string_view>(which);
    for (u32 place = 0; place < parameters_.size(); ++place) {
        if (parameters_[place].name == name) {
            return place;
        }
    }
    return error("it has no parameter " + std::string(name));
}

base::Status KernelArguments::bind_value(Which which,
                                         ArgumentType type,
                                         const void* value,
                                         std::size_t bytes) {
    base::Result<u32> place = place_of(which);
    WEFT_TRY(place);
    const Parameter& parameter = parameters_[place.value()];
    if (type != parameter.type) {
        return error("the argument " + parameter.name + " is of type " + argument_type_name(type) +
                     ", expected " + argument_type_name(parameter.type));
    }
    if (bytes != value_bytes(parameter) || bytes > kMostValueBytes) {
        return error("the argument " + parameter.name + " has " + std::to_string(bytes) +
                     " bytes, expected " + std::to_string(value_bytes(parameter)));
    }
    Argument& argument = arguments_[place.value()];
    std::memcpy(argument.value.data(), value, bytes);
    argument.is_bound = true;
    return base::Done{};
}

base::Status KernelArguments::bind_buffer(Which which, std::shared_ptr<Buffer> buffer) {
    base::Result<u32> place = place_of(which);
    WEFT_TRY(place);
    const Parameter& parameter = parameters_[place.value()];
    const ArgumentType type = buffer->shape() ? ArgumentType::Image : ArgumentType::Buffer;
    if (type != parameter.type) {
        return error("the argument " + parameter.name + " is of type " + argument_type_name(type) +
                     ", expected " + argument_type_name(parameter.type));
    }
    if (buffer->is_lent() && parameter.access != Access::In) {
        return error("the argument " + parameter.name + " is lent, but the kernel writes it");
    }
    if (parameter.size_bytes != 0 && buffer->size_bytes() % parameter.size_bytes != 0) {
        return error("the argument " + parameter.name + " has " +
                     std::to_string(buffer->size_bytes()) + " bytes, expected a multiple of " +
                     std::to_string(parameter.size_bytes));
    }
    Argument& argument = arguments_[place.value()];
    argument.buffer = std::move(buffer);
    argument.is_bound = true;
    return base::Done{};
}

base::Status KernelArguments::check_complete() const {
    for (std::size_t place = 0; place < parameters_.size(); ++place) {
        if (!arguments_[place].is_bound) {
            return error("nothing is bound to the parameter " + parameters_[place].name);
        }
    }
    return base::Done{};
}

}  // namespace weft::compute
