// lost_display.h — the end of a viewer whose X display went away under it.
//
// Xlib then leaves a program no way to go on: it ends the process by exit(), which tears down what
// the renderer's threads are reading. So the viewer ends by itself: it keeps what is unsaved and
// prints one sentence, and waits for no thread. See XSetIOErrorHandler in "Xlib - C Language X
// Interface", section 11.8.2. Interface thread only.
#pragma once

#include <functional>
#include <string>

namespace weft::app {

// From now on, once the display is gone: calls `keep` on the thread that noticed, which is the
// interface thread, prints the sentence that it returns, and ends the process with exit code 1.
// `keep` must not use the window. After the window was opened; once per process. Without X nothing
// happens.
void end_with_display(std::function<std::string()> keep);

}  // namespace weft::app
