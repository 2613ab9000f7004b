// test_kernel_building.cpp — clause R7 at run time: the system's compiler builds a tiny kernel into
// a cache folder of the test, with every possible fault of folder, file and compiler.
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <doctest/doctest.h>

#include "scheduler/base/program.h"
#include "scheduler/compute/sha256.h"
#include "tests/rest.h"
#include "tests/scheduler/compute/made_up_devices.h"
#include "tests/skipped.h"

namespace weft::compute {

namespace {

namespace fs = std::filesystem;

// A temporary folder, removed at the end.
class Scratch {
public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "weft-kernels-XXXXXX").string();
        ENSURE(mkdtemp(name.data()), !=, nullptr);
        path_ = name;
    }

    ~Scratch() { fs::remove_all(path_); }

    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    Scratch(Scratch&&) = delete;
    Scratch& operator=(Scratch&&) = delete;

    [[nodiscard]] fs::path cache() const { return path_ / "weft"; }

    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// Restores PATH at the end of the test.
class OtherPath {
public:
    explicit OtherPath(const std::string& path) : before_(std::getenv("PATH")) {
        setenv("PATH", path.c_str(), 1);
    }

    ~OtherPath() { setenv("PATH", before_.c_str(), 1); }

    OtherPath(const OtherPath&) = delete;
    OtherPath& operator=(const OtherPath&) = delete;
    OtherPath(OtherPath&&) = delete;
    OtherPath& operator=(OtherPath&&) = delete;

private:
    std::string before_;
};

constexpr std::string_view kHeader =
    "#pragma once\ninline float twice(float x) { return x + x; }\n";
constexpr std::string_view kText =
    "#include \"tiny/twice.h\"\n"
    "#ifndef EXTRA\n"
    "#define EXTRA 0\n"
    "#endif\n"
    "extern \"C\" unsigned run(void* const* arguments, unsigned long first, unsigned long count) "
    "{\n"
    "    for (unsigned long i = first; i < first + count; ++i) {\n"
    "        static_cast<float*>(arguments[1])[i] = EXTRA +\n"
    "            twice(static_cast<const float*>(arguments[0])[i]);\n"
    "    }\n"
    "    return 0;\n"
    "}\n";

KernelSource tiny_source(std::string_view text = kText) {
    KernelSource source;
    source.files = {{"tiny/twice.cpp", text}, {"tiny/twice.h", kHeader}};
    source.symbol = "run";
    source.flags = {"-std=c++20", "-O1"};
    source.set_flags = {{"avx2", {}}, {"sse4", {}}};
    return source;
}

KernelDeclaration tiny_declaration(std::string_view text = kText) {
    return {"tiny", typeid(ItemsFunction), scale_parameters(), tiny_source(text)};
}

// The executable's result for 3.
float result_of(const Executable& executable) {
    float in = 3;
    float out = 0;
    const std::array<void*, 2> arguments = {&in, &out};
    ENSURE(executable.as<ItemsFunction>()(arguments.data(), 0, 1), ==, 0U);
    return out;
}

// Loads with a new library and keeps its log.
struct OneLoad {
    base::Result<Loaded> loaded = base::Error{};
    std::vector<std::string> log;
};

OneLoad load_with(const fs::path& cache, const std::string& options, bool has_generic) {
    OneLoad load;
    KernelLibrary library(cache, [&](const std::string& line) { load.log.push_back(line); });
    ENSURE(library.declare(tiny_declaration()).is_ok(), ==, true);
    if (has_generic) {
        ExecutableRecord record;
        record.kernel = "tiny";
        record.instruction_set = "avx2";
        ENSURE(library.add(linked_executable(record, &scale)).is_ok(), ==, true);
    }
    load.loaded = library.load("tiny", made_up("d"), {"", "", options});
    // A second load logs nothing again.
    ENSURE(library.load("tiny", made_up("d"), {"", "", options}).is_ok(), ==, load.loaded.is_ok());
    return load;
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        files.push_back(entry.path());
    }
    return files;
}

Origin origin_of(const OneLoad& load) {
    return load.loaded.value().executable->record().origin;
}

}  // namespace

TEST_SUITE("scheduler/compute/kernel_building") {
    TEST_CASE("digests are those of FIPS 180-4") {
        CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        CHECK(sha256_hex("abc") ==
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        CHECK(sha256_hex(std::string(1000000, 'a')) ==
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    TEST_CASE("R7 options that are no definitions are refused") {
        for (const char* wrong : {"-fplugin=x", "A=$(x)", "A=\"", "1=2", "=", "A;B", "A=../x"}) {
            CHECK_FALSE(check_options(wrong).is_ok());
        }
        CHECK(check_options("").is_ok());
        CHECK(check_options("A B=0x1f _c=d").is_ok());
        CHECK(definition_flags("A  B=2") == std::vector<std::string>{"-DA", "-DB=2"});
    }

    TEST_CASE("R7 any change of source or flags changes the hash") {
        const std::string before = source_hash(tiny_source());
        CHECK(before == source_hash(tiny_source()));
        KernelSource changed = tiny_source();
        changed.files[1].text = "#pragma once\n";
        CHECK(source_hash(changed) != before);
        changed = tiny_source();
        changed.flags.back() = "-O2";
        CHECK(source_hash(changed) != before);
        changed = tiny_source();
        changed.set_flags["avx2"] = {"-mavx2"};
        CHECK(source_hash(changed) != before);
    }

    TEST_CASE("R7 an executable that is not optimal is built once and then comes from the cache") {
        const Scratch scratch;
        const OneLoad first = load_with(scratch.cache(), "EXTRA=1", true);
        REQUIRE(sentence(first.loaded) == "");
        CHECK(first.loaded.value().is_optimal);
        CHECK(origin_of(first) == Origin::Built);
        CHECK(result_of(*first.loaded.value().executable) == 7);
        const ExecutableRecord record = first.loaded.value().executable->record();
        CHECK(record.options == "EXTRA=1");
        CHECK(record.source_hash == source_hash(tiny_source()));
        CHECK(record.build_s > 0);
        CHECK(record.build_time.size() == 19);

        struct stat status {};

        REQUIRE(stat(scratch.cache().c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0700);
        CHECK(files_in(scratch.cache()).size() == 1);

        const OneLoad second = load_with(scratch.cache(), "EXTRA=1", true);
        CHECK(origin_of(second) == Origin::Cached);
        CHECK(result_of(*second.loaded.value().executable) == 7);
        CHECK(second.log.empty());
        // Other options are another file.
        CHECK(result_of(*load_with(scratch.cache(), "EXTRA=2", true).loaded.value().executable) ==
              8);
        CHECK(files_in(scratch.cache()).size() == 2);
    }

    TEST_CASE("R7 a kernel without any executable is built for a device") {
        const Scratch scratch;
        Runtime runtime([&] {
            RuntimeConfig config;
            config.cache_folder = scratch.cache();
            return config;
        }());
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        REQUIRE(runtime.library().declare(tiny_declaration()).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        const KernelHandle kernel = runtime.create_kernel(context, "tiny").value();
        const std::vector<float> in = {1, 2, 3};
        std::vector<float> out(3);
        const BufferHandle from = runtime.create_buffer(context, 12).value();
        const BufferHandle to = runtime.create_buffer(context, 12).value();
        CHECK(runtime.write(from, 0, bytes_of(in)).is_ok());
        CHECK(runtime.bind(kernel, "in", from).is_ok());
        CHECK(runtime.bind(kernel, "out", to).is_ok());
        CHECK(runtime.bind(kernel, "factor", 0.0f).is_ok());
        LaunchConfig launch;
        launch.items = {0, 3};
        CHECK(runtime.wait(runtime.enqueue(kernel, launch).value()).is_ok());
        CHECK(runtime.read(to, 0, writable_bytes_of(out)).is_ok());
        CHECK(out == std::vector<float>{2, 4, 6});
    }

    TEST_CASE("R7 an executable of an older source is replaced") {
        const Scratch scratch;
        CHECK(load_with(scratch.cache(), "", false).loaded.is_ok());
        const fs::path old_file = files_in(scratch.cache()).at(0);
        std::string newer(kText);
        newer.replace(newer.find("EXTRA +"), 7, "EXTRA -");
        KernelLibrary library(scratch.cache());
        REQUIRE(library.declare(tiny_declaration(newer)).is_ok());
        const auto loaded = library.load("tiny", made_up("d"), {});
        REQUIRE(loaded.is_ok());
        CHECK(result_of(*loaded.value().executable) == -6);
        REQUIRE(files_in(scratch.cache()).size() == 1);
        CHECK(files_in(scratch.cache())[0] != old_file);
    }

    TEST_CASE("R7 a damaged file is rebuilt whatever the damage is") {
        const Scratch scratch;
        REQUIRE(load_with(scratch.cache(), "", false).loaded.is_ok());
        const fs::path file = files_in(scratch.cache()).at(0);
        const auto size = fs::file_size(file);
        const auto flip = [&](std::uintmax_t at) {
            std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
            bytes.seekg(static_cast<std::streamoff>(at));
            const int byte = bytes.get();
            bytes.seekp(static_cast<std::streamoff>(at));
            bytes.put(static_cast<char>(byte ^ 0x10));
        };
        for (u32 damage = 0; damage < 6; ++damage) {
            switch (damage) {
                case 0:
                    flip(size / 2);
                    break;
                case 1:
                    flip(size - 10);  // within the seal
                    break;
                case 2:
                    fs::resize_file(file, size / 2);
                    break;
                case 3:
                    fs::resize_file(file, 0);
                    break;
                case 4:
                    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
                    break;
                case 5:
                    fs::rename(file, scratch.path() / "elsewhere");
                    fs::create_symlink(scratch.path() / "elsewhere", file);
                    break;
            }
            const OneLoad load = load_with(scratch.cache(), "", false);
            REQUIRE(sentence(load.loaded) == "");
            CHECK(origin_of(load) == Origin::Built);
            CHECK(result_of(*load.loaded.value().executable) == 6);
            CHECK(fs::file_size(file) == size);
            CHECK_FALSE(fs::is_symlink(file));
        }
        CHECK(origin_of(load_with(scratch.cache(), "", false)) == Origin::Cached);
    }

    TEST_CASE("R7 a sealed file under the name of another is not used") {
        const Scratch scratch;
        REQUIRE(load_with(scratch.cache(), "EXTRA=1", false).loaded.is_ok());
        const fs::path first = files_in(scratch.cache()).at(0);
        REQUIRE(load_with(scratch.cache(), "EXTRA=2", false).loaded.is_ok());
        for (const fs::path& file : files_in(scratch.cache())) {
            if (file != first) {
                fs::copy_file(file, first, fs::copy_options::overwrite_existing);
            }
        }
        const OneLoad load = load_with(scratch.cache(), "EXTRA=1", false);
        CHECK(origin_of(load) == Origin::Built);
        CHECK(result_of(*load.loaded.value().executable) == 7);
    }

    TEST_CASE("R7 a folder that others may enter is not used") {
        const Scratch scratch;
        fs::create_directory(scratch.cache());
        fs::permissions(scratch.cache(), fs::perms::group_read | fs::perms::owner_all);
        const OneLoad generic = load_with(scratch.cache(), "EXTRA=1", true);
        REQUIRE(generic.loaded.is_ok());
        CHECK((generic.loaded.value().executable->as<ItemsFunction>() == &scale));
        REQUIRE(generic.log.size() == 1);
        CHECK(generic.log[0] == "kernel cache " + scratch.cache().string() +
                                    ": others may enter it, expected mode 0700; a present "
                                    "kernel is used instead");
        CHECK(files_in(scratch.cache()).empty());
        // Nor is a link to a folder.
        fs::remove(scratch.cache());
        fs::create_directory(scratch.path() / "real");
        fs::permissions(scratch.path() / "real", fs::perms::owner_all);
        fs::create_symlink(scratch.path() / "real", scratch.cache());
        CHECK(load_with(scratch.cache(), "EXTRA=1", true).log.size() == 1);
    }

    TEST_CASE("R7 a folder of another user is not used") {
        if (geteuid() != 0) {
            tests::skip_for_lack_of("right to give a folder away", tests::Source::Person);
            return;
        }
        const Scratch scratch;
        fs::create_directory(scratch.cache());
        fs::permissions(scratch.cache(), fs::perms::owner_all);
        REQUIRE(chown(scratch.cache().c_str(), 4242, 4242) == 0);
        const OneLoad load = load_with(scratch.cache(), "EXTRA=1", true);
        REQUIRE(load.log.size() == 1);
        CHECK(load.log[0].find("it belongs to user 4242") != std::string::npos);
        CHECK((load.loaded.value().executable->as<ItemsFunction>() == &scale));
    }

    TEST_CASE("R7 without a compiler there is one line and the generic kernel") {
        const Scratch scratch;
        const OtherPath path(scratch.path().string());
        const OneLoad generic = load_with(scratch.cache(), "EXTRA=1", true);
        REQUIRE(generic.loaded.is_ok());
        CHECK((generic.loaded.value().executable->as<ItemsFunction>() == &scale));
        REQUIRE(generic.log.size() == 1);
        CHECK(generic.log[0] ==
              "PATH has no C++ compiler, expected clang++-16, clang++, c++ or g++; a present "
              "kernel is used instead");
    }

    TEST_CASE("R7 with neither executable nor compiler the error names device and kernel") {
        const Scratch scratch;
        const OtherPath path(scratch.path().string());
        CHECK(sentence(load_with(scratch.cache(), "EXTRA=1", false).loaded) ==
              "kernel tiny: device d has no executable; looked for avx2, specialised to EXTRA=1, "
              "found none at all; and none could be built: PATH has no C++ compiler, "
              "expected clang++-16, clang++, c++ or g++");
    }

    TEST_CASE("R7 a source that the compiler refuses gives its message") {
        const Scratch scratch;
        KernelLibrary library(scratch.cache());
        REQUIRE(library.declare(tiny_declaration("int broken = ;\n")).is_ok());
        const std::string said = sentence(library.load("tiny", made_up("d"), {}));
        CHECK(said.find("error: expected ") != std::string::npos);
        CHECK(files_in(scratch.cache()).empty());
    }

    TEST_CASE("R7 a compiler that hangs is ended") {
        const Scratch scratch;
        weft::base::ProgramCall call;
        call.role = "compiler";
        call.program = "/bin/sleep";
        call.arguments = {"1000"};
        call.folder = scratch.path();
        call.patience = std::chrono::milliseconds(20);
        CHECK(sentence(weft::base::run_program(call, {})) ==
              "compiler /bin/sleep: it took more than 20 ms");
        std::stop_source stop;
        call.patience = std::chrono::minutes(10);
        std::jthread stopper([&] { stop.request_stop(); });
        CHECK(sentence(weft::base::run_program(call, stop.get_token())) ==
              "compiler /bin/sleep: it was stopped because the program no longer needs it");
    }

    TEST_CASE(
        "R7 processes that a killed compiler started end with it and leave files in the folder "
        "only") {
        const Scratch scratch;
        const std::string fifo = (scratch.path() / "fifo").string();
        REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
        const int life = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        REQUIRE(life >= 0);
        weft::base::ProgramCall call;
        call.role = "compiler";
        call.program = "/bin/sh";
        call.arguments = {
            "-c",
            ": > \"$TMPDIR/cc0.s\"; { echo; exec sleep 1000; } > '" + fifo + "' & exec sleep 1000"};
        call.folder = scratch.path();
        std::stop_source stop;
        std::jthread stopper([&] {
            pollfd begun{life, POLLIN, 0};
            CHECK(poll(&begun, 1, 60'000) == 1);
            stop.request_stop();
        });
        CHECK(sentence(weft::base::run_program(call, stop.get_token())) ==
              "compiler /bin/sh: it was stopped because the program no longer needs it");
        stopper.join();
        // No process holds the other end any more: a line, then the end.
        std::array<char, 8> bytes{};
        CHECK(read(life, bytes.data(), bytes.size()) == 1);
        pollfd end{life, POLLIN, 0};
        CHECK(poll(&end, 1, 60'000) == 1);
        CHECK(read(life, bytes.data(), bytes.size()) == 0);
        close(life);
        CHECK(fs::exists(scratch.path() / "cc0.s"));
    }

    TEST_CASE("R7 two programs that build the same at once both get it") {
        const Scratch scratch;
        std::array<pid_t, 3> children{};
        for (pid_t& child : children) {
            child = fork();
            REQUIRE(child >= 0);
            if (child == 0) {
                const OneLoad load = load_with(scratch.cache(), "EXTRA=1", false);
                const bool is_right =
                    load.loaded.is_ok() && result_of(*load.loaded.value().executable) == 7;
                _exit(is_right ? 0 : 1);
            }
        }
        for (const pid_t child : children) {
            int status = 1;
            CHECK(waitpid(child, &status, 0) == child);
            CHECK(status == 0);
        }
        CHECK(files_in(scratch.cache()).size() == 1);
        CHECK(origin_of(load_with(scratch.cache(), "EXTRA=1", false)) == Origin::Cached);
    }

    TEST_CASE("R7 a later load lets the generic kernel run until the better one is there") {
        const Scratch scratch;
        KernelLibrary library(scratch.cache());
        REQUIRE(library.declare(tiny_declaration()).is_ok());
        ExecutableRecord record;
        record.kernel = "tiny";
        record.instruction_set = "avx2";
        REQUIRE(library.add(linked_executable(record, &scale)).is_ok());
        const Wish wish{"", "", "EXTRA=1"};
        const auto later = library.load_later("tiny", made_up("d"), wish);
        while (!later->is_done()) {
            CHECK(library.choose("tiny", made_up("d"), wish).is_ok());
            tests::rest();
        }
        REQUIRE(sentence(later->result()) == "");
        CHECK(result_of(*later->result().value().executable) == 7);
        CHECK(library.choose("tiny", made_up("d"), wish).value().is_optimal);
    }

    TEST_CASE("R7 closing the library ends its builds") {
        const Scratch scratch;
        std::vector<std::shared_ptr<const LaterLoad>> loads;
        {
            KernelLibrary library(scratch.cache());
            REQUIRE(library.declare(tiny_declaration()).is_ok());
            for (u32 k = 0; k < 20; ++k) {
                loads.push_back(library.load_later(
                    "tiny", made_up("d"), {"", "", "EXTRA=" + std::to_string(k)}));
            }
        }
        u32 failed = 0;
        for (const auto& load : loads) {
            REQUIRE(load->is_done());
            failed += load->result().is_ok() ? 0U : 1U;
        }
        CHECK(failed > 0);
        for (const fs::path& file : files_in(scratch.path())) {
            CHECK(file.filename() == "weft");
        }
    }

    TEST_CASE("R12 replacing an executable keeps code loaded that is still in use") {
        const Scratch scratch;
        ExecutablePointer held;
        {
            const OneLoad load = load_with(scratch.cache(), "EXTRA=5", false);
            REQUIRE(load.loaded.is_ok());
            held = load.loaded.value().executable;
        }
        fs::remove_all(scratch.cache());
        CHECK(result_of(*held) == 11);
    }
}

}  // namespace weft::compute
