// whole_file.cpp — temporary name, checked writes, fsync, rename; memory first for devices and
// pipes.
#include "engine/film/whole_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "scheduler/base/temporary_files.h"

namespace weft::film {

namespace {

constexpr int kTriesForAName = 16;
constexpr const char* kTemporaryMark = ".part-";

// The process id separates processes, the number the files of one name that are open at once.
std::string temporary_name_for(const std::string& path, int number) {
    return path + kTemporaryMark + std::to_string(::getpid()) + "-" + std::to_string(number);
}

// Makes the rename outlive a power cut. Ignores folders that cannot be opened or flushed.
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

bool is_standard_output(const std::string& path) {
    return path == "-" || (path.starts_with("-.") && path.find('/') == std::string::npos);
}

std::string end_of_links(const std::string& path) {
    namespace fs = std::filesystem;
    constexpr int kMostLinks = 40;  // the kernel's limit; open() reports a longer chain or a circle
    fs::path target = path;
    std::error_code is_no_link;
    for (int k = 0; k < kMostLinks; ++k) {
        const fs::path next = fs::read_symlink(target, is_no_link);
        if (is_no_link) {
            break;
        }
        target = target.parent_path() / next;  // an absolute one replaces it
    }
    return target.string();
}

base::Result<WholeFile> WholeFile::open(const std::string& path) {
    WholeFile file;
    const bool is_stdout = is_standard_output(path);
    file.path_ = is_stdout ? "standard output" : path;
    file.target_ = path;

    struct stat status {};

    const bool exists = !is_stdout && ::stat(path.c_str(), &status) == 0;
    if (!exists && !is_stdout && errno == ELOOP) {
        return file.failure(ELOOP);
    }
    if (exists && S_ISDIR(status.st_mode)) {
        return file.failure(EISDIR);
    }
    if (is_stdout || (exists && !S_ISREG(status.st_mode))) {
        if (const int error_number = file.collect()) {
            return file.failure(error_number);
        }
        return file;
    }
    file.target_ = end_of_links(path);  // a link stays a link
    int error_number = 0;
    for (int i = 0; i < kTriesForAName && file.descriptor_ < 0; ++i) {
        file.temporary_path_ = temporary_name_for(file.target_, i);
        file.standing_ = base::list_temporary_file(file.temporary_path_);
        file.descriptor_ =
            ::open(file.temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file.descriptor_ < 0) {
            error_number = errno;
            base::unlist_temporary_file(file.standing_);
        }
        if (error_number != 0 && error_number != EEXIST) {
            break;
        }
    }
    if (file.descriptor_ < 0) {
        return file.failure(error_number);
    }
    return file;
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      through_(other.through_),
      temporary_path_(std::move(other.temporary_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      standing_(other.standing_),
      first_error_(other.first_error_) {}

WholeFile& WholeFile::operator=(WholeFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(target_, other.target_);
    std::swap(through_, other.through_);
    std::swap(temporary_path_, other.temporary_path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(standing_, other.standing_);
    std::swap(first_error_, other.first_error_);
    return *this;
}

WholeFile::~WholeFile() {
    discard();
}

void WholeFile::discard() {
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
        if (!through_) {
            ::unlink(temporary_path_.c_str());
            base::unlist_temporary_file(standing_);
        }
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

// Opens a file in memory, which encoders can read back by name.
int WholeFile::collect() {
    through_ = true;
    descriptor_ = ::memfd_create("weft", MFD_CLOEXEC);
    temporary_path_ = "/proc/self/fd/" + std::to_string(descriptor_);
    return descriptor_ < 0 ? errno : 0;
}

// Writes the bytes collected in memory to the device or pipe.
int WholeFile::pass_through() const {
    const int target = is_standard_output(target_)
                           ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                           : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (target < 0) {
        return errno;
    }
    std::array<char, 65536> bytes{};
    int error_number = 0;
    i64 offset = 0;
    while (error_number == 0) {
        const std::size_t count = read_at(bytes.data(), bytes.size(), offset);
        std::size_t done = 0;
        while (done < count && error_number == 0) {
            const ssize_t written = ::write(target, bytes.data() + done, count - done);
            if (written >= 0) {
                done += static_cast<std::size_t>(written);
            } else if (errno != EINTR) {
                error_number = errno;
            }
        }
        if (count == 0) {
            break;
        }
        offset += static_cast<i64>(count);
    }
    const bool closed = ::close(target) == 0;
    return error_number == 0 && !closed ? errno : error_number;
}

int WholeFile::put_in_place() const {
    if (through_) {
        return pass_through();
    }
    const bool is_done =
        ::fsync(descriptor_) == 0 && std::rename(temporary_path_.c_str(), target_.c_str()) == 0;
    return is_done ? 0 : errno;
}

base::Status WholeFile::commit() {
    base::Status status = state();
    if (status.is_ok()) {
        if (const int error_number = put_in_place()) {
            status = failure(error_number);
        }
    }
    if (!status.is_ok() || through_) {
        discard();
        return status;
    }
    base::unlist_temporary_file(standing_);
    ::close(std::exchange(descriptor_, -1));
    flush_folder(target_);
    return base::Done{};
}

void remove_stale_files(const std::string& path) {
    if (path.empty() || is_standard_output(path)) {
        return;
    }
    namespace fs = std::filesystem;
    const fs::path target = end_of_links(path);
    const std::string begin = target.filename().string() + kTemporaryMark;
    const fs::path folder = target.parent_path().empty() ? "." : target.parent_path();
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
        if (file->path().filename().string().starts_with(begin)) {
            std::error_code ignored;
            fs::remove(file->path(), ignored);
        }
    }
}

base::Error WholeFile::failure(int error_number) const {
    return {base::ErrorKind::Output,
            path_ + ": cannot be written (" + std::generic_category().message(error_number) +
                "); expected a file name in an existing folder with write permission and "
                "enough room"};
}

}  // namespace weft::film
