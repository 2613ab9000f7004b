// input_file.cpp — see input_file.h.
#include "scheduler/base/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scheduler/base/memory_limit.h"

namespace weft::base {
namespace {

Error unfit(const std::string& path, const std::string& found, const std::string& expected) {
    return {ErrorKind::Scene, path + ": " + found + ", expected " + expected};
}

const char* kind_of(const struct stat& file) {
    return S_ISDIR(file.st_mode)    ? "is a folder"
           : S_ISFIFO(file.st_mode) ? "is a pipe"
           : S_ISSOCK(file.st_mode) ? "is a socket"
                                    : "is a device";
}

std::string why_not(int error) {
    return error == ENOENT || error == ENOTDIR
               ? "no such file"
               : std::string("cannot be opened (") + std::strerror(error) + ")";
}

Status check(const std::string& path,
             int status,
             const struct stat& file,
             const std::string& expected) {
    if (status != 0) {
        return unfit(path, why_not(errno), expected);
    }
    return S_ISREG(file.st_mode) ? Status(Done{}) : unfit(path, kind_of(file), expected);
}

// Closes at the end of its scope.
class Descriptor {
public:
    explicit Descriptor(const std::string& path)
        // O_NONBLOCK: a pipe that replaced the file since the check does not block open().
        : number_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}

    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

// Fills the bytes. False: the file is shorter.
bool read_all(int descriptor, u8* bytes, u64 size_bytes) {
    constexpr u64 kMostAtOnce = u64{1} << 30;  // Linux reads no more than 2 GiB
    for (u64 at = 0; at < size_bytes;) {
        const ssize_t got = ::read(descriptor, bytes + at, std::min(size_bytes - at, kMostAtOnce));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += got > 0 ? static_cast<u64>(got) : 0;
    }
    return true;
}

// The size of an open file, which must be regular.
Result<u64> size_of(const std::string& path,
                    const std::string& expected,
                    const Descriptor& descriptor) {
    if (descriptor.number() < 0) {
        return unfit(path, why_not(errno), expected);
    }
    struct stat file = {};
    const int status = ::fstat(descriptor.number(), &file);
    const Status is_still_regular = check(path, status, file, expected);
    WEFT_TRY(is_still_regular);
    return static_cast<u64>(file.st_size);
}

}  // namespace

Status check_input_file(const std::string& path, const std::string& expected) {
    struct stat file = {};
    const int status = ::stat(path.c_str(), &file);
    return check(path, status, file, expected);
}

Result<std::vector<u8>> read_input_file(const std::string& path,
                                        const std::string& expected,
                                        u64 most_bytes) {
    WEFT_TRY(check_input_file(path, expected));
    const Descriptor descriptor(path);
    const Result<u64> found = size_of(path, expected, descriptor);
    WEFT_TRY(found);
    const u64 size = found.value();
    if (size > most_bytes) {
        return unfit(path,
                     "has " + std::to_string(size) + " bytes",
                     expected + " of at most " + std::to_string(most_bytes));
    }
    Result<MemoryClaim> claim = claim_memory(size, path);
    WEFT_TRY(claim);
    std::vector<u8> bytes(size);
    if (!read_all(descriptor.number(), bytes.data(), size)) {
        return unfit(path, "cannot be read to its end", expected);
    }
    claim.value().give_back(size);
    return bytes;
}

Status copy_input_file(const std::string& path,
                       const std::string& expected,
                       const std::function<Result<u8*>(u64 size_bytes)>& take) {
    WEFT_TRY(check_input_file(path, expected));
    const Descriptor descriptor(path);
    const Result<u64> size = size_of(path, expected, descriptor);
    WEFT_TRY(size);
    const Result<u8*> place = take(size.value());
    WEFT_TRY(place);
    std::vector<u8> strip(std::min(size.value(), u64{1} << 20));
    for (u64 at = 0; at < size.value(); at += strip.size()) {
        const u64 count = std::min<u64>(strip.size(), size.value() - at);
        if (!read_all(descriptor.number(), strip.data(), count)) {
            return unfit(path, "cannot be read to its end", expected);
        }
        std::copy_n(strip.begin(), count, place.value() + at);
    }
    return Done{};
}

std::string_view as_text(const std::vector<u8>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace weft::base
