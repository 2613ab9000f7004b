#include "scheduler/compute/compiler.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::compute {

namespace {

namespace fs = std::filesystem;

// How far below this program the compiler runs: rendering goes on meanwhile.
constexpr int kNiceness = 10;

base::Error error(const CompilerCall& call, const std::string& what) {
    return {base::ErrorKind::Render, "compiler " + call.program.string() + ": " + what};
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

// Starts it with no input and its messages in a file; −1 with errno.
pid_t start(const CompilerCall& call, const fs::path& messages) {
    std::vector<std::string> words = {call.program.string()};
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(
        &actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = -1;
    const int failed =
        posix_spawn(&child, call.program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(child), kNiceness));
    return child;
}

// Why the wait for a child ended.
enum class Ended { ByItself, ByTime, ByWish };

Ended wait_for(pid_t child, const CompilerCall& call, const std::stop_token& stop) {
    const int child_file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
    const int wish = eventfd(0, EFD_CLOEXEC);
    const std::stop_callback on_stop(stop, [wish] {
        const std::uint64_t one = 1;
        static_cast<void>(!write(wish, &one, sizeof one));
    });
    std::array<pollfd, 2> files = {pollfd{child_file, POLLIN, 0}, pollfd{wish, POLLIN, 0}};
    int ready = 0;
    do {
        ready = poll(files.data(), files.size(), static_cast<int>(call.patience.count()));
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

base::Result<fs::path> find_compiler() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    std::vector<fs::path> found;
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (fs::path(folder).is_absolute()) {
            found.emplace_back(folder);
        }
    }
    for (const char* name : {"c++", "g++", "clang++"}) {
        for (const fs::path& folder : found) {
            const fs::path program = folder / name;
            if (access(program.c_str(), X_OK) == 0 && !fs::is_directory(program)) {
                return program;
            }
        }
    }
    return base::Error{base::ErrorKind::Render,
                       "PATH leads to no C++ compiler, expected c++, g++ or clang++"};
}

base::Status run_compiler(const CompilerCall& call, const std::stop_token& stop) {
    const fs::path messages = call.folder / "messages";
    const pid_t child = start(call, messages);
    if (child < 0) {
        return error(call, std::strerror(errno));
    }
    const Ended ended = wait_for(child, call, stop);
    if (ended != Ended::ByItself) {
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (ended == Ended::ByTime) {
        return error(call, "it took more than " + std::to_string(call.patience.count()) + " ms");
    }
    if (ended == Ended::ByWish) {
        return error(call, "it was ended, since the program goes on without it");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return error(call, first_message(messages));
    }
    return base::Done{};
}

}  // namespace weft::compute
