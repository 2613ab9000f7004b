// script_compare.h — pictures in memory and in files, compared; and what `weft bench` measures.
//
// Prints nothing. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/bench_run.h"
#include "engine/film/image_file.h"
#include "scheduler/base/result.h"

namespace weft::python {

// The picture of a file, scene-linear.
base::Result<std::shared_ptr<const film::Picture>> read_picture(const std::string& path);

struct ScriptComparison {
    std::vector<std::pair<std::string, double>> values;  // "rmse", …; a PSNR may be infinite
    std::shared_ptr<const film::Picture> errors;
};

// `weft compare` of two pictures, which sentences call by these names.
base::Result<ScriptComparison> compare(const std::vector<std::string>& words,
                                       const std::string& test_name,
                                       const film::Picture& test,
                                       const std::string& reference_name,
                                       const film::Picture& reference);

// `weft bench SCENES WORDS`, without its files.
base::Result<app::BenchReport> bench(const std::vector<std::string>& scenes,
                                     const std::vector<std::string>& words,
                                     const app::BenchHooks& hooks);

}  // namespace weft::python
