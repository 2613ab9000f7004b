// compare_command.cpp — reads two pictures, prints the metrics, writes the difference.
#include "app/compare_command.h"

#include <cmath>
#include <fmt/format.h>
#include <new>
#include <vector>

#include "app/command/exit_code.h"
#include "app/command/file_kinds.h"
#include "app/command/messages.h"
#include "app/command/option_values.h"
#include "app/command/output_files.h"
#include "app/command/standard_output.h"
#include "engine/film/image_compare.h"
#include "engine/film/image_file.h"

namespace weft::app {

namespace {

using base::Error;
using base::ErrorKind;
using film::Metric;

std::vector<Metric> chosen_metrics(const CompareOptions& options) {
    return options.metric ? std::vector{*options.metric}
                          : std::vector{Metric::Rmse, Metric::RelMse, Metric::Psnr, Metric::Flip};
}

// A value that is none makes every mean one; FLIP would hide it.
base::Status check_finite(const std::string& name, const film::Picture& picture) {
    const u32 colours = picture.channels >= 3 ? 3 : 1;
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            for (u32 channel = 0; channel < colours; ++channel) {
                const float value = picture.at(x, y, channel);
                if (!std::isfinite(value)) {
                    return Error{
                        ErrorKind::Scene,
                        fmt::format("{}: the pixel ({}, {}) holds {}; expected finite values",
                                    name,
                                    picture.x0 + static_cast<i32>(x),
                                    picture.y0 + static_cast<i32>(y),
                                    value)};
                }
            }
        }
    }
    return base::Done{};
}

// Warns of options that no metric asks for.
void say_idle_options(const CompareOptions& options) {
    const auto say_if = [](bool is_idle, const char* option, const std::string& reason) {
        if (is_idle) {
            say(Level::Warning, fmt::format("{}: changes nothing, since {}", option, reason));
        }
    };
    const bool is_linear = options.metric == Metric::Rmse || options.metric == Metric::RelMse;
    const bool is_hdr_alone = options.metric == Metric::Flip && options.is_hdr;
    const std::string reason =
        is_linear ? fmt::format("{} is of linear values", film::metric_name(*options.metric))
                  : "HDR-FLIP chooses its own exposures";
    const CompareOptions unset;
    const bool is_idle = is_linear || is_hdr_alone;
    say_if(is_idle && options.view != unset.view, "--view-transform", reason);
    say_if(is_idle && options.exposure_stops != 0, "--exposure", reason);
}

base::Status write_difference(const std::string& path, const film::Picture& errors) {
    return film::write_picture(
        path, film::is_display_file(path) ? film::coloured_errors(errors) : errors);
}

}  // namespace

const Names<std::optional<Metric>>& metric_names() {
    static const Names<std::optional<Metric>> names = [] {
        Names<std::optional<Metric>> all = {{"all", std::nullopt}};
        for (const Metric metric : {Metric::Rmse, Metric::RelMse, Metric::Psnr, Metric::Flip}) {
            all.push_back({film::metric_name(metric), metric});
        }
        return all;
    }();
    return names;
}

base::Status compare_read(const CompareOptions& options,
                          const film::Picture& test,
                          const film::Picture& reference,
                          Compared& compared) {
    WEFT_TRY(check_finite(options.first, test));
    WEFT_TRY(check_finite(options.second, reference));
    film::CompareConfig config = {
        .is_hdr = options.is_hdr, .view = options.view, .exposure_stops = options.exposure_stops};
    for (const Metric metric : chosen_metrics(options)) {
        config.metric = metric;
        base::Result<film::Comparison> comparison = film::compare_pictures(reference, test, config);
        if (!comparison.is_ok()) {
            return Error{
                comparison.error().kind,
                fmt::format(
                    "{} and {}: {}", options.second, options.first, comparison.error().sentence)};
        }
        compared.values.emplace_back(metric, comparison.value().value);
        compared.errors = std::move(comparison.value().errors);
    }
    return base::Done{};
}

void add_compare_options(Command& command, CompareOptions& options) {
    command.add({"A", "picture"}, file_name(options.first, picture_endings()));
    command.set_required("A", true);
    command.add({"B", "picture (the reference)"}, file_name(options.second, picture_endings()));
    command.set_required("B", true);
    command.add({"--metric", "the measure"}, one_of(options.metric, metric_names()));
    command.add_flag({"--hdr", "HDR-FLIP instead of LDR-FLIP"}, options.is_hdr);
    command.add({"--view-transform", "view transform before psnr and flip"},
                one_of(options.view, view_transform_names()));
    command.add({"--exposure", "stops before that view transform"}, finite(options.exposure_stops));
    command.add({"-o,--output", "write the difference as a picture"},
                file_name(options.output, picture_endings()));
}

base::Status check_compare(const CompareOptions& options) {
    const std::vector<Metric> metrics = chosen_metrics(options);
    if (options.is_hdr && metrics.back() != Metric::Flip) {
        return Error{
            ErrorKind::Usage,
            fmt::format("--hdr with --metric {}: expected flip, the only metric with an HDR form",
                        film::metric_name(metrics.back()))};
    }
    return base::Done{};
}

base::Status compare_files(const CompareOptions& options, std::string& text) {
    WEFT_TRY(check_compare(options));
    say_idle_options(options);
    // Refuse bad output names before reading any picture.
    base::Status is_apart = check_outputs(
        {{"-o", options.output}}, {{"A", options.first}, {"B", options.second}}, true);
    WEFT_TRY(is_apart);
    if (!options.output.empty()) {
        const base::Status target = check_picture_file(options.output, {});
        WEFT_TRY(target);
    }
    const base::Result<film::Picture> test = film::read_picture(options.first);
    WEFT_TRY(test);
    const base::Result<film::Picture> reference = film::read_picture(options.second);
    WEFT_TRY(reference);
    Compared compared;
    base::Status status = compare_read(options, test.value(), reference.value(), compared);
    for (const auto& [metric, value] : compared.values) {
        text += fmt::format("{} {:.9g}\n", film::metric_name(metric), value);
    }
    WEFT_TRY(status);
    return options.output.empty() ? base::Status(base::Done{})
                                  : write_difference(options.output, compared.errors);
}

int run_compare(const CompareOptions& options) {
    std::string text;
    base::Status status = base::Done{};
    try {
        status = compare_files(options, text);
    } catch (const std::bad_alloc&) {
        static_cast<void>(put_on_stdout(text));
        return fail_without_memory("out of memory: the pictures are too large for this machine");
    }
    // Print the metrics computed before a failure, too.
    const bool is_shown = put_on_stdout(text);
    if (!status.is_ok()) {
        return fail(status.error());
    }
    return is_shown ? kExitDone : kExitOutput;
}

}  // namespace weft::app
