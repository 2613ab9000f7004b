// weft_import.cpp — the program weft-import, which reads a file with assimp for weft and hands the
// scene over.
//
// Started by reader_process.cpp alone, with the file's name, its kind, the number of the process
// that waits, and the folders of --asset-root; the pack goes to descriptor 3. It ends with 0 where
// the pack is whole.
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/scene/assimp/assimp_reader.h"

namespace {

[[noreturn]] void end_without_memory() {
    _exit(weft::scene::kReaderOutOfMemory);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace weft::scene;
    if (argc < 5) {
        return EXIT_FAILURE;
    }
    // Nobody waits for the scene of a program that is gone.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (std::to_string(getppid()) != argv[3]) {
        return EXIT_FAILURE;
    }
    const weft::u64 memory = std::strtoull(argv[4], nullptr, 10);
    std::set_new_handler(end_without_memory);
    PackWriter pack(kPackFile);
    try {
        read_with_assimp({argv[1], argv[2], memory, {argv + 5, argv + argc}}, pack);
        // Nothing is cleaned up: the kernel is quicker.
        _exit(pack.finish() ? EXIT_SUCCESS : kReaderOutOfMemory);
    } catch (const std::bad_alloc&) {
        end_without_memory();
    }
}
