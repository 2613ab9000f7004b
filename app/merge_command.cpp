#include "app/merge_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <optional>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "app/command/output_lock.h"
#include "app/command/version.h"
#include "engine/film/film_merge.h"
#include "engine/film/whole_file.h"

namespace weft::app {

namespace {

// Reads the inputs one after another and adds each to the sum.
base::Result<film::SavedFilm> merged_film(const std::vector<std::string>& inputs) {
    std::optional<film::SavedFilm> sum;
    for (const std::string& path : inputs) {
        base::Result<film::SavedFilm> part = film::read_saved_film(path);
        WEFT_TRY(part);
        if (sum) {
            WEFT_TRY(film::merge_film(*sum, inputs.front(), part.value(), path));
        } else {
            sum.emplace(std::move(part.value()));
        }
    }
    return std::move(*sum);
}

film::ImageConfig merged_config(const MergeOptions& options,
                                const film::SavedFilm& merged,
                                const std::string& command_line) {
    const film::FilmRecord& record = merged.record;
    const film::Region crop = merged.film.crop();
    u32 least = ~0U;
    u64 samples = 0;
    u64 empty = 0;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const u32 count = merged.film.sample_count(x, y);
            least = std::min(least, count);
            samples += count;
            empty += count == 0 ? 1U : 0U;
        }
    }
    const double pixels = static_cast<double>(crop.width()) * crop.height();
    film::ImageConfig config = pick_image_config(options.picture);
    config.keep_film = film::is_exr_file(options.files.front());
    config.has_alpha = film::origin_value(record, "transparent film") == "yes";
    config.record = record;
    config.metadata = {
        {"version", kVersion},
        {"command_line", command_line},
        {"samples_per_pixel", std::to_string(least)},
        {"samples_per_pixel_mean", fmt::format("{}", static_cast<double>(samples) / pixels)},
        {"pixels_without_samples", std::to_string(empty)},
        {"seed", film::origin_value(record, "seed")},
        {"arithmetic_class", film::origin_value(record, "arithmetic class")},
        {"camera_to_world", film::origin_value(record, "camera matrix")},
        {"camera_yfov_rad", film::origin_value(record, "field of view in radians")},
        {"dropped_samples", std::to_string(record.dropped_samples)}};
    return config;
}

void say_missing(const film::SavedFilm& merged, const std::string& output) {
    const std::vector<std::string> missing = film::missing_of(merged.record);
    if (!missing.empty()) {
        say(Level::Warning,
            fmt::format("{}: of {} samples per pixel these are missing: {}",
                        output,
                        merged.record.samples_wanted,
                        fmt::join(missing, ", ")));
    }
}

base::Status check_merge(const MergeOptions& options) {
    std::vector<NamedFile> inputs;
    for (std::size_t i = 1; i < options.files.size(); ++i) {
        inputs.push_back({"IN", options.files[i]});
    }
    if (inputs.empty()) {
        return base::Error{base::ErrorKind::Usage,
                           "merge: no input; expected OUT IN..., the picture and its slices"};
    }
    const std::string& output = options.files.front();
    WEFT_TRY(check_outputs({{"OUT", output}}, inputs, false));
    return film::check_image_target(output, pick_image_config(options.picture));
}

int merge(const MergeOptions& options, const std::string& command_line) {
    const std::string& output = options.files.front();
    const base::Status checked = check_merge(options);
    if (!checked.is_ok()) {
        return fail(checked.error());
    }
    if (options.picture.no_clobber && !film::is_standard_output(output) &&
        std::filesystem::exists(output)) {
        say(Level::Info, output + " exists and is kept (--no-clobber)");
        return kExitDone;
    }
    const base::Result<OutputLock> lock = OutputLock::take(output);
    if (!lock.is_ok()) {
        return fail(lock.error());
    }
    const base::Result<film::SavedFilm> merged =
        merged_film({options.files.begin() + 1, options.files.end()});
    if (!merged.is_ok()) {
        return fail(merged.error());
    }
    const base::Status written = film::write_image(
        output, merged.value().film, merged_config(options, merged.value(), command_line));
    if (!written.is_ok()) {
        return fail(written.error());
    }
    say_missing(merged.value(), output);
    say(Level::Info,
        fmt::format("{} films are in {}, film_hash {}",
                    options.files.size() - 1,
                    output,
                    merged.value().film.film_hash()));
    return kExitDone;
}

}  // namespace

int run_merge(const MergeOptions& options, const std::string& command_line) {
    try {
        return merge(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail({base::ErrorKind::Memory,
                     "out of memory: the pictures are too large for this machine"});
    }
}

}  // namespace weft::app
