// compare_command.cpp — reads two pictures, prints the metrics, writes the difference.
#include "app/compare_command.h"

#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "app/command/standard_output.h"
#include "engine/film/image_compare.h"
#include "engine/film/image_file.h"

namespace weft::app {

namespace {

using base::Error;
using base::ErrorKind;
using film::Metric;

struct ComparePlan {
    std::vector<Metric> metrics;
    film::CompareConfig config;
};

base::Result<ComparePlan> plan_of(const CompareOptions& options) {
    ComparePlan plan;
    if (options.metric == "all") {
        plan.metrics = {Metric::Rmse, Metric::RelMse, Metric::Psnr, Metric::Flip};
    } else if (const std::optional<Metric> metric = film::metric_named(options.metric)) {
        plan.metrics = {*metric};
    } else {
        return Error{ErrorKind::Usage,
                     fmt::format("--metric {}: unknown; expected all, rmse, relmse, psnr or flip",
                                 options.metric)};
    }
    if (options.is_hdr && plan.metrics.back() != Metric::Flip) {
        return Error{
            ErrorKind::Usage,
            fmt::format("--hdr with --metric {}: expected flip, the only metric with an HDR form",
                        options.metric)};
    }
    const std::optional<film::ViewTransform> view =
        film::view_transform_named(options.view_transform);
    if (!view) {
        return Error{
            ErrorKind::Usage,
            fmt::format("--view-transform {}: unknown; expected standard, filmic, aces or raw",
                        options.view_transform)};
    }
    plan.config.view = *view;
    plan.config.is_hdr = options.is_hdr;
    plan.config.exposure_stops = options.exposure_stops;
    return plan;
}

base::Status write_difference(const std::string& path, const film::Picture& errors) {
    return film::write_picture(
        path, film::is_display_file(path) ? film::coloured_errors(errors) : errors);
}

}  // namespace

base::Status compare_files(const CompareOptions& options, std::string& text) {
    base::Result<ComparePlan> plan = plan_of(options);
    if (!plan.is_ok()) {
        return plan.error();
    }
    // Refuse bad output names before reading any picture.
    base::Status is_apart = check_outputs(
        {{"-o", options.output}}, {{"A", options.first}, {"B", options.second}}, true);
    if (!is_apart.is_ok()) {
        return is_apart;
    }
    if (!options.output.empty()) {
        const base::Status target = film::check_image_target(options.output, {});
        if (!target.is_ok()) {
            return target;
        }
    }
    const base::Result<film::Picture> test = film::read_picture(options.first);
    if (!test.is_ok()) {
        return test.error();
    }
    const base::Result<film::Picture> reference = film::read_picture(options.second);
    if (!reference.is_ok()) {
        return reference.error();
    }
    film::Picture errors;
    for (const Metric metric : plan.value().metrics) {
        plan.value().config.metric = metric;
        base::Result<film::Comparison> comparison =
            film::compare_pictures(reference.value(), test.value(), plan.value().config);
        if (!comparison.is_ok()) {
            return Error{
                comparison.error().kind,
                fmt::format(
                    "{} and {}: {}", options.second, options.first, comparison.error().sentence)};
        }
        text += fmt::format("{} {:.9g}\n", film::metric_name(metric), comparison.value().value);
        errors = std::move(comparison.value().errors);
    }
    return options.output.empty() ? base::Status(base::Done{})
                                  : write_difference(options.output, errors);
}

int run_compare(const CompareOptions& options) {
    std::string text;
    const base::Status status = compare_files(options, text);
    // Print the metrics computed before a failure, too.
    const bool is_shown = put_on_stdout(text);
    if (!status.is_ok()) {
        return fail(status.error());
    }
    return is_shown ? kExitDone : kExitOutput;
}

}  // namespace weft::app
