#include "integrations/python/script_compare.h"

#include <utility>

#include "app/command/colour_options.h"
#include "app/command/shell_word.h"
#include "app/command/thread_budget.h"
#include "app/compare_command.h"
#include "integrations/python/script_options.h"

namespace weft::python {

base::Result<std::shared_ptr<const film::Picture>> read_picture(const std::string& path) {
    base::Result<film::Picture> picture = film::read_picture(path);
    WEFT_TRY(picture);
    return std::make_shared<const film::Picture>(std::move(picture.value()));
}

base::Result<ScriptComparison> compare(const std::vector<std::string>& words,
                                       const std::string& test_name,
                                       const film::Picture& test,
                                       const std::string& reference_name,
                                       const film::Picture& reference) {
    app::CompareOptions options;
    WEFT_TRY(read_compare_words(words, options));
    options.first = test_name;
    options.second = reference_name;
    WEFT_TRY(app::check_compare(options));
    app::Compared compared;
    WEFT_TRY(app::compare_read(options, test, reference, compared));
    ScriptComparison comparison;
    for (const auto& [metric, value] : compared.values) {
        comparison.values.emplace_back(film::metric_name(metric), value);
    }
    comparison.errors = std::make_shared<const film::Picture>(std::move(compared.errors));
    return comparison;
}

base::Result<app::BenchReport> bench(const std::vector<std::string>& scenes,
                                     const std::vector<std::string>& words,
                                     const app::BenchHooks& hooks) {
    app::BenchOptions options;
    WEFT_TRY(read_bench_words(words, options));
    WEFT_TRY(app::choose_colours(options.render));
    options.render.scenes = scenes;
    WEFT_TRY(app::check_bench_options(options));
    WEFT_TRY(app::bound_threads(options.render.threads));
    std::vector<std::string> line = {"weft", "bench"};
    line.insert(line.end(), scenes.begin(), scenes.end());
    line.insert(line.end(), words.begin(), words.end());
    return app::run_bench_of_scene(options, app::shell_line(line), hooks);
}

}  // namespace weft::python
