#include "app/merge_command.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <optional>
#include <system_error>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "app/command/output_lock.h"
#include "app/film_picture.h"
#include "app/idle_options.h"
#include "engine/film/film_merge.h"
#include "engine/film/noise.h"

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

// Whether a render with a noise threshold left out nothing but what it did not need.
bool is_ended_by_noise(const film::SavedFilm& merged) {
    const std::string& text = merged.noise_threshold;
    float threshold = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), threshold);
    return read.ec == std::errc() &&
           film::is_clean_or_whole(merged.film, threshold, merged.record.samples_wanted);
}

void say_missing(const film::SavedFilm& merged, const std::string& output) {
    const std::vector<std::string> missing = film::missing_of(merged.record);
    if (!missing.empty() && !is_ended_by_noise(merged)) {
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
    return check_picture_file(output, pick_image_config(options.picture));
}

int merge(const MergeOptions& options, const std::string& command_line) {
    const std::string& output = options.files.front();
    const base::Status checked = check_merge(options);
    if (!checked.is_ok()) {
        return fail(checked.error());
    }
    if (keeps_existing(output, options.picture.no_clobber)) {
        return kExitDone;
    }
    const base::Result<OutputLock> lock = OutputLock::take(output);
    if (!lock.is_ok()) {
        return fail(lock.error());
    }
    say_idle_file_options(options.picture, output);
    const base::Result<film::SavedFilm> merged =
        merged_film({options.files.begin() + 1, options.files.end()});
    if (!merged.is_ok()) {
        return fail(merged.error());
    }
    say_idle_layer_options(options.picture, output, merged.value().film);
    const base::Status written = film::write_image(
        output,
        merged.value().film,
        film_picture_config(options.picture, output, merged.value(), command_line));
    if (!written.is_ok()) {
        return fail(written.error());
    }
    say_missing(merged.value(), output);
    say(Level::Info,
        fmt::format("{} in {}, film_hash {}",
                    options.files.size() == 2
                        ? "1 film is"
                        : fmt::format("{} films are", options.files.size() - 1),
                    output,
                    merged.value().film.film_hash()));
    return kExitDone;
}

}  // namespace

int run_merge(const MergeOptions& options, const std::string& command_line) {
    try {
        return merge(options, command_line);
    } catch (const std::bad_alloc&) {
        return fail_without_memory("out of memory: the pictures are too large for this machine");
    }
}

}  // namespace weft::app
