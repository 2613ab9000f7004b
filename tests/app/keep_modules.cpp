// keep_modules.cpp — under the address sanitizer modules that were loaded stay loaded.
//
// What a module lost is told by the module's name, which the sanitizer's report and tests/lsan.supp
// need at the end of the program; the display's driver is unloaded before that. Linked into the
// program in that build alone: it takes the place of the C library's function for all packages.
#include <dlfcn.h>

extern "C" int dlclose(void* /*module*/) noexcept {
    return 0;
}
