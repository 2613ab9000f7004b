// own_display.cpp — Xvfb picks a free display and reports its number through a pipe.
#include "tests/app/view/own_display.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::app::testing {

OwnDisplay::OwnDisplay() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return;
    }
    constexpr int kNumberTo = 3;  // descriptor that Xvfb writes to
    std::array<std::string, 8> words = {"Xvfb",
                                        "-displayfd",
                                        std::to_string(kNumberTo),
                                        "-screen",
                                        "0",
                                        "1280x800x24",
                                        "-nolisten",
                                        "tcp"};
    std::array<char*, 9> argv{};
    for (std::size_t k = 0; k < words.size(); ++k) {
        argv[k] = words[k].data();
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], kNumberTo);
    const int status = ::posix_spawnp(&process_, "Xvfb", &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (status == 0) {
        // Read the number and a line end, which come once the display is usable; nothing if Xvfb
        // failed.
        char letter = 0;
        while (::read(ends[0], &letter, 1) == 1 && letter != '\n') {
            number_ += letter;
        }
        ::setenv("DISPLAY", (":" + number_).c_str(), 1);
    } else {
        process_ = -1;
    }
    ::close(ends[0]);
}

OwnDisplay::~OwnDisplay() {
    end();
}

void OwnDisplay::end() {
    if (process_ > 0) {
        ::kill(process_, SIGTERM);
        ::waitpid(process_, nullptr, 0);
        ::unsetenv("DISPLAY");
        process_ = -1;
    }
}

}  // namespace weft::app::testing
