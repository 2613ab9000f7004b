// file_descriptor.h — an open file that closes itself, and whole reads from it.
//
// The room's files open one: the output, the reader of what is always in memory, and the reader of
// pages. No thread rules beyond those of the system calls.
#pragma once

#include <algorithm>
#include <cerrno>
#include <unistd.h>
#include <utility>

#include "scheduler/base/ids.h"

namespace weft::pages {

class FileDescriptor {
public:
    FileDescriptor() = default;

    explicit FileDescriptor(int number) : number_(number) {}

    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    ~FileDescriptor() {
        if (is_open()) {
            ::close(number_);
        }
    }

    [[nodiscard]] bool is_open() const { return number_ >= 0; }

    [[nodiscard]] int number() const { return number_; }

    // Reads all bytes or returns false: the file ends before, or errno says why.
    [[nodiscard]] bool read_at(void* bytes, u64 size_bytes, u64 offset) const {
        constexpr u64 kMostAtOnce = u64{1} << 30;  // the system reads less than 2 GiB in one call
        char* to = static_cast<char*>(bytes);
        errno = 0;
        while (size_bytes > 0) {
            const ssize_t count =
                ::pread(number_, to, std::min(size_bytes, kMostAtOnce), static_cast<off_t>(offset));
            if (count > 0) {
                to += count;
                offset += static_cast<u64>(count);
                size_bytes -= static_cast<u64>(count);
            } else if (count == 0 || errno != EINTR) {
                return false;
            }
        }
        return true;
    }

private:
    int number_ = -1;
};

}  // namespace weft::pages
