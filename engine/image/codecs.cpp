// codecs.cpp — finds and loads the module of the codecs.
//
// The module lies where base::installed_part() says. No other place is searched: a file in the
// current folder must never run as code.
#include "engine/image/codecs.h"

#include <algorithm>
#include <dlfcn.h>
#include <initializer_list>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "engine/image/module_entry.h"
#include "scheduler/base/installation.h"

namespace weft::image {

namespace {

constexpr const char* kModule = "weft-images.so";

// log4cplus starts 4 threads; BLAS libraries start at most one per core.
constexpr u32 kThreadsOfLogging = 4;

// The addresses that the module and all behind it take, with the stacks of their threads.
constexpr std::size_t kAddressBytes = std::size_t{448} << 20;

// Whether there is room to load the module where the address space is limited (ulimit -v).
// Initialisers of its libraries end the process where an allocation of theirs fails.
bool has_addresses() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return true;
    }
    void* const room = ::mmap(
        nullptr, kAddressBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) {
        return false;
    }
    ::munmap(room, kAddressBytes);
    return true;
}

base::Error cannot_load(const std::string& reason, const std::string& path) {
    return {base::ErrorKind::Render,
            std::string(kModule) +
                ", the part of Weft that reads and writes image files, cannot be loaded (" +
                reason + "); expected it at " + path + ", from the same build as the program."};
}

// Functions are bound when they are first called. The module is never closed: threads and
// destructors of the package run until the process ends.
void* open_library(const std::string& path) {
    return ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
}

// Of the 240 libraries behind the module some 200 serve formats that Weft never asks for. A library
// that is already open takes the place of one of the same name, so the loop opens stand-ins without
// content, which saves five sixths of the processor time of loading. The loop ignores a failure:
// the module then loads the real library.
std::vector<void*> open_stand_ins() {
    std::vector<void*> opened;
    for (const char* const name : std::initializer_list<const char*>{WEFT_STAND_INS}) {
        const std::string path = base::installed_part(std::string("stand_ins/") + name);
        if (void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
            opened.push_back(library);
        }
    }
    return opened;
}

// The dynamic linker looks up each of 158,000 symbols in up to 240 libraries. For a library that is
// opened on its own it searches only the program, that library and what the library needs. Opening
// two before the module saves a fifth of a short render's processor time. The loop ignores a
// failure: the module then loads the library itself, or names it in its error.
void open_first_libraries() {
    for (const char* const library : std::initializer_list<const char*>{WEFT_FIRST_LIBRARIES}) {
        open_library(library);
    }
}

// A program that Weft is a module of, such as Python, may need the real libraries itself. So may
// another version of OpenImageIO than that of this build, which wants more of them.
void* open_module(const std::string& path) {
    if (base::is_own_program()) {
        const std::vector<void*> stand_ins = open_stand_ins();
        if (void* const module = open_library(path)) {
            return module;
        }
        std::for_each(stand_ins.begin(), stand_ins.end(), ::dlclose);
    }
    open_first_libraries();
    return open_library(path);
}

base::Result<Codecs*> load_codecs() {
    const std::string path = base::installed_part(kModule);
    if (!path.starts_with('/')) {
        return cannot_load("/proc/self/exe cannot be read", "the folder of the program");
    }
    if (!has_addresses()) {
        return base::Error{base::ErrorKind::Memory,
                           std::string(kModule) +
                               ", the part of Weft that reads and writes image files, finds no "
                               "memory to be loaded; expected " +
                               std::to_string(kAddressBytes >> 20) +
                               " MiB of addresses beside those of the program (ulimit -v)"};
    }
    void* const module = open_module(path);
    if (module == nullptr) {
        return cannot_load(::dlerror(), path);
    }
    void* const symbol = ::dlsym(module, kModuleEntry);
    if (symbol == nullptr) {
        return cannot_load("it is of another build", path);
    }
    return reinterpret_cast<ModuleEntry*>(symbol)();
}

}  // namespace

base::Result<Codecs*> codecs() {
    static const base::Result<Codecs*> loaded = load_codecs();
    return loaded;
}

u32 threads_at_load() {
    return kThreadsOfLogging + std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace weft::image
