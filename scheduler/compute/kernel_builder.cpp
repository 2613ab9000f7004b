#include "scheduler/compute/kernel_builder.h"

#include <chrono>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <system_error>

#include "scheduler/base/cache_folder.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/program.h"

namespace weft::compute {

namespace {

namespace fs = std::filesystem;

// The compiler runs at lower priority, since rendering goes on meanwhile.
constexpr int kNiceness = 10;
constexpr std::chrono::minutes kPatience{3};

base::Error error(const BuildOrder& order, const std::string& what) {
    return {base::ErrorKind::Render, "kernel " + order.kernel + ": " + what};
}

// The first of these in $PATH; Clang compiles the fastest kernels.
base::Result<fs::path> find_compiler() {
    for (const char* name : {"clang++-16", "clang++", "c++", "g++"}) {
        if (const std::optional<fs::path> program = base::find_program(name)) {
            return *program;
        }
    }
    return base::Error{base::ErrorKind::Render,
                       "PATH has no C++ compiler, expected clang++-16, clang++, c++ or g++"};
}

std::string utc_text(std::time_t time) {
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

// Writes the source's files into the build folder, with their paths.
base::Status write_files(const KernelSource& source, const fs::path& folder) {
    for (const SourceFile& file : source.files) {
        const fs::path path = folder / file.path;
        std::error_code failed;
        fs::create_directories(path.parent_path(), failed);
        std::ofstream out(path, std::ios::binary);
        out << file.text;
        out.close();
        if (!out) {
            return base::Error{base::ErrorKind::Output, path.string() + " cannot be written"};
        }
    }
    return base::Done{};
}

// A build folder, removed with its contents.
class BuildFolder {
public:
    explicit BuildFolder(fs::path path) : path_(std::move(path)) {}

    ~BuildFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }

    BuildFolder(const BuildFolder&) = delete;
    BuildFolder& operator=(const BuildFolder&) = delete;
    BuildFolder(BuildFolder&&) = delete;
    BuildFolder& operator=(BuildFolder&&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

base::Result<ExecutablePointer> load_file(const fs::path& file,
                                          const std::string& symbol,
                                          const BuildOrder& order,
                                          ExecutableRecord record) {
    void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char* const why = dlerror();
        return error(order, why ? why : "it cannot be loaded");
    }
    const std::shared_ptr<const void> code(
        object, [](const void* loaded) { dlclose(const_cast<void*>(loaded)); });
    void* const function = dlsym(object, symbol.c_str());
    if (!function) {
        return error(order, file.string() + " has no function " + symbol);
    }
    return ExecutablePointer(std::make_shared<const Executable>(
        std::move(record), reinterpret_cast<AnyFunction>(function), order.function_type, code));
}

std::string joined(std::vector<std::string> flags, const std::vector<std::string>& more) {
    flags.insert(flags.end(), more.begin(), more.end());
    std::string text;
    for (const std::string& flag : flags) {
        text += (text.empty() ? "" : " ") + flag;
    }
    return text;
}

}  // namespace

std::string written_time(const fs::path& file) {
    std::error_code failed;
    const auto written = fs::last_write_time(file, failed);
    if (failed) {
        return {};
    }
    const auto system = std::chrono::file_clock::to_sys(written);
    return utc_text(std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(system)));
}

KernelBuilder::KernelBuilder(fs::path cache_folder) : folder_(std::move(cache_folder)) {}

base::Result<ExecutablePointer> KernelBuilder::build(const BuildOrder& order,
                                                     const KernelSource& source,
                                                     const std::stop_token& stop) {
    const std::lock_guard lock(mutex_);
    base::Status options = check_options(order.options);
    WEFT_TRY(options);
    if (!source.set_flags.contains(order.instruction_set)) {
        return error(order, "its source cannot be built for " + order.instruction_set);
    }
    if (!cache_) {
        base::Result<KernelCache> cache =
            KernelCache::open(folder_.empty() ? base::default_cache_folder() : folder_);
        WEFT_TRY(cache);
        cache_ = cache.value();
    }
    const CacheKey key{order.kernel, order.instruction_set, order.options, source_hash(source)};
    ExecutableRecord record{order.kernel,
                            order.type,
                            order.instruction_set,
                            order.options,
                            joined(source.flags, source.set_flags.at(order.instruction_set)),
                            key.source_hash,
                            {},
                            0,
                            Origin::Cached};
    base::Result<fs::path> file = cache_->find(key);
    if (!file.is_ok()) {
        const base::Clock::time_point begin = base::Clock::now();
        file = compile(order, source, key, stop);
        WEFT_TRY(file);
        record.origin = Origin::Built;
        record.build_s = base::seconds_since(begin);
    }
    record.build_time = written_time(file.value());
    return load_file(file.value(), source.symbol, order, std::move(record));
}

base::Result<fs::path> KernelBuilder::compile(const BuildOrder& order,
                                              const KernelSource& source,
                                              const CacheKey& key,
                                              const std::stop_token& stop) {
    base::Result<fs::path> program = find_compiler();
    WEFT_TRY(program);
    base::Result<fs::path> made = cache_->make_build_folder();
    WEFT_TRY(made);
    const BuildFolder folder(made.value());
    base::Status written = write_files(source, folder.path());
    WEFT_TRY(written);
    const fs::path built = folder.path() / "kernel.so";
    base::ProgramCall call;
    call.role = "compiler";
    call.program = program.value();
    call.folder = folder.path();
    call.patience = kPatience;
    call.niceness = kNiceness;
    call.arguments = {"-shared", "-fPIC", "-I", folder.path().string()};
    const auto add = [&call](const std::vector<std::string>& flags) {
        call.arguments.insert(call.arguments.end(), flags.begin(), flags.end());
    };
    add(source.flags);
    add(source.set_flags.at(order.instruction_set));
    add(definition_flags(order.options));
    add({"-o", built.string(), (folder.path() / source.files.front().path).string()});
    base::Status compiled = base::run_program(call, stop);
    WEFT_TRY(compiled);
    // umask may have left the file writable for others, who would then count as its writers.
    std::error_code failed;
    fs::permissions(built, fs::perms::owner_read | fs::perms::owner_write, failed);
    return cache_->store(key, built);
}

}  // namespace weft::compute
