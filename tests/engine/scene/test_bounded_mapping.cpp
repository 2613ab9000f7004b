// test_bounded_mapping.cpp — the resident set of a bounded mapping, as the system counts it, never
// exceeds its budget, whatever threads read.
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/model/bounded_mapping.h"

namespace weft::scene::testing {

namespace {

constexpr u64 kPages = 4096;
constexpr u64 kPageWords = 1024;
constexpr u64 kFileBytes = kPages * kPageWords * sizeof(u32);
constexpr u64 kBudgetBytes = u64{1} << 20;

u32 word_at(u64 index) {
    return static_cast<u32>(index * 0x9e3779b1U);
}

// A file of known words, without a name.
class WordFile {
public:
    WordFile() : file_(std::tmpfile()) {
        REQUIRE(file_ != nullptr);
        std::vector<u32> words(kPages * kPageWords);
        for (u64 i = 0; i < words.size(); ++i) {
            words[i] = word_at(i);
        }
        REQUIRE(std::fwrite(words.data(), sizeof(u32), words.size(), file_) == words.size());
        REQUIRE(std::fflush(file_) == 0);
    }

    WordFile(const WordFile&) = delete;
    WordFile& operator=(const WordFile&) = delete;

    ~WordFile() { std::fclose(file_); }

    [[nodiscard]] int descriptor() const { return fileno(file_); }

private:
    std::FILE* file_;
};

// Resident bytes of this part of the address space, as /proc counts them.
u64 resident_bytes(const void* data, u64 size_bytes) {
    const auto first = reinterpret_cast<u64>(data);
    std::ifstream lines("/proc/self/smaps");
    u64 bytes = 0;
    bool is_inside = false;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word.find('-') != std::string::npos && word.back() != ':') {
            const u64 begin = std::stoull(word, nullptr, 16);
            is_inside = begin >= first && begin < first + size_bytes;
        } else if (word == "Rss:" && is_inside) {
            u64 kibibytes = 0;
            words >> kibibytes;
            bytes += kibibytes << 10;
        }
    }
    return bytes;
}

base::Result<std::unique_ptr<BoundedMapping>> mapped(const WordFile& file,
                                                     u64 budget_bytes,
                                                     bool may_write = false) {
    return BoundedMapping::make(
        file.descriptor(),
        {.size_bytes = kFileBytes, .budget_bytes = budget_bytes, .may_write = may_write});
}

// Reads words all over the file; returns how many were wrong.
u64 read_anywhere(const u32* words, u32 seed, u32 count) {
    std::minstd_rand random(seed);
    u64 wrong = 0;
    for (u32 i = 0; i < count; ++i) {
        const u64 index = (u64{random()} << 16 ^ random()) % (kPages * kPageWords);
        wrong += words[index] == word_at(index) ? 0U : 1U;
    }
    return wrong;
}

}  // namespace

TEST_SUITE("engine/scene/bounded_mapping") {
    TEST_CASE("threads read every word right while no more than the budget is resident") {
        const WordFile file;
        const auto mapping = mapped(file, kBudgetBytes);
        REQUIRE(mapping.is_ok());
        const auto* const words = reinterpret_cast<const u32*>(mapping.value()->data());
        CHECK(resident_bytes(words, kFileBytes) == 0);
        for (u32 round = 0; round < 4; ++round) {
            std::vector<u64> wrong(4);
            std::vector<std::jthread> threads;
            for (u32 t = 0; t < wrong.size(); ++t) {
                threads.emplace_back([&wrong, words, round, t] {
                    wrong[t] = read_anywhere(words, 4 * round + t + 1, 3000);
                });
            }
            threads.clear();
            CHECK(wrong == std::vector<u64>(4));
            const u64 resident = resident_bytes(words, kFileBytes);
            CHECK(resident > kBudgetBytes / 2);
            CHECK(resident <= mapping.value()->figures().open_bytes);
            CHECK(mapping.value()->figures().open_bytes <= kBudgetBytes);
        }
        CHECK(mapping.value()->figures().closed > 4 * kPages);
        // The control: without a bound the same reads leave nearly all of the file resident.
        void* const plain =
            ::mmap(nullptr, kFileBytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
        REQUIRE(plain != MAP_FAILED);
        CHECK(read_anywhere(static_cast<const u32*>(plain), 1, 12000) == 0);
        CHECK(resident_bytes(plain, kFileBytes) > 4 * kBudgetBytes);
        ::munmap(plain, kFileBytes);
    }

    TEST_CASE("a mapping within its budget lets nothing go") {
        const WordFile file;
        const auto mapping = mapped(file, 2 * kFileBytes);
        REQUIRE(mapping.is_ok());
        const auto* const words = reinterpret_cast<const u32*>(mapping.value()->data());
        CHECK(read_anywhere(words, 1, 20000) == 0);
        CHECK(mapping.value()->figures().closed == 0);
    }

    TEST_CASE("words that threads write are read again and in the file") {
        const WordFile file;
        const auto mapping = mapped(file, kBudgetBytes, true);
        REQUIRE(mapping.is_ok());
        auto* const words = reinterpret_cast<u32*>(mapping.value()->data());
        {
            std::vector<std::jthread> threads;
            for (u64 t = 0; t < 4; ++t) {
                threads.emplace_back([words, t] {
                    for (u64 index = t; index < kPages * kPageWords; index += 4) {
                        words[index] = ~word_at(index);
                    }
                });
            }
        }
        CHECK(resident_bytes(words, kFileBytes) <= kBudgetBytes);
        // Each page was open at least once, and no more than the budget still are.
        CHECK(mapping.value()->figures().closed >= kPages - kBudgetBytes / 4096);
        u64 wrong = 0;
        std::vector<u32> read(kPages * kPageWords);
        REQUIRE(::pread(file.descriptor(), read.data(), kFileBytes, 0) ==
                static_cast<ssize_t>(kFileBytes));
        for (u64 index = 0; index < read.size(); ++index) {
            wrong += words[index] == ~word_at(index) && read[index] == words[index] ? 0U : 1U;
        }
        CHECK(wrong == 0);
    }

    TEST_CASE("two mappings at once keep a budget each") {
        const WordFile file;
        const auto first = mapped(file, kBudgetBytes);
        {
            const auto second = mapped(file, kBudgetBytes);
            REQUIRE(first.is_ok());
            REQUIRE(second.is_ok());
            for (const auto* mapping : {&first, &second}) {
                const auto* const words = reinterpret_cast<const u32*>(mapping->value()->data());
                CHECK(read_anywhere(words, 1, 3000) == 0);
                CHECK(resident_bytes(words, kFileBytes) <= kBudgetBytes);
            }
        }
        CHECK(read_anywhere(reinterpret_cast<const u32*>(first.value()->data()), 2, 3000) == 0);
    }

    TEST_CASE("a former handler that mends a fault is called and ours stays") {
        const WordFile file;
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            // The handler of somebody else comes first, ours later.
            struct sigaction mends {};

            mends.sa_sigaction = [](int /*signal*/, siginfo_t* fault, void* /*context*/) {
                const u64 page = reinterpret_cast<u64>(fault->si_addr) & ~u64{4095};
                if (::mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ) != 0) {
                    ::_exit(2);
                }
            };
            mends.sa_flags = SA_SIGINFO;
            ::sigaction(SIGSEGV, &mends, nullptr);
            const auto mapping = mapped(file, kBudgetBytes);
            const auto* const words = reinterpret_cast<const u32*>(mapping.value()->data());
            u64 wrong = 0;
            for (u32 round = 0; round < 3; ++round) {
                auto* const barred = static_cast<volatile char*>(
                    ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
                wrong += *barred == 0 ? 0U : 1U;
                wrong += read_anywhere(words, round + 1, 3000);
                // It stands before ours now, until we take faults again.
                if (round == 1) {
                    ::sigaction(SIGSEGV, &mends, nullptr);
                    wrong += BoundedMapping::take_faults() ? 0U : 1U;
                }
            }
            ::_exit(wrong == 0 ? 0 : 1);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }

    TEST_CASE("a fault outside the mappings still ends the process") {
        const WordFile file;
        const auto mapping = mapped(file, kBudgetBytes);
        REQUIRE(mapping.is_ok());
        void* const barred = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(barred != MAP_FAILED);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            // What the former handler writes about it is no news.
            const int nowhere = ::open("/dev/null", O_WRONLY);
            ::dup2(nowhere, STDOUT_FILENO);
            ::dup2(nowhere, STDERR_FILENO);
            static_cast<void>(*static_cast<volatile char*>(barred));
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) != 0));
        ::munmap(barred, 4096);
    }
}

}  // namespace weft::scene::testing
