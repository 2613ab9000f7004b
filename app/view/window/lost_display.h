// lost_display.h — ends the viewer cleanly when its X display disappears.
//
// Xlib then calls exit(), which destroys objects that the renderer's threads still read. So the
// viewer ends the process itself: it keeps unsaved edits, prints one sentence, and waits for no
// thread. See XSetIOErrorHandler in "Xlib - C Language X Interface", section 11.8.2. Interface
// thread only.
#pragma once

#include <functional>
#include <string>

namespace weft::app {

// Installs the handler. When the display disappears, the handler calls `keep` on the interface
// thread, prints the sentence that it returns, and ends the process with exit code 1. `keep` must
// not use the window. Call after the window was opened, once per process. Without X it does
// nothing.
void end_with_display(std::function<std::string()> keep);

}  // namespace weft::app
