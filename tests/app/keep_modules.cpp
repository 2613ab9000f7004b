// keep_modules.cpp — under the address sanitizer modules that were loaded stay loaded.
//
// The sanitizer's report and tests/lsan.supp name the module of each leak at the end of the
// program; the display's driver is unloaded before that. tests/app/CMakeLists.txt links this into
// the program in that build alone: it replaces the C library's function for all packages.
#include <dlfcn.h>

extern "C" int dlclose(void* /*module*/) noexcept {
    return 0;
}
