#include "scheduler/base/program.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::base {

namespace {

namespace fs = std::filesystem;

Error error(const ProgramCall& call, const std::string& what) {
    return {ErrorKind::Render, call.role + " " + call.program.string() + ": " + what};
}

// The first message that is an error, else the first line.
std::string first_message(const fs::path& messages) {
    std::ifstream file(messages);
    std::string first;
    for (std::string line; std::getline(file, line);) {
        if (first.empty() || line.find("error") != std::string::npos) {
            first = line;
        }
        if (line.find("error") != std::string::npos) {
            break;
        }
    }
    return first.empty() ? "it failed without a message" : first;
}

// Programs that run, for end_programs(); those beyond 4 at once are not listed.
struct Running {
    std::atomic<bool> is_taken{false};
    std::atomic<pid_t> group{0};  // 0: not started yet, or ended
    std::array<char, PATH_MAX> folder{};
};

std::array<Running, 4> running_programs;
static_assert(std::atomic<pid_t>::is_always_lock_free);

// A place in the list of running programs.
class ListedProgram {
public:
    explicit ListedProgram(const std::string& folder) {
        for (Running& running : running_programs) {
            // Acquire: pairs with the release of the place.
            if (folder.size() < running.folder.size() &&
                !running.is_taken.exchange(true, std::memory_order_acquire)) {
                running.folder[folder.copy(running.folder.data(), folder.size())] = '\0';
                running_ = &running;
                return;
            }
        }
    }

    ListedProgram(const ListedProgram&) = delete;
    ListedProgram& operator=(const ListedProgram&) = delete;
    ListedProgram(ListedProgram&&) = delete;
    ListedProgram& operator=(ListedProgram&&) = delete;

    ~ListedProgram() {
        set_group(0);
        if (running_ != nullptr) {
            running_->is_taken.store(false, std::memory_order_release);
        }
    }

    void set_group(pid_t group) {
        if (running_ != nullptr) {
            // Release: end_programs() that reads the group reads its folder.
            running_->group.store(group, std::memory_order_release);
        }
    }

private:
    Running* running_ = nullptr;
};

// A directory entry as the kernel returns it; no memory of the C library is used.
struct FolderEntry {
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t length;
    std::uint8_t type;
    char name[1];
};

constexpr int kDeepestFolder = 8;

// Removes everything in a folder, with system calls only.
void empty_folder(int folder, int depth) {
    alignas(FolderEntry) std::array<char, 4096> entries;
    for (long size = 1; size > 0;) {
        size = syscall(SYS_getdents64, folder, entries.data(), entries.size());
        for (long at = 0; at < size;) {
            const auto* const entry = reinterpret_cast<const FolderEntry*>(entries.data() + at);
            at += entry->length;
            const char* const name = static_cast<const char*>(entry->name);
            if (std::string_view(name) == "." || std::string_view(name) == "..") {
                continue;
            }
            const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) {
                if (depth < kDeepestFolder) {
                    empty_folder(inner, depth + 1);
                }
                close(inner);
            }
            unlinkat(folder, name, inner >= 0 ? AT_REMOVEDIR : 0);
        }
    }
}

// This program's environment, with another folder for temporary files.
std::vector<std::string> environment_with(const fs::path& temporary) {
    std::vector<std::string> texts = {"TMPDIR=" + temporary.string()};
    for (char** text = environ; *text != nullptr; ++text) {
        if (!std::string_view(*text).starts_with("TMPDIR=")) {
            texts.emplace_back(*text);
        }
    }
    return texts;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

// A process group of its own, with default signal handling.
void set_attributes(posix_spawnattr_t& attributes) {
    sigset_t usual;
    sigemptyset(&usual);
    posix_spawnattr_setsigmask(&attributes, &usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

// Starts the program without input and with its messages in a file; −1 with errno. `life` is open
// in it and in all processes that it starts.
pid_t start(const ProgramCall& call, const fs::path& messages, int life) {
    constexpr int kLifeInside = 3;
    std::vector<std::string> words = {call.program.string()};
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    std::vector<std::string> environment = environment_with(call.folder);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, life, kLifeInside);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(
        &actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    set_attributes(attributes);
    pid_t child = -1;
    const int failed = posix_spawn(&child,
                                   call.program.c_str(),
                                   &actions,
                                   &attributes,
                                   pointers_to(words).data(),
                                   pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    static_cast<void>(setpriority(PRIO_PGRP, static_cast<id_t>(child), call.niceness));
    return child;
}

// Kills the rest of a group whose first process is not reaped yet, reaps that process, and returns
// when no process holds the other end of `life`: none writes to the folder any more.
int end_group(pid_t child, int life) {
    constexpr int kPatienceMs = 5000;
    kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    pollfd end = {life, POLLIN, 0};
    while (poll(&end, 1, kPatienceMs) < 0 && errno == EINTR) {
    }
    return status;
}

// Why the wait for a child ended.
enum class Ended { ByItself, ByTime, ByWish };

Ended wait_for(pid_t child, const ProgramCall& call, const std::stop_token& stop) {
    const int child_file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    const int wish = eventfd(0, EFD_CLOEXEC);
    const std::stop_callback on_stop(stop, [wish] {
        const std::uint64_t one = 1;
        static_cast<void>(!write(wish, &one, sizeof one));
    });
    std::array<pollfd, 2> files = {pollfd{child_file, POLLIN, 0}, pollfd{wish, POLLIN, 0}};
    const int wait_ms = call.patience ? static_cast<int>(call.patience->count()) : -1;
    int ready = 0;
    do {
        ready = poll(files.data(), files.size(), wait_ms);
    } while (ready < 0 && errno == EINTR);
    const bool has_ended = (files[0].revents & POLLIN) != 0;
    const bool is_unwanted = (files[1].revents & POLLIN) != 0;
    if (child_file >= 0) {
        close(child_file);
    }
    close(wish);
    return has_ended ? Ended::ByItself : is_unwanted ? Ended::ByWish : Ended::ByTime;
}

}  // namespace

std::optional<fs::path> find_program(std::string_view name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path program = fs::path(folder) / name;
        const bool is_program = access(program.c_str(), X_OK) == 0 && !fs::is_directory(program);
        if (is_program && program.is_absolute()) {
            return program;
        }
    }
    return std::nullopt;
}

Status run_program(const ProgramCall& call, const std::stop_token& stop) {
    const fs::path messages = call.folder / "messages";
    std::array<int, 2> life{};
    if (pipe2(life.data(), O_CLOEXEC) != 0) {
        return error(call, std::strerror(errno));
    }
    ListedProgram listed(call.folder.string());
    const pid_t child = start(call, messages, life[1]);
    const int problem = errno;
    close(life[1]);
    if (child < 0) {
        close(life[0]);
        return error(call, std::strerror(problem));
    }
    listed.set_group(child);
    const Ended ended = wait_for(child, call, stop);
    const int status = end_group(child, life[0]);
    listed.set_group(0);
    close(life[0]);
    if (ended == Ended::ByTime) {
        return error(call, "it took more than " + std::to_string(call.patience->count()) + " ms");
    }
    if (ended == Ended::ByWish) {
        return error(call, "it was stopped because the program no longer needs it");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return error(call, first_message(messages));
    }
    return Done{};
}

void end_programs() {
    for (Running& running : running_programs) {
        // Acquire: pairs with the release in set_group.
        const pid_t group = running.group.load(std::memory_order_acquire);
        if (group <= 0) {
            continue;
        }
        kill(-group, SIGKILL);
        const char* const path = running.folder.data();
        // Repeat: a killed process may just have made a file.
        constexpr int kTries = 3;
        for (int k = 0; k < kTries; ++k) {
            const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (folder < 0) {
                break;
            }
            empty_folder(folder, 0);
            close(folder);
            rmdir(path);
        }
    }
}

}  // namespace weft::base
