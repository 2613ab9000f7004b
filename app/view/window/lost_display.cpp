#include "app/view/window/lost_display.h"

#include <dlfcn.h>
#include <unistd.h>
#include <utility>

#include "app/command/exit_code.h"
#include "app/command/messages.h"

namespace weft::app {

namespace {

using Handler = int (*)(void* display);

// Lives as long as the process: the handler has no argument to carry it.
std::function<std::string()>& keep_before_end() {
    static auto* const keep = new std::function<std::string()>;
    return *keep;
}

int end_process(void* /*display*/) {
    say(Level::Error, keep_before_end()());
    _exit(kExitRender);
}

}  // namespace

void end_with_display(std::function<std::string()> keep) {
    keep_before_end() = std::move(keep);
    // GLFW loads Xlib if it draws through X, but offers no function for this.
    void* const set_handler = dlsym(RTLD_DEFAULT, "XSetIOErrorHandler");
    if (set_handler != nullptr) {
        reinterpret_cast<Handler (*)(Handler)>(set_handler)(end_process);
    }
}

}  // namespace weft::app
