// own_display.h — a display for tests: Xvfb, started for the test process and ended with it.
//
// Sets DISPLAY for the processes that the test starts. One at a time, one thread.
#pragma once

#include <string>
#include <sys/types.h>

namespace weft::app::testing {

class OwnDisplay {
public:
    OwnDisplay();
    OwnDisplay(const OwnDisplay&) = delete;
    OwnDisplay& operator=(const OwnDisplay&) = delete;
    ~OwnDisplay();

    // False where there is no Xvfb on this machine.
    [[nodiscard]] bool is_there() const { return !number_.empty(); }

    // The display goes away under those who use it.
    void end();

private:
    pid_t process_ = -1;
    std::string number_;
};

}  // namespace weft::app::testing
