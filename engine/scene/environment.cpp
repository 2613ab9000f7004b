// environment.cpp — a lat-long picture as the environment, through OpenImageIO.
//
// Rows and columns are kept as in the file: the top row is up, u = 0.5 + atan2(z, x) / 2π
// (shaders/bsdf.md, section 5). Any thread; throws nothing.
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>

#include <OpenImageIO/imageio.h>

#include "engine/scene/import.h"
#include "engine/scene/texture.h"
#include "scheduler/base/input_file.h"

namespace weft::scene {
namespace {

base::Error scene_error(const std::string& path, const std::string& what) {
    return {base::ErrorKind::Scene, path + ": " + what};
}

bool is_channel(const std::string& name, char letter) {
    const std::size_t dot = name.rfind('.');
    const std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
    return last.size() == 1 && (last[0] == letter || last[0] == static_cast<char>(letter + 32));
}

// The first of three channels in a row called R, G, B (of the first layer that has them), else
// channel 0.
int first_color_channel(const OIIO::ImageSpec& spec) {
    for (int channel = 0; channel + 2 < spec.nchannels; ++channel) {
        if (is_channel(spec.channel_name(channel), 'R') &&
            is_channel(spec.channel_name(channel + 1), 'G') &&
            is_channel(spec.channel_name(channel + 2), 'B')) {
            return channel;
        }
    }
    return 0;
}

// Grey (with or without alpha) fills all three colours.
bool read_pixels(OIIO::ImageInput& input, const OIIO::ImageSpec& spec, std::vector<float>& pixels) {
    const std::size_t texels =
        static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(spec.height);
    const bool is_grey = spec.nchannels < 3;
    const int first = is_grey ? 0 : first_color_channel(spec);
    pixels.resize(3 * texels);
    // A grey picture is read into the last third and spread from the front, which never overtakes
    // the reader.
    float* start = is_grey ? pixels.data() + 2 * texels : pixels.data();
    if (!input.read_image(0, 0, first, is_grey ? 1 : first + 3, OIIO::TypeDesc::FLOAT, start)) {
        return false;
    }
    for (std::size_t texel = 0; is_grey && texel < texels; ++texel) {
        const float value = pixels[2 * texels + texel];
        pixels[3 * texel] = pixels[3 * texel + 1] = pixels[3 * texel + 2] = value;
    }
    return true;
}

// Whole-number formats carry the sRGB curve; float formats are linear.
void make_linear(const OIIO::ImageSpec& spec, std::vector<float>& pixels) {
    if (spec.format.is_floating_point()) {
        return;
    }
    for (float& value : pixels) {
        value = srgb_to_linear(value);
    }
}

u64 repair_texels(std::vector<float>& pixels) {
    u64 repaired = 0;
    for (std::size_t at = 0; at < pixels.size(); at += 3) {
        bool was_bad = false;
        for (std::size_t channel = 0; channel < 3; ++channel) {
            float& value = pixels[at + channel];
            if (!(value >= 0) || std::isinf(value)) {
                value = 0;
                was_bad = true;
            }
        }
        repaired += was_bad ? 1 : 0;
    }
    return repaired;
}

base::Result<Environment> read_with_oiio(const std::string& path) {
    OIIO::ImageSpec config;
    config["oiio:UnassociatedAlpha"] = 1;
    const std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::open(path, &config);
    if (!input) {
        return scene_error(path,
                           "cannot be read as an image (" + OIIO::geterror() +
                               "); expected a lat-long .hdr or .exr.");
    }
    const OIIO::ImageSpec spec = input->spec();
    const double floats = 3.0 * spec.width * spec.height;
    if (spec.width < 1 || spec.height < 1 || spec.depth > 1 ||
        floats >= static_cast<double>(kNone)) {
        return scene_error(path,
                           "has " + std::to_string(spec.width) + " × " +
                               std::to_string(spec.height) +
                               " pixels; expected a flat picture of at most 1.4 thousand million.");
    }
    Environment environment;
    environment.name = path;
    environment.width = static_cast<u32>(spec.width);
    environment.height = static_cast<u32>(spec.height);
    std::vector<float> pixels;
    if (!read_pixels(*input, spec, pixels)) {
        return scene_error(
            path, "its pixels cannot be read (" + input->geterror() + "); expected a whole image.");
    }
    make_linear(spec, pixels);
    environment.repaired_texels = repair_texels(pixels);
    environment.pixels = std::move(pixels);
    return environment;
}

}  // namespace

base::Result<Environment> read_environment(const std::string& path) {
    const base::Status is_file = base::check_input_file(path, "a lat-long .hdr or .exr");
    if (!is_file.is_ok()) {
        return is_file.error();
    }
    try {
        return read_with_oiio(path);
    } catch (const std::exception& problem) {
        return scene_error(path,
                           std::string("cannot be read (") + problem.what() +
                               "); expected a lat-long .hdr or .exr.");
    }
}

}  // namespace weft::scene
