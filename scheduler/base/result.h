// result.h — a value, or one sentence that says what was wrong with somebody's input.
//
// The sentence names the file (and line or JSON pointer), what was found and what was expected. The
// kind decides the exit code (app/main.cpp). WEFT_TRY below hands an error up. No thread rules.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "scheduler/base/ensure.h"

namespace weft::base {

// What kind of failure it was; the program maps each to an exit code.
enum class ErrorKind {
    Usage,     // the command line is wrong: exit code 2
    Scene,     // the scene cannot be used: 3
    TooLarge,  // the scene does not fit into memory: 3; after the first sample: 33
    Output,    // the output cannot be written: 4
    Render,    // failed while rendering: 1
    Memory,    // out of memory while rendering: 33
};

struct Error {
    ErrorKind kind = ErrorKind::Render;
    std::string sentence;
};

// Either a T or an Error. Ask is_ok() first; value() on an error is a program error.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

    Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool is_ok() const { return value_.has_value(); }

    [[nodiscard]] T& value() {
        ENSURE(is_ok(), ==, true);
        return *value_;
    }

    [[nodiscard]] const T& value() const {
        ENSURE(is_ok(), ==, true);
        return *value_;
    }

    [[nodiscard]] const Error& error() const { return error_; }

private:
    std::optional<T> value_;
    Error error_;
};

// A step that has no value of its own.
struct Done {};

using Status = Result<Done>;

}  // namespace weft::base

// WEFT_TRY(expression): returns the error of a Result from the calling function, whose own return
// type is any Result; goes on where there is a value. The expression is evaluated once:
//
//     WEFT_TRY(check_file(path));                         // a Status, or a value nobody needs
//     const Result<Scene> scene = import_scene(path);
//     WEFT_TRY(scene);                                    // scene.value() is safe from here on
#define WEFT_TRY(...)                      \
    do {                                   \
        auto&& weft_tried = (__VA_ARGS__); \
        if (!weft_tried.is_ok()) {         \
            return weft_tried.error();     \
        }                                  \
    } while (false)
