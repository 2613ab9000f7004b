// weft_import.cpp — the program weft-import, which reads a file with assimp and packs the scene for
// weft.
//
// reader_process.cpp starts it with the file's name, its kind, the id of the waiting process, and
// the folders of --asset-root. It writes the pack to descriptor 3 and exits with 0 if that is
// whole.
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
    // Ends this process with its parent.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (std::to_string(getppid()) != argv[3]) {
        return EXIT_FAILURE;
    }
    const weft::u64 memory = std::strtoull(argv[4], nullptr, 10);
    std::set_new_handler(end_without_memory);
    PackWriter pack(kPackFile);
    try {
        read_with_assimp({argv[1], argv[2], memory, {argv + 5, argv + argc}}, pack);
        // Frees nothing: the kernel is quicker.
        _exit(pack.finish() ? EXIT_SUCCESS : kReaderOutOfMemory);
    } catch (const std::bad_alloc&) {
        end_without_memory();
    }
}
