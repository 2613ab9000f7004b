#include "app/external_denoiser.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/command/signals.h"
#include "engine/film/pfm_file.h"
#include "scheduler/base/program.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using film::Aov;

constexpr u32 kColours = 3;

// A folder of our own, removed with its files.
class DenoiseFolder {
public:
    DenoiseFolder() {
        std::error_code failed;
        std::string name = (fs::temp_directory_path(failed) / "weft-denoise-XXXXXX").string();
        if (!failed && mkdtemp(name.data()) != nullptr) {
            path_ = name;
        }
    }

    DenoiseFolder(const DenoiseFolder&) = delete;
    DenoiseFolder& operator=(const DenoiseFolder&) = delete;

    ~DenoiseFolder() {
        std::error_code failed;
        if (!path_.empty()) {
            fs::remove_all(path_, failed);
        }
    }

    [[nodiscard]] const fs::path& path() const { return path_; }

    [[nodiscard]] std::string file(const Placeholder& placeholder) const {
        return (path_ / (placeholder.file + (placeholder.is_pfm ? ".pfm" : ".exr"))).string();
    }

private:
    fs::path path_;
};

// The means of the beauty or of a layer.
film::Picture layer_picture(const film::ResolvedFilm& picture, const std::string& file) {
    const film::Region crop = picture.film().crop();
    film::Picture layer;
    layer.width = crop.width();
    layer.height = crop.height();
    layer.channels = kColours;
    layer.pixels.resize(std::size_t{layer.width} * layer.height * kColours);
    const std::vector<film::FilmLayer>& aovs = picture.film().aovs();
    const Aov aov = file == "albedo" ? Aov::Albedo : Aov::Normal;
    const auto found = std::find_if(
        aovs.begin(), aovs.end(), [aov](const film::FilmLayer& each) { return each.aov == aov; });
    const u32 stride = file == "color" ? film::kFilmChannels : kColours;
    for (u32 y = 0; y < layer.height; ++y) {
        const float* row = file == "color"
                               ? picture.beauty_row(y)
                               : picture.aov_row(static_cast<u32>(found - aovs.begin()), y);
        float* to = layer.pixels.data() + std::size_t{y} * layer.width * kColours;
        for (u32 x = 0; x < layer.width; ++x, row += stride, to += kColours) {
            std::copy_n(row, kColours, to);
        }
    }
    return layer;
}

base::Status write_inputs(const DenoiseCommand& command,
                          const film::ResolvedFilm& picture,
                          const DenoiseFolder& folder) {
    for (const Placeholder& placeholder : command.placeholders()) {
        if (placeholder.file != "output") {
            const film::Picture layer = layer_picture(picture, placeholder.file);
            const std::string path = folder.file(placeholder);
            WEFT_TRY(placeholder.is_pfm ? film::write_pfm(path, layer)
                                        : film::write_picture(path, layer));
        }
    }
    return base::Done{};
}

// The words with the names of files.
std::vector<std::string> filled_in(const DenoiseCommand& command, const DenoiseFolder& folder) {
    std::vector<std::string> words = command.arguments;
    for (std::string& word : words) {
        std::size_t from = 0;
        while (const std::optional<Placeholder> found = find_placeholder(word, from)) {
            const std::string file = folder.file(*found);
            word.replace(found->begin, found->end - found->begin, file);
            from = found->begin + file.size();
        }
    }
    return words;
}

// Runs the program; a signal to this one ends it.
base::Status run_stoppable(const base::ProgramCall& call) {
    constexpr std::chrono::milliseconds kLook{50};
    std::stop_source stop;
    std::atomic<bool> has_ended{false};
    std::jthread watch([&] {
        while (!has_ended.load(std::memory_order_relaxed)) {  // relaxed: join() orders the rest
            if (was_interrupted()) {
                stop.request_stop();
            }
            std::this_thread::sleep_for(kLook);
        }
    });
    base::Status status = base::run_program(call, stop.get_token());
    has_ended.store(true, std::memory_order_relaxed);
    return status;
}

base::Error refused(const DenoiseCommand& command, const std::string& what) {
    return {base::ErrorKind::Render, "denoiser " + command.program.string() + ": " + what};
}

// Reads what the program wrote, and checks it.
base::Result<std::shared_ptr<const film::Picture>> read_output(const DenoiseCommand& command,
                                                               const film::ResolvedFilm& picture,
                                                               const DenoiseFolder& folder) {
    std::string path;
    bool is_pfm = false;
    for (const Placeholder& placeholder : command.placeholders()) {
        if (placeholder.file == "output") {
            path = folder.file(placeholder);
            is_pfm = placeholder.is_pfm;
        }
    }
    if (!fs::exists(path)) {
        return refused(command, "it ended well but wrote no {output}");
    }
    base::Result<film::Picture> read = is_pfm ? film::read_pfm(path) : film::read_picture(path);
    if (!read.is_ok()) {
        return refused(command, "its output cannot be read (" + read.error().sentence + ")");
    }
    auto denoised = std::make_shared<film::Picture>(std::move(read.value()));
    const film::Region crop = picture.film().crop();
    if (denoised->width != crop.width() || denoised->height != crop.height() ||
        denoised->channels < kColours) {
        return refused(command,
                       fmt::format("its output has {}x{} pixels and {} channels; expected {}x{} "
                                   "and red, green and blue",
                                   denoised->width,
                                   denoised->height,
                                   denoised->channels,
                                   crop.width(),
                                   crop.height()));
    }
    // Keep red, green and blue.
    std::vector<float>& values = denoised->pixels;
    for (std::size_t pixel = 0; pixel < std::size_t{crop.width()} * crop.height(); ++pixel) {
        for (u32 c = 0; c < kColours; ++c) {
            const float value = values[pixel * denoised->channels + c];
            if (!std::isfinite(value)) {
                return refused(command,
                               fmt::format("its output is not finite at pixel {},{}",
                                           crop.x0 + pixel % crop.width(),
                                           crop.y0 + pixel / crop.width()));
            }
            values[pixel * kColours + c] = value;
        }
    }
    denoised->channels = kColours;
    values.resize(std::size_t{crop.width()} * crop.height() * kColours);
    return std::shared_ptr<const film::Picture>(std::move(denoised));
}

}  // namespace

base::Result<std::shared_ptr<const film::Picture>> run_denoiser(const DenoiseCommand& command,
                                                                const film::ResolvedFilm& picture) {
    const DenoiseFolder folder;
    if (folder.path().empty()) {
        return refused(command, "no folder for its files can be made in $TMPDIR");
    }
    WEFT_TRY(write_inputs(command, picture, folder));
    base::ProgramCall call;
    call.role = "denoiser";
    call.program = command.program;
    call.arguments = filled_in(command, folder);
    call.folder = folder.path();
    WEFT_TRY(run_stoppable(call));
    return read_output(command, picture, folder);
}

}  // namespace weft::app
