// whole_file.cpp — temporary name, checked writes, fsync, rename.
#include "engine/film/whole_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace weft::film {

namespace {

constexpr int kTriesForAName = 16;

// Unique among the files of this process; the process id tells others apart.
std::string temporary_name_for(const std::string& path) {
    static std::atomic<u32> counter{0};
    // Relaxed: only uniqueness matters.
    const u32 number = counter.fetch_add(1, std::memory_order_relaxed);
    return path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(number);
}

// Makes the rename itself outlive a power cut; folders that cannot be opened or flushed are left to
// the system.
void flush_folder(const std::string& path) {
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const int descriptor =
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        static_cast<void>(::fsync(descriptor));
        ::close(descriptor);
    }
}

}  // namespace

base::Result<WholeFile> WholeFile::open(const std::string& path) {
    WholeFile file;
    file.path_ = path;

    struct stat status {};

    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
        return file.failure(EISDIR);
    }
    for (int i = 0; i < kTriesForAName && file.descriptor_ < 0; ++i) {
        file.temporary_path_ = temporary_name_for(path);
        file.descriptor_ =
            ::open(file.temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file.descriptor_ < 0 && errno != EEXIST) {
            break;
        }
    }
    if (file.descriptor_ < 0) {
        return file.failure(errno);
    }
    return file;
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_path_(std::move(other.temporary_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      first_error_(other.first_error_) {}

WholeFile& WholeFile::operator=(WholeFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(temporary_path_, other.temporary_path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(first_error_, other.first_error_);
    return *this;
}

WholeFile::~WholeFile() {
    discard();
}

void WholeFile::discard() {
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
        ::unlink(temporary_path_.c_str());
    }
}

std::size_t WholeFile::write_at(const void* bytes, std::size_t size_bytes, i64 offset) {
    std::size_t done = 0;
    while (done < size_bytes && !first_error_) {
        const ssize_t count = ::pwrite(descriptor_,
                                       static_cast<const char*>(bytes) + done,
                                       size_bytes - done,
                                       offset + static_cast<i64>(done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            first_error_ = errno;
        }
    }
    return done;
}

std::size_t WholeFile::read_at(void* bytes, std::size_t size_bytes, i64 offset) const {
    std::size_t done = 0;
    while (done < size_bytes) {
        const ssize_t count = ::pread(descriptor_,
                                      static_cast<char*>(bytes) + done,
                                      size_bytes - done,
                                      offset + static_cast<i64>(done));
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (count == 0 || errno != EINTR) {
            break;
        }
    }
    return done;
}

i64 WholeFile::size_bytes() const {
    struct stat status {};

    return ::fstat(descriptor_, &status) == 0 ? i64{status.st_size} : 0;
}

base::Status WholeFile::state() const {
    return first_error_ ? base::Status(failure(first_error_)) : base::Status(base::Done{});
}

base::Status WholeFile::commit() {
    base::Status status = state();
    if (status.is_ok() && ::fsync(descriptor_) != 0) {
        status = failure(errno);
    }
    if (status.is_ok() && std::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
        status = failure(errno);
    }
    if (!status.is_ok()) {
        discard();
        return status;
    }
    ::close(std::exchange(descriptor_, -1));
    flush_folder(path_);
    return base::Done{};
}

base::Error WholeFile::failure(int error_number) const {
    return {base::ErrorKind::Output,
            path_ + ": cannot be written (" + std::generic_category().message(error_number) +
                "); expected a file name in an existing folder with write permission and "
                "enough room"};
}

}  // namespace weft::film
