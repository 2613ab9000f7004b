// keep_modules.cpp — keeps shared modules loaded in builds with the address sanitizer.
//
// At the program's end the sanitizer names the module of each leak, and tests/lsan.supp matches
// these names. The display driver would be unloaded by then and lose its name. In this build alone,
// tests/app/CMakeLists.txt links this file into the program, where it replaces the C library's
// dlclose() for all packages.
#include <dlfcn.h>

extern "C" int dlclose(void* /*module*/) noexcept {
    return 0;
}
