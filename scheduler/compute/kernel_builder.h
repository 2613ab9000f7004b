// kernel_builder.h — makes an executable from a kernel's source at run time: takes it from the
// cache folder, or compiles it into that folder, and loads it (R7).
//
// Any thread; builds of one builder run one after the other.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <typeindex>

#include "scheduler/base/result.h"
#include "scheduler/compute/executable.h"
#include "scheduler/compute/kernel_cache.h"
#include "scheduler/compute/kernel_source.h"

namespace weft::compute {

// A build to make.
struct BuildOrder {
    std::string kernel;
    DeviceType type = DeviceType::Cpu;
    std::string instruction_set;
    std::string options;
    std::type_index function_type = typeid(ItemsFunction);
};

// When a file was written, in UTC, as "2026-01-31 12:00:00"; "" where that is unknown.
std::string written_time(const std::filesystem::path& file);

class KernelBuilder {
public:
    // An empty folder: the default one of kernel_cache.h. Nothing is touched before the first
    // build.
    explicit KernelBuilder(std::filesystem::path cache_folder = {});

    // Error: the folder is not private, there is no compiler, or it refused the source.
    base::Result<ExecutablePointer> build(const BuildOrder& order,
                                          const KernelSource& source,
                                          const std::stop_token& stop = {});

private:
    base::Result<std::filesystem::path> compile(const BuildOrder& order,
                                                const KernelSource& source,
                                                const CacheKey& key,
                                                const std::stop_token& stop);

    std::filesystem::path folder_;
    std::mutex mutex_;
    std::optional<KernelCache> cache_;
};

}  // namespace weft::compute
