// weft_process.h — runs this build's `weft` as a process and returns its exit code, stdout and
// stderr.
//
// A process without output for kSilenceLimit is killed, so that a hang fails a check instead of
// blocking the test. One thread per WeftProcess.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::app::testing {

inline constexpr std::chrono::seconds kSilenceLimit{240};

struct Ended {
    int exit_code = -1;     // -1: a signal ended the program, or it never started
    int signal_number = 0;  // 0: no signal ended the program
    std::string out;
    std::string err;
    u64 peak_rss_bytes = 0;  // of the program and its child processes
};

// A script for /bin/sh, where "$@" is the program with its arguments: `ulimit -f 8; exec "$@"`.
struct ShellScript {
    std::string text;
};

class WeftProcess {
public:
    // Sends stdout to `stdout_file` if it is not empty.
    explicit WeftProcess(const std::vector<std::string>& arguments,
                         const std::string& stdout_file = "");
    WeftProcess(const ShellScript& script, const std::vector<std::string>& arguments);
    WeftProcess(const WeftProcess&) = delete;
    WeftProcess& operator=(const WeftProcess&) = delete;
    ~WeftProcess();

    // Reads stderr until `is_wanted` accepts it. Returns false if the program ends before that.
    bool wait_until(const std::function<bool(const std::string&)>& is_wanted);
    void send(int signal_number) const;

    [[nodiscard]] pid_t id() const { return process_; }

    // Reads both streams to the end and reaps the process. Call it once.
    Ended wait();

private:
    void start(std::vector<std::string> words, const std::string& stdout_file);
    bool read_more();

    pid_t process_ = -1;
    int out_pipe_ = -1;
    int err_pipe_ = -1;
    Ended ended_;
};

Ended run_weft(const std::vector<std::string>& arguments, const std::string& stdout_file = "");
Ended run_weft(const ShellScript& script, const std::vector<std::string>& arguments);

std::vector<std::string> lines_of(const std::string& text);

// False with sanitizers, which take several times the memory that the program allocates.
inline bool is_memory_measured() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}

// Whether a line of --progress json reports finished samples.
bool has_samples(const std::string& err);

}  // namespace weft::app::testing
