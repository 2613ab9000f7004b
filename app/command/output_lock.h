// output_lock.h — keeps two processes of this machine from writing one output.
//
// The lock is the name of a socket in the kernel's abstract namespace, made from the folder's
// identity and the file's name. It leaves no file behind, and the kernel frees it however the
// process ends. Processes of other machines or containers are not seen: there, the last picture
// stays, whole. Any thread.
#pragma once

#include <string>
#include <utility>

#include "scheduler/base/result.h"

namespace weft::app {

class OutputLock {
public:
    OutputLock() = default;

    OutputLock(OutputLock&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

    OutputLock& operator=(OutputLock&& other) noexcept {
        std::swap(socket_, other.socket_);
        return *this;
    }

    OutputLock(const OutputLock&) = delete;
    OutputLock& operator=(const OutputLock&) = delete;
    ~OutputLock();

    // Error (kind Output): another process has it. A name that is empty, a device, a pipe or the
    // standard output needs no lock.
    static base::Result<OutputLock> take(const std::string& path);

private:
    explicit OutputLock(int socket) : socket_(socket) {}

    int socket_ = -1;
};

}  // namespace weft::app
