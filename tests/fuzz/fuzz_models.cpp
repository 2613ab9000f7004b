// fuzz_models.cpp — OBJ, PLY, STL and OFF files by the code of weft-import in this process. The
// first byte chooses the format.
#include <array>
#include <csignal>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/scene/assimp/assimp_reader.h"
#include "scheduler/base/ensure.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    constexpr std::array<const char*, 4> kExtensions = {"obj", "ply", "stl", "off"};
    if (size_bytes == 0) {
        return 0;
    }
    // The reader limits the processor time of its process, which is this one. libFuzzer has a limit
    // of its own.
    std::signal(SIGXCPU, SIG_IGN);
    const std::string extension = kExtensions[bytes[0] % kExtensions.size()];
    const std::string path =
        fuzz::scratch().write("model." + extension, {bytes + 1, size_bytes - 1});
    const int file = ::memfd_create("pack", MFD_CLOEXEC);
    ENSURE(file, >=, 0);
    scene::PackWriter pack(file);
    try {
        scene::read_with_assimp({path, extension, fuzz::kMostClaimedBytes, {}}, pack);
    } catch (const std::bad_alloc&) {
        // weft-import ends with the code of a reader without memory.
    }
    ENSURE(pack.finish(), ==, true);
    ::close(file);
    return 0;
}
