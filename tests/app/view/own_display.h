// own_display.h — a display for tests: an Xvfb process that ends with the test process.
//
// Sets DISPLAY for processes that the test starts. One at a time, one thread.
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

    // False if this machine has no Xvfb.
    [[nodiscard]] bool is_there() const { return !number_.empty(); }

    // Ends the display while programs still use it.
    void end();

private:
    pid_t process_ = -1;
    std::string number_;
};

}  // namespace weft::app::testing
