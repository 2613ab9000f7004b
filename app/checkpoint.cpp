#include "app/checkpoint.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "app/command/messages.h"
#include "app/command/output_files.h"
#include "engine/film/noise.h"
#include "scheduler/base/memory_limit.h"

namespace weft::app {

namespace {

base::Error refusal(const std::string& path, const std::string& found, const std::string& wanted) {
    return {base::ErrorKind::Scene, fmt::format("{}: {}; expected {}", path, found, wanted)};
}

// The rules by which these options end a render, as one line.
std::string stop_rules(const RenderOptions& options) {
    return fmt::format("spp {}, noise {}, seconds {}",
                       pixel_samples(options),
                       options.noise_threshold,
                       options.time_limit_s);
}

// Whether the render whose checkpoint lies at `path` goes on, or is too damaged to tell.
bool goes_on(const RenderOptions& options, const std::string& path) {
    std::error_code unknown;
    if (path.empty() || !std::filesystem::exists(path, unknown)) {
        return false;
    }
    // The last checkpoint is written before the picture.
    const auto saved = std::filesystem::last_write_time(path, unknown);
    const auto written = std::filesystem::last_write_time(options.output, unknown);
    const base::Result<std::string> finished_by = film::read_finished_by(path);
    return unknown || written < saved || !finished_by.is_ok() ||
           finished_by.value() != stop_rules(options);
}

}  // namespace

Checkpoint::Checkpoint(std::string path, double interval_s)
    : path_(std::move(path)), interval_s_(interval_s), last_(base::Clock::now()) {}

base::Status Checkpoint::prepare(const Plan& plan, const frame::Renderer& frame) {
    if (!is_wanted()) {
        return base::Done{};
    }
    constexpr u64 kMoreText = 4096;  // records of later samples may be longer
    u64 bytes = film::film_file_bytes(frame.film(), plan.record) + kMoreText;
    // An empty film has empty lists of names; pixels come to have some.
    constexpr u64 kUsualNames = 3;
    const film::Region crop = frame.film().crop();
    for (const film::Aov aov : plan.settings.aovs) {
        bytes += film::is_matte_aov(aov)
                     ? u64{crop.width()} * crop.height() * kUsualNames * sizeof(film::MatteCount)
                     : 0;
    }
    base::Result<base::MemoryClaim> claim = base::claim_memory(
        frame::first_run_bytes(frame.figures()) + bytes, path_ + ": the film with its copy");
    WEFT_TRY(claim);
    bytes_.resize(bytes);
    claim.value().give_back(bytes);
    last_ = base::Clock::now();
    return base::Done{};
}

void Checkpoint::look() {
    // acquire: pairs with the release of the writer, which has left bytes_.
    if (is_wanted() && !is_writing_.load(std::memory_order_acquire) &&
        base::seconds_since(last_) >= interval_s_) {
        is_due_.store(true, std::memory_order_relaxed);
    }
}

void Checkpoint::save(const Plan& plan, const frame::Renderer& frame) {
    const auto begin = base::Clock::now();
    writer_ = nullptr;  // waits for the former one
    film::encode_film_file(frame.film(), record_now(plan, frame), bytes_);
    say(Level::Debug,
        fmt::format("checkpoint: rendering waited {:.1f} ms for the copy",
                    base::seconds_since(begin) * 1e3));
    is_due_.store(false, std::memory_order_relaxed);
    last_ = base::Clock::now();
    is_writing_.store(true, std::memory_order_relaxed);
    const auto write = [this] {
        const base::Status written = film::write_film_file(path_, bytes_);
        if (!written.is_ok()) {
            say(Level::Warning, "no checkpoint: " + written.error().sentence);
        }
        is_writing_.store(false, std::memory_order_release);  // pairs with the acquire in look()
    };
    writer_ = frame.run_beside("checkpoint", write);
}

base::Status Checkpoint::save_now(const Plan& plan,
                                  const frame::Renderer& frame,
                                  bool is_finished) {
    if (!is_wanted()) {
        return base::Done{};
    }
    writer_ = nullptr;  // waits for the former one
    film::encode_film_file(
        frame.film(), record_now(plan, frame), bytes_, is_finished ? stop_rules(plan.options) : "");
    last_ = base::Clock::now();
    return film::write_film_file(path_, bytes_);
}

film::FilmRecord record_now(const Plan& plan, const frame::Renderer& frame) {
    film::FilmRecord record = plan.record;
    record.ranges = {film::held_samples(frame.film(), plan.settings.first_sample)};
    record.dropped_samples = film::dropped_samples(frame.film());
    return record;
}

base::Status continue_from_checkpoint(const Plan& plan, frame::Renderer& frame) {
    // Without --resume or a checkpoint the render begins at the start.
    const std::string path = checkpoint_path(plan.options);
    std::error_code none;
    const bool exists = !path.empty() && std::filesystem::exists(path, none);
    if (!plan.options.resume) {
        if (exists) {
            say(Level::Warning,
                path + ": this earlier checkpoint will be replaced; --resume continues from it");
        }
        return base::Done{};
    }
    if (!exists) {
        say(Level::Info, path + ": no checkpoint yet; rendering begins with the first sample");
        return base::Done{};
    }
    // Read the checkpoint.
    base::Result<film::SavedFilm> saved = film::read_film_file(path);
    WEFT_TRY(saved);
    // Refuse one of another picture.
    const film::FilmRecord& record = saved.value().record;
    std::string difference = film::difference_of(record, plan.record);
    const bool had_noise = film::noise_layer(saved.value().film) != kNone;
    const bool has_noise = film::noise_layer(frame.film()) != kNone;
    if (!difference.empty() && had_noise != has_noise) {
        difference += "; --noise-threshold adds the AOV noise";
    }
    if (!difference.empty() || !frame.film().is_alike(saved.value().film)) {
        return refusal(path,
                       "a checkpoint of another picture (" +
                           (difference.empty() ? "another film" : difference) + ")",
                       "one of this scene and these options");
    }
    // Refuse one of other samples.
    const frame::RenderSettings& settings = plan.settings;
    const film::SampleRange held = film::held_samples(saved.value().film, settings.first_sample);
    if (record.ranges.size() != 1 || record.ranges[0] != held) {
        return refusal(path,
                       "a checkpoint of other samples",
                       fmt::format("one that begins with sample {}", settings.first_sample));
    }
    if (held.reach > settings.samples_per_pixel) {
        return refusal(path,
                       fmt::format("a checkpoint with samples up to {}", held.reach),
                       fmt::format("at most {}: give --spp at least as large as before",
                                   settings.samples_per_pixel));
    }
    // Continue with its film.
    say(Level::Info,
        fmt::format("continues from {} with {} of {} samples per pixel",
                    path,
                    held.end - held.begin,
                    settings.samples_per_pixel - settings.first_sample));
    frame.continue_from(std::move(saved.value().film));
    return base::Done{};
}

bool keeps_finished(const RenderOptions& options) {
    const bool is_finished = !options.resume || !goes_on(options, checkpoint_path(options));
    return keeps_existing(options.output, options.no_clobber && is_finished);
}

}  // namespace weft::app
