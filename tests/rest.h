// rest.h — how a test waits for other threads.
#pragma once

#include <chrono>
#include <thread>

namespace weft::tests {

// Sleeps for a moment between two looks at what another thread does. A thread that yields instead
// takes a whole processor from the renders that it waits for, whose threads have a lower priority.
inline void rest() {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
}

}  // namespace weft::tests
