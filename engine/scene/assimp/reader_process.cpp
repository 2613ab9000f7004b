// reader_process.cpp — see reader_process.h.
#include "engine/scene/assimp/reader_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/scene/assimp/assimp_pack.h"
#include "engine/scene/assimp/reader_limits.h"
#include "scheduler/base/installation.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {
namespace {

constexpr const char* kProgram = "weft-import";
// The reader holds one end of a pipe under this number; the pipe closes when the reader ends.
constexpr int kAliveFile = kPackFile + 1;
constexpr int kAskEvery_ms = 20;  // for a cancelled import

class Descriptor {
public:
    // Moves the descriptor above the numbers that the reader gets.
    explicit Descriptor(int number) : number_(number) {
        if (number >= 0 && number <= kAliveFile) {
            number_ = ::fcntl(number, F_DUPFD_CLOEXEC, kAliveFile + 1);
            ::close(number);
        }
    }

    ~Descriptor() { close(); }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    void close() {
        if (number_ >= 0) {
            ::close(number_);
            number_ = -1;
        }
    }

    [[nodiscard]] int number() const { return number_; }

private:
    int number_;
};

base::Error cannot_start(const std::string& program, int error) {
    return {base::ErrorKind::Render,
            std::string(kProgram) +
                ", the part of Weft that reads this kind of file, cannot be started (" +
                std::generic_category().message(error) + "); expected it at " + program + "."};
}

// The rest of --memory-limit.
u64 memory_left() {
    const u64 limit = base::memory_limit_bytes();
    return limit - std::min(limit, base::resident_bytes());
}

// The attributes of the reader, which inherits its two descriptors and nothing else.
class SpawnPlan {
public:
    SpawnPlan(int pack, int alive) {
        posix_spawn_file_actions_init(&actions_);
        for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
        }
        posix_spawn_file_actions_adddup2(&actions_, pack, kPackFile);
        posix_spawn_file_actions_adddup2(&actions_, alive, kAliveFile);
        posix_spawn_file_actions_addclosefrom_np(&actions_, kAliveFile + 1);
        posix_spawnattr_init(&attributes_);
        // A process group of its own: terminal signals reach this process alone, which ends the
        // reader.
        posix_spawnattr_setpgroup(&attributes_, 0);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        sigset_t all;
        sigfillset(&all);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }

    ~SpawnPlan() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }

    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    // 0, or an errno.
    int start(const std::string& program,
              std::vector<std::string> arguments,
              pid_t& process) const {
        std::vector<char*> argv;
        for (std::string& argument : arguments) {
            argv.push_back(argument.data());
        }
        argv.push_back(nullptr);
        return posix_spawn(
            &process, program.c_str(), &actions_, &attributes_, argv.data(), environ);
    }

private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

// The reader sets limits by the size of its file; this caps them at the memory left to this
// process. Sanitizers reserve more than any limit.
void keep_to_memory_left([[maybe_unused]] pid_t process) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const u64 limit = base::memory_limit_bytes();
    const rlim_t left = limit - std::min(limit, base::resident_bytes());
    const rlimit most{left, left};
    static_cast<void>(::prlimit(process, RLIMIT_DATA, &most, nullptr));
#endif
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// False: the import was cancelled.
bool wait_for_end(int alive, const ImportConfig& config) {
    while (!is_given_up(config)) {
        pollfd end{alive, POLLIN, 0};
        if (::poll(&end, 1, kAskEvery_ms) > 0) {
            return true;
        }
    }
    return false;
}

base::Error ended_badly(const std::string& path, const std::string& extension, int status) {
    const auto failed = [&](const std::string& what) {
        return base::Error{
            base::ErrorKind::Scene,
            path + ": " + what + "; expected a whole " + kind_name(extension) + " file."};
    };
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kReaderOutOfMemory) {
        return failed(
            "takes more memory to read than a file of its size should, or than --memory-limit "
            "leaves");
    }
    if (signal == SIGXCPU) {
        return failed("takes longer to read than a file of its size should");
    }
    const char* const name = signal == 0 ? nullptr : sigdescr_np(signal);
    return failed("cannot be read (assimp, which reads it, crashed on it" +
                  (name == nullptr ? std::string() : std::string(": ") + name) + ")");
}

base::Result<PackBytes> map_pack(const std::string& path, int file) {
    struct stat status {};

    // Sealed, so that a process that still has it open cannot change it.
    const bool is_sealed =
        ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
    if (!is_sealed || ::fstat(file, &status) != 0 || status.st_size <= 0) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": cannot be read (its reader sent no data)."};
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) {
        return base::Error{base::ErrorKind::TooLarge,
                           path + ": does not fit into memory; expected a smaller scene."};
    }
    return PackBytes(static_cast<const char*>(memory), size);
}

}  // namespace

PackBytes::~PackBytes() {
    if (!bytes_.empty()) {
        ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
    }
}

base::Result<PackBytes> run_reader(const std::string& path,
                                   const std::string& extension,
                                   const ImportConfig& config) {
    const std::string program = base::installed_part(kProgram);
    if (program.empty()) {
        return cannot_start(kProgram, ENOENT);
    }
    const Descriptor pack(::memfd_create(kProgram, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    std::array<int, 2> ends{-1, -1};
    const bool has_pipe = ::pipe2(ends.data(), O_CLOEXEC) == 0;
    const Descriptor alive(ends[0]);
    Descriptor held(ends[1]);
    if (pack.number() < 0 || !has_pipe) {
        return cannot_start(program, errno);
    }
    pid_t process = 0;
    std::vector<std::string> arguments = {
        kProgram, path, extension, std::to_string(getpid()), std::to_string(memory_left())};
    arguments.insert(arguments.end(), config.asset_roots.begin(), config.asset_roots.end());
    const int error =
        SpawnPlan(pack.number(), held.number()).start(program, std::move(arguments), process);
    if (error != 0) {
        return cannot_start(program, error);
    }
    held.close();
    keep_to_memory_left(process);
    if (!wait_for_end(alive.number(), config)) {
        ::kill(process, SIGKILL);
        wait_for(process);
        return cancelled_error(path);
    }
    const int status = wait_for(process);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
        return ended_badly(path, extension, status);
    }
    return map_pack(path, pack.number());
}

}  // namespace weft::scene
