#include "engine/pages/page_output.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>

#include "scheduler/base/temporary_files.h"

namespace weft::pages {

namespace {

constexpr u64 kBufferBytes = u64{4} << 20;
constexpr int kTriesForAName = 16;

base::Error output_failure(const std::string& path, int error_number) {
    return {base::ErrorKind::Output,
            path + ": cannot be written (" + std::generic_category().message(error_number) +
                "); expected an existing folder with write permission and enough room"};
}

// Makes the rename outlive a power cut. Ignores folders that cannot be opened or flushed.
void flush_folder_of(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const FileDescriptor opened(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.is_open()) {
        static_cast<void>(::fsync(opened.number()));
    }
}

constexpr std::string_view kMark = ".part-";
constexpr time_t kDay_s = 24 * 60 * 60;

// Whether the name is that of a temporary file of `path`, or of a page file beside it: these have
// names of one length and ending, then the mark, a process id and a number.
bool is_temporary_beside(std::string_view name, const std::filesystem::path& path) {
    const std::size_t mark = path.filename().string().size();
    if (name.size() <= mark + kMark.size() || name.substr(mark, kMark.size()) != kMark ||
        !name.substr(0, mark).ends_with(path.extension().string())) {
        return false;
    }
    const std::string_view numbers = name.substr(mark + kMark.size());
    return numbers.find_first_not_of("0123456789-") == std::string_view::npos;
}

// Removes a temporary file whose writer was killed: nobody holds its lock. Where files cannot be
// locked, one of a day ago.
void remove_if_stale(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));

    struct stat status {};

    if (!file.is_open() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != ::geteuid()) {
        return;
    }
    const bool is_unlocked = ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
    const bool is_old = ::time(nullptr) - status.st_mtime > kDay_s;
    if (is_unlocked || (errno != EWOULDBLOCK && is_old)) {
        ::unlink(path.c_str());
    }
}

void remove_stale_beside(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.parent_path().empty() ? "." : path.parent_path();
    std::error_code error;
    for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
        if (is_temporary_beside(file->path().filename().string(), path)) {
            remove_if_stale(file->path());
        }
    }
}

// Locks a file for as long as it is open. False: another process removed it before that.
bool lock_new(int number) {
    // Some file systems have no locks; then the file's age protects it.
    static_cast<void>(::flock(number, LOCK_EX));

    struct stat status {};

    return ::fstat(number, &status) == 0 && status.st_nlink != 0;
}

}  // namespace

base::Result<PageOutput> PageOutput::create(const std::string& path) {
    remove_stale_beside(path);
    int error_number = EEXIST;
    // The process id separates processes, the number the files of one name within a process.
    for (int k = 0; k < kTriesForAName && error_number == EEXIST; ++k) {
        std::string temporary = path;
        temporary.append(kMark).append(std::to_string(::getpid()) + "-" + std::to_string(k));
        // List it before it is there, so that a signal cannot come between.
        const char* const listed = base::list_temporary_file(temporary);
        const int number =
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (number < 0) {
            error_number = errno;
            base::unlist_temporary_file(listed);
            continue;
        }
        PageOutput output(path, std::move(temporary), listed, number);
        if (lock_new(number)) {
            return output;
        }
    }
    return output_failure(path, error_number);
}

PageOutput::PageOutput(const std::string& path,
                       std::string temporary,
                       const char* listed,
                       int number)
    : path_(path), temporary_(std::move(temporary)), listed_(listed), file_(number) {
    buffer_.reserve(kBufferBytes);
}

PageOutput::PageOutput(PageOutput&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      listed_(other.listed_),
      file_(std::move(other.file_)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_),
      first_error_(other.first_error_) {}

PageOutput::~PageOutput() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        base::unlist_temporary_file(listed_);
    }
}

void PageOutput::append(const void* bytes, u64 size_bytes) {
    const char* from = static_cast<const char*>(bytes);
    while (size_bytes > 0) {
        const u64 part = std::min(size_bytes, kBufferBytes - buffer_.size());
        buffer_.insert(buffer_.end(), from, from + part);
        from += part;
        size_bytes -= part;
        if (buffer_.size() == kBufferBytes) {
            flush();
        }
    }
}

void PageOutput::put_first(const void* bytes, u64 size_bytes) {
    flush();
    write(bytes, size_bytes, 0);
}

void PageOutput::flush() {
    write(buffer_.data(), buffer_.size(), written_);
    written_ += buffer_.size();
    buffer_.clear();
}

void PageOutput::write(const void* bytes, u64 size_bytes, u64 offset) {
    const char* from = static_cast<const char*>(bytes);
    while (size_bytes > 0 && first_error_ == 0) {
        const ssize_t count =
            ::pwrite(file_.number(), from, size_bytes, static_cast<off_t>(offset));
        if (count >= 0) {
            from += count;
            offset += static_cast<u64>(count);
            size_bytes -= static_cast<u64>(count);
        } else if (errno != EINTR) {
            first_error_ = errno;
        }
    }
}

base::Status PageOutput::state() const {
    return first_error_ == 0 ? base::Status(base::Done{})
                             : base::Status(output_failure(path_, first_error_));
}

base::Status PageOutput::commit() {
    flush();
    if (first_error_ == 0 &&
        (::fsync(file_.number()) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0)) {
        first_error_ = errno;
    }
    WEFT_TRY(state());
    temporary_.clear();
    base::unlist_temporary_file(listed_);
    flush_folder_of(path_);
    return base::Done{};
}

}  // namespace weft::pages
