// replay.cpp — the entry point of a fuzz target where libFuzzer does not run it: gives it every
// file of a folder, and changed copies of each.
//
//     fuzz_gltf FOLDER COPIES
//
// The changes depend on the file's bytes alone, so that a fault comes back in every run. The
// environment variable WEFT_FUZZ_COPIES replaces COPIES. Before each call the input is written to
// FOLDER.last: after a crash it is the input that caused it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace weft;
namespace fs = std::filesystem;
using Bytes = std::vector<u8>;

// Numbers by xorshift64.
class Random {
public:
    explicit Random(u64 seed) : state_(seed | 1U) {}

    // Below `count`, which is not 0.
    std::size_t below(std::size_t count) {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return static_cast<std::size_t>(state_ >> 11U) % count;
    }

private:
    u64 state_;
};

u64 seed_of(const Bytes& bytes) {
    u64 seed = 0xcbf29ce484222325U;  // FNV-1a
    for (const u8 byte : bytes) {
        seed = (seed ^ byte) * 0x100000001b3U;
    }
    return seed;
}

// Text that reads as a number at the edge of some range.
constexpr std::array<std::string_view, 10> kNumbers = {
    "-1", "0", "4294967295", "2147483648", "1000000000", "1e39", "-1e300", "nan", "0.5", "65535"};
constexpr std::array<u32, 7> kWords = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1000000000, 65535};

std::ptrdiff_t place_in(const Bytes& bytes, Random& random) {
    return static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1));
}

void change(Bytes& bytes, Random& random) {
    const std::ptrdiff_t at = place_in(bytes, random);
    const auto rest = static_cast<std::size_t>(std::ssize(bytes) - at);
    const auto length = static_cast<std::ptrdiff_t>(std::min(rest, random.below(32)));
    const auto from = bytes.begin() + at;
    switch (random.below(7)) {
        case 0:  // a bit
            if (rest > 0) {
                *from = static_cast<u8>(*from ^ (1U << random.below(8)));
            }
            break;
        case 1:  // a byte
            if (rest > 0) {
                *from = static_cast<u8>(random.below(256));
            }
            break;
        case 2:  // a word
            if (rest >= sizeof(u32)) {
                std::memcpy(&*from, &kWords[random.below(kWords.size())], sizeof(u32));
            }
            break;
        case 3: {  // a number as text instead of some bytes
            const std::string_view number = kNumbers[random.below(kNumbers.size())];
            bytes.erase(from, from + length);
            bytes.insert(bytes.begin() + at, number.begin(), number.end());
            break;
        }
        case 4:  // some bytes less
            bytes.erase(from, from + length);
            break;
        case 5: {  // some bytes twice
            const Bytes again(from, from + length);
            bytes.insert(from, again.begin(), again.end());
            break;
        }
        default:  // the end is cut off
            bytes.erase(from, bytes.end());
            break;
    }
}

Bytes bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void run(const Bytes& bytes, const std::string& last) {
    std::ofstream file(last, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    file.close();
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "expected a folder of inputs and the number of changed copies\n");
        return EXIT_FAILURE;
    }
    const char* const named = std::getenv("WEFT_FUZZ_COPIES");
    const u64 copies = std::strtoull(named != nullptr ? named : argv[2], nullptr, 10);
    std::vector<fs::path> files;
    std::error_code problem;
    for (const auto& entry : fs::recursive_directory_iterator(argv[1], problem)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    const std::string last = std::string(argv[1]) + ".last";
    for (const fs::path& path : files) {
        const Bytes whole = bytes_of(path);
        run(whole, last);
        Random random(seed_of(whole));
        for (u64 copy = 0; copy < copies; ++copy) {
            Bytes bytes = whole;
            for (std::size_t changes = 1 + random.below(4); changes > 0; --changes) {
                change(bytes, random);
            }
            run(bytes, last);
        }
    }
    fs::remove(last, problem);
    std::printf("%zu files, %zu inputs\n", files.size(), files.size() * (1 + copies));
    return files.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
