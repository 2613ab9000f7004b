// kernel.h — a kernel's parameters, and a kernel object with arguments bound to them by index or
// name, checked for type and size (R5).
//
// A kernel object belongs to its creator; one thread at a time binds its arguments. Enqueueing
// copies them: later bindings, or releasing the object, do not affect instances in flight (R12).
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"
#include "scheduler/compute/buffer.h"

namespace weft::compute {

enum class ArgumentType : u32 { U32, I32, U64, F32, F64, Struct, Buffer, Image };

const char* argument_type_name(ArgumentType type);

// A kernel's access to a buffer.
enum class Access : u32 { In, Out, InOut };

struct Parameter {
    std::string name;
    ArgumentType type = ArgumentType::U32;
    u32 size_bytes = 0;  // of a Struct, or of an element of a buffer; 0: of any size
    Access access = Access::In;
    // n of a written buffer: item i writes only bytes [i n, (i + 1) n). 0: any item may write
    // anywhere, so a launch cannot be split.
    u32 bytes_per_item = 0;
};

// The largest value that is bound by copying; larger ones are buffers.
inline constexpr u32 kMostValueBytes = 64;

// The binding of one parameter.
struct Argument {
    bool is_bound = false;
    alignas(16) std::array<std::byte, kMostValueBytes> value{};
    std::shared_ptr<Buffer> buffer;
};

template <typename T>
constexpr ArgumentType type_of_value() {
    if constexpr (std::is_same_v<T, u32>) {
        return ArgumentType::U32;
    } else if constexpr (std::is_same_v<T, i32>) {
        return ArgumentType::I32;
    } else if constexpr (std::is_same_v<T, u64>) {
        return ArgumentType::U64;
    } else if constexpr (std::is_same_v<T, float>) {
        return ArgumentType::F32;
    } else if constexpr (std::is_same_v<T, double>) {
        return ArgumentType::F64;
    } else {
        return ArgumentType::Struct;
    }
}

class KernelArguments {
public:
    // Which parameter, by its place or its name.
    using Which = std::variant<u32, std::string_view>;

    KernelArguments(std::string kernel, std::vector<Parameter> parameters);

    // Error: no such parameter, another type, another size.
    template <typename T>
    base::Status bind(Which which, const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        return bind_value(which, type_of_value<T>(), &value, sizeof(T));
    }

    base::Status bind_buffer(Which which, std::shared_ptr<Buffer> buffer);

    // The place of a parameter. Error: no such one.
    [[nodiscard]] base::Result<u32> place_of(Which which) const;

    // Error: the first parameter that nothing is bound to.
    [[nodiscard]] base::Status check_complete() const;

    [[nodiscard]] const std::string& kernel() const { return kernel_; }

    [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

    [[nodiscard]] const std::vector<Argument>& arguments() const { return arguments_; }

private:
    base::Status bind_value(Which which, ArgumentType type, const void* value, std::size_t bytes);
    [[nodiscard]] base::Error error(const std::string& what) const;

    std::string kernel_;
    std::vector<Parameter> parameters_;
    std::vector<Argument> arguments_;
};

}  // namespace weft::compute
