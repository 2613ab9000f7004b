#include "engine/scene/mitsuba/mitsuba_color.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/scene/model/texture.h"
#include "engine/scene/parts/text_words.h"
#include "scheduler/base/input_file.h"

namespace weft::scene::mitsuba {

namespace {

using math::DVec3;
using math::Vec3;

// Of sodium's light, by which indices are given.
constexpr double kIndexNm = 587.6;

constexpr std::array kMedia = {std::pair{std::string_view("vacuum"), 1.0},
                               std::pair{std::string_view("helium"), 1.000036},
                               std::pair{std::string_view("hydrogen"), 1.000132},
                               std::pair{std::string_view("air"), 1.000277},
                               std::pair{std::string_view("carbon dioxide"), 1.00045},
                               std::pair{std::string_view("water"), 1.3330},
                               std::pair{std::string_view("acetone"), 1.36},
                               std::pair{std::string_view("ethanol"), 1.361},
                               std::pair{std::string_view("carbon tetrachloride"), 1.461},
                               std::pair{std::string_view("glycerol"), 1.4729},
                               std::pair{std::string_view("benzene"), 1.501},
                               std::pair{std::string_view("silicone oil"), 1.52045},
                               std::pair{std::string_view("bromine"), 1.661},
                               std::pair{std::string_view("water ice"), 1.31},
                               std::pair{std::string_view("fused quartz"), 1.458},
                               std::pair{std::string_view("pyrex"), 1.470},
                               std::pair{std::string_view("acrylic glass"), 1.49},
                               std::pair{std::string_view("polypropylene"), 1.49},
                               std::pair{std::string_view("bk7"), 1.5046},
                               std::pair{std::string_view("sodium chloride"), 1.544},
                               std::pair{std::string_view("amber"), 1.55},
                               std::pair{std::string_view("pet"), 1.5750},
                               std::pair{std::string_view("diamond"), 2.419}};

base::Error no_color(const Element& element) {
    return error_at(element.place,
                    element.text() + " has value=\"" + element.attribute("value").substr(0, 60) +
                        "\"; expected a colour, such as three finite numbers.");
}

// The bytes of "#f0a030" as linear light.
std::optional<Vec3> hexadecimal(std::string_view text) {
    if (text.size() != 7 || text.front() != '#') {
        return std::nullopt;
    }
    Vec3 color;
    for (glm::length_t c = 0; c < 3; ++c) {
        u32 byte = 0;
        const char* const from = text.data() + 1 + 2 * c;
        const auto [end, problem] = std::from_chars(from, from + 2, byte, 16);
        if (problem != std::errc() || end != from + 2) {
            return std::nullopt;
        }
        color[c] = srgb_to_linear_table()[byte];
    }
    return color;
}

base::Result<Vec3> read_rgb(const Element& element, bool is_encoded) {
    const std::string& value = element.attribute("value");
    if (const std::optional<Vec3> color = hexadecimal(value)) {
        return *color;
    }
    const auto numbers = numbers_of(value);
    if (!numbers || (numbers->size() != 1 && numbers->size() != 3)) {
        return no_color(element);
    }
    Vec3 color = clamped_color(
        Vec3(DVec3(numbers->front(), (*numbers)[numbers->size() / 2], numbers->back())));
    for (float& channel : math::components(color)) {
        channel = is_encoded ? srgb_to_linear(channel) : channel;
    }
    return clamped_color(color);
}

// "400:0.1 500:0.2", or wavelengths and values apart.
std::optional<Spectrum> pairs_of(const std::string& text) {
    std::string plain = text;
    std::replace(plain.begin(), plain.end(), ':', ' ');
    const auto numbers = numbers_of(plain);
    if (!numbers || numbers->empty() || numbers->size() % 2 != 0) {
        return std::nullopt;
    }
    Spectrum spectrum;
    for (std::size_t k = 0; k < numbers->size(); k += 2) {
        spectrum.add((*numbers)[k], (*numbers)[k + 1]);
    }
    spectrum.finish();
    return spectrum;
}

base::Result<Spectrum> read_file(const Element& element, const Document& document) {
    const std::string& name = element.attribute("filename");
    const std::optional<std::string> path = document.find_file(name);
    if (!path) {
        return outside_error(element.place.text() + ": a spectrum", name);
    }
    const base::Result<std::vector<u8>> bytes =
        base::read_input_file(*path, "a spectrum", base::kMostTextBytes);
    if (!bytes.is_ok()) {
        return error_of_file(element.place, bytes.error());
    }
    const std::optional<Spectrum> spectrum = parse_spectrum(base::as_text(bytes.value()));
    return spectrum ? base::Result<Spectrum>(*spectrum)
                    : error_at(element.place,
                               *path + " is no spectrum; expected pairs of wavelength and value.");
}

// Values at given wavelengths, or evenly from one to another.
base::Result<Spectrum> read_table(const Element& element) {
    const Fields fields(element);
    const base::Result<std::string> values_text = fields.string("values", "");
    WEFT_TRY(values_text);
    const base::Result<std::string> wavelengths_text = fields.string("wavelengths", "");
    WEFT_TRY(wavelengths_text);
    const base::Result<double> from = fields.number("wavelength_min", 0);
    WEFT_TRY(from);
    const base::Result<double> to = fields.number("wavelength_max", 0);
    WEFT_TRY(to);
    const auto values = numbers_of(values_text.value());
    const auto wavelengths = numbers_of(wavelengths_text.value());
    const bool is_regular = element.type() == "regular";
    if (!values || values->empty() || !wavelengths ||
        (!is_regular && wavelengths->size() != values->size())) {
        return error_at(element.place,
                        element.text() + " has other than a wavelength for each of its values.");
    }
    Spectrum spectrum;
    for (std::size_t k = 0; k < values->size(); ++k) {
        const double share =
            static_cast<double>(k) / std::max(static_cast<double>(values->size() - 1), 1.0);
        spectrum.add(
            is_regular ? from.value() + share * (to.value() - from.value()) : (*wavelengths)[k],
            (*values)[k]);
    }
    spectrum.finish();
    return spectrum;
}

// A temperature in kelvin, with a unit or without ("5000K").
base::Result<Vec3> read_black_body(const Element& element) {
    const Fields fields(element);
    double kelvin = 0;
    double scale = 1;
    if (element.tag == "blackbody") {
        std::string text = element.attribute("temperature");
        text.resize(std::min(text.find_first_of("kK"), text.size()));
        kelvin = number_of<double>(text).value_or(0);
        scale =
            element.has("scale") ? number_of<double>(element.attribute("scale")).value_or(0) : 1;
    } else {
        const base::Result<double> temperature = fields.number("temperature", 5000);
        WEFT_TRY(temperature);
        const base::Result<double> by = fields.number("scale", 1);
        WEFT_TRY(by);
        kelvin = temperature.value();
        scale = by.value();
    }
    if (!(kelvin > 0)) {
        return error_at(element.place, element.text() + " has no temperature above 0 K.");
    }
    return clamped_color(black_body_color(kelvin) * static_cast<float>(scale));
}

// A number with a scale, as grey.
base::Result<Vec3> read_grey(const Element& element) {
    const Fields fields(element);
    const base::Result<double> value = fields.number("value", 1);
    WEFT_TRY(value);
    const base::Result<double> scale = fields.number("scale", 1);
    WEFT_TRY(scale);
    return clamped_color(Vec3(static_cast<float>(value.value() * scale.value())));
}

bool is_table(const Element& element) {
    return element.type() == "regular" || element.type() == "irregular";
}

}  // namespace

bool is_color(const Element& element) {
    static constexpr std::array<std::string_view, 6> kPlain = {
        "rgb", "srgb", "float", "integer", "blackbody", "spectrum"};
    static constexpr std::array<std::string_view, 9> kTypes = {"uniform",
                                                               "d65",
                                                               "srgb",
                                                               "rgb",
                                                               "regular",
                                                               "irregular",
                                                               "blackbody",
                                                               "srgb_d65",
                                                               "rgb_d65"};
    const auto is_in = [](const auto& list, std::string_view word) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    return element.type().empty() ? is_in(kPlain, element.tag) : is_in(kTypes, element.type());
}

base::Result<std::optional<Spectrum>> spectrum_of(const Element& element,
                                                  const Document& document) {
    if (is_table(element)) {
        const base::Result<Spectrum> table = read_table(element);
        WEFT_TRY(table);
        return std::optional(table.value());
    }
    if (element.tag == "spectrum" && element.has("filename")) {
        const base::Result<Spectrum> file = read_file(element, document);
        WEFT_TRY(file);
        return std::optional(file.value());
    }
    const std::string& value = element.attribute("value");
    if (element.tag != "spectrum" || value.find(':') == std::string::npos) {
        return std::optional<Spectrum>();
    }
    const std::optional<Spectrum> pairs = pairs_of(value);
    return pairs ? base::Result<std::optional<Spectrum>>(pairs) : no_color(element);
}

base::Result<Vec3> color_of(const Element& element, ColorUse use, const Document& document) {
    const base::Result<std::optional<Spectrum>> spectrum = spectrum_of(element, document);
    WEFT_TRY(spectrum);
    if (const std::optional<Spectrum>& pairs = spectrum.value()) {
        return use == ColorUse::Reflected
                   ? reflected_color(*pairs)
                   : clamped_color(light_color(*pairs) * static_cast<float>(luminance_of(*pairs)));
    }
    if (element.tag == "blackbody" || element.type() == "blackbody") {
        return read_black_body(element);
    }
    if (!element.type().empty()) {
        // An srgb or d65 may hold a colour; without one it is white.
        const Element* const inner = Fields(element).find("color");
        return inner && inner->type().empty() ? color_of(*inner, use, document)
                                              : read_grey(element);
    }
    if (element.tag == "float" || element.tag == "integer") {
        const base::Result<double> number = number_of_element(element);
        WEFT_TRY(number);
        return clamped_color(Vec3(static_cast<float>(number.value())));
    }
    return read_rgb(element, element.tag == "srgb");
}

std::optional<double> index_of_medium(std::string_view name) {
    const std::string wanted = in_lower_case(std::string(name));
    const auto* const found = std::find_if(
        kMedia.begin(), kMedia.end(), [&](const auto& medium) { return medium.first == wanted; });
    return found == kMedia.end() ? std::nullopt : std::optional(found->second);
}

base::Result<double> index_of(const Fields& fields,
                              std::string_view name,
                              double otherwise,
                              const Document& document) {
    const Element* const found = fields.find(name);
    if (!found) {
        return otherwise;
    }
    if (found->tag == "string") {
        const std::optional<double> index = index_of_medium(found->attribute("value"));
        return index ? base::Result<double>(*index)
                     : error_at(found->place,
                                found->text() + " names the medium \"" +
                                    found->attribute("value").substr(0, 40) +
                                    "\"; expected one such as bk7, water or air, or a number.");
    }
    const base::Result<std::optional<Spectrum>> spectrum = spectrum_of(*found, document);
    WEFT_TRY(spectrum);
    if (spectrum.value()) {
        return spectrum.value()->at(kIndexNm);
    }
    const base::Result<Vec3> color = color_of(*found, ColorUse::Reflected, document);
    WEFT_TRY(color);
    return static_cast<double>(color.value().y);
}

}  // namespace weft::scene::mitsuba
