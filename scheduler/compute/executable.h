// executable.h — a kernel's code for one kind of device, and the record of its build (R6).
//
// Immutable, shared by pointer: a running instance keeps it, so that releasing a kernel or
// replacing an executable in the library never unloads running code (R12).
#pragma once

#include <memory>
#include <string>
#include <typeindex>

#include "scheduler/base/ensure.h"
#include "scheduler/base/ids.h"
#include "scheduler/compute/capability.h"

namespace weft::compute {

// The origin of an executable.
enum class Origin : u32 {
    Linked,  // compiled with the program
    Cached,  // built at run time before, read from the cache folder
    Built,   // built at run time by this program
};

const char* origin_name(Origin origin);  // "linked", "cached", "built"

struct ExecutableRecord {
    std::string kernel;
    DeviceType type = DeviceType::Cpu;
    std::string instruction_set;
    std::string options;      // "" is the generic one; else definitions it is specialised to
    std::string flags;        // of the compiler, and which one where it is known
    std::string source_hash;  // of what it was built from; "" for linked ones
    std::string build_time;   // UTC, as "2026-01-31 12:00:00"; "" where unknown
    double build_s = 0;
    Origin origin = Origin::Linked;
};

// A kernel's function; its user states the type.
using AnyFunction = void (*)();

// The type of kernels that the queue itself calls: arguments are values and memory of the device,
// in the order of the parameters; items [first, first + count). 0: done; else an error code.
using ItemsFunction = u32(void* const* arguments, u64 first, u64 count);

class Executable {
public:
    Executable(ExecutableRecord record,
               AnyFunction entry,
               std::type_index type,
               std::shared_ptr<const void> code = nullptr)
        : record_(std::move(record)), function_(entry), type_(type), code_(std::move(code)) {}

    [[nodiscard]] const ExecutableRecord& record() const { return record_; }

    [[nodiscard]] std::type_index function_type() const { return type_; }

    // The function; F must be the type that the kernel was declared with.
    template <typename F>
    [[nodiscard]] F* as() const {
        ENSURE((std::type_index(typeid(F)) == type_), ==, true);
        return reinterpret_cast<F*>(function_);
    }

private:
    ExecutableRecord record_;
    AnyFunction function_;
    std::type_index type_;
    std::shared_ptr<const void> code_;  // a shared object that stays loaded meanwhile
};

using ExecutablePointer = std::shared_ptr<const Executable>;

template <typename F>
ExecutablePointer linked_executable(ExecutableRecord record, F* code) {
    return std::make_shared<const Executable>(
        std::move(record), reinterpret_cast<AnyFunction>(code), std::type_index(typeid(F)));
}

}  // namespace weft::compute
