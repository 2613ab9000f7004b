#include "tests/app/weft_process.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::app::testing {

namespace {

constexpr const char* kProgram = WEFT_BINARY_DIR "/weft";

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

// Sets close-on-exec, so that processes that other threads start do not keep these ends open.
Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe could be made");
    }
    return {ends[0], ends[1]};
}

// Appends the available bytes. Closes the descriptor at the end of the stream.
void drain(int& descriptor, std::string& text) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count > 0) {
        text.append(bytes.data(), static_cast<std::size_t>(count));
    } else {
        ::close(descriptor);
        descriptor = -1;
    }
}

}  // namespace

WeftProcess::WeftProcess(const std::vector<std::string>& arguments,
                         const std::string& stdout_file) {
    std::vector<std::string> words = {kProgram};
    words.insert(words.end(), arguments.begin(), arguments.end());
    start(std::move(words), stdout_file);
}

WeftProcess::WeftProcess(const ShellScript& script, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"/bin/sh", "-c", script.text, "sh", kProgram};
    words.insert(words.end(), arguments.begin(), arguments.end());
    start(std::move(words), "");
}

void WeftProcess::start(std::vector<std::string> words, const std::string& stdout_file) {
    std::vector<char*> argv;
    for (std::string& text : words) {
        argv.push_back(text.data());
    }
    argv.push_back(nullptr);

    const Pipe out = make_pipe();
    const Pipe err = make_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (stdout_file.empty()) {
        posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, stdout_file.c_str(), O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    // Reset signals that this process ignores, as under nohup.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int status =
        ::posix_spawn(&process_, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out.write_end);
    ::close(err.write_end);
    out_pipe_ = out.read_end;
    err_pipe_ = err.read_end;
    if (status != 0) {
        process_ = -1;
        ended_.err = words[0] + ": could not be started\n";
    }
}

WeftProcess::~WeftProcess() {
    if (process_ > 0) {
        send(SIGKILL);
        wait();
    }
}

bool WeftProcess::read_more() {
    std::array<pollfd, 2> pipes{{{out_pipe_, POLLIN, 0}, {err_pipe_, POLLIN, 0}}};
    if (out_pipe_ < 0 && err_pipe_ < 0) {
        return false;
    }
    constexpr int kLimitMs = std::chrono::milliseconds(kSilenceLimit).count();
    if (::poll(pipes.data(), pipes.size(), kLimitMs) == 0) {
        send(SIGKILL);
    }
    if (pipes[0].revents != 0) {
        drain(out_pipe_, ended_.out);
    }
    if (pipes[1].revents != 0) {
        drain(err_pipe_, ended_.err);
    }
    return true;
}

bool WeftProcess::wait_until(const std::function<bool(const std::string&)>& is_wanted) {
    bool is_running = true;
    while (is_running && !is_wanted(ended_.err)) {
        is_running = read_more();
    }
    return is_wanted(ended_.err);
}

void WeftProcess::send(int signal_number) const {
    // A process id of -1 would signal every process.
    if (process_ > 0) {
        ::kill(process_, signal_number);
    }
}

Ended WeftProcess::wait() {
    while (read_more()) {
    }
    int status = 0;
    struct rusage usage = {};
    if (process_ > 0 && ::wait4(process_, &status, 0, &usage) == process_) {
        process_ = -1;
        ended_.peak_rss_bytes = static_cast<u64>(usage.ru_maxrss) << 10;
        ended_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        ended_.signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    return std::move(ended_);
}

Ended run_weft(const std::vector<std::string>& arguments, const std::string& stdout_file) {
    return WeftProcess(arguments, stdout_file).wait();
}

Ended run_weft(const ShellScript& script, const std::vector<std::string>& arguments) {
    return WeftProcess(script, arguments).wait();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

bool has_samples(const std::string& err) {
    const std::string key = "\"samples\":";
    for (std::size_t at = err.find(key); at != std::string::npos; at = err.find(key, at + 1)) {
        const char digit = at + key.size() < err.size() ? err[at + key.size()] : '0';
        if (digit != '0') {
            return true;
        }
    }
    return false;
}

}  // namespace weft::app::testing
