// weft_process.h — the program `weft` as its users start it: arguments in, exit code, stdout and
// stderr out.
//
// The binary is the one of this build. A process that says nothing for kSilenceLimit is killed, so
// that a hang is a failed check and not a stuck test. One thread per process.
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
    int exit_code = -1;     // -1: ended by a signal or never started
    int signal_number = 0;  // 0: ended by itself
    std::string out;
    std::string err;
    u64 peak_rss_bytes = 0;  // of the program, and of programs that it started
};

// For /bin/sh, where "$@" is the program and its arguments: `ulimit -f 8; exec "$@" 2>/dev/full`.
struct ShellScript {
    std::string text;
};

class WeftProcess {
public:
    // stdout goes to the file where one is named.
    explicit WeftProcess(const std::vector<std::string>& arguments,
                         const std::string& stdout_file = "");
    WeftProcess(const ShellScript& script, const std::vector<std::string>& arguments);
    WeftProcess(const WeftProcess&) = delete;
    WeftProcess& operator=(const WeftProcess&) = delete;
    ~WeftProcess();

    // Returns when stderr so far is as wanted; false where the program ended before that.
    bool wait_until(const std::function<bool(const std::string&)>& is_wanted);
    void send(int signal_number) const;
    // Reads to the end and reaps. Once.
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

}  // namespace weft::app::testing
