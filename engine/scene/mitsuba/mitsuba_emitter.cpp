// mitsuba_emitter.cpp — emitters as lights, environments and the radiance of shapes.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/mitsuba/mitsuba_scene.h"
#include "engine/scene/model/sky.h"
#include "engine/scene/parts/bilinear.h"
#include "engine/scene/parts/lat_long.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::mitsuba {

namespace {

using math::DAffine;
using math::DVec3;
using math::Vec3;

double radians(double degrees) {
    return degrees * shaders::kPi / 180;
}

// Mitsuba's lat-long picture: its left edge shows −z, and +x lies a quarter to the right.
class EnvironmentPicture {
public:
    explicit EnvironmentPicture(const Environment& picture)
        : pixels_(picture.pixels.data()), width_(picture.width), height_(picture.height) {}

    // The direction has unit length.
    [[nodiscard]] DVec3 at(const DVec3& direction) const {
        const double turn = shaders::atan2_of(direction.x, -direction.z) / (2 * shaders::kPi);
        const double x = (turn - std::floor(turn)) * width_ - 0.5;
        const double y = shaders::acos_of(direction.y) / shaders::kPi * height_ - 0.5;
        return bilinear(x, y, [&](double column, double row) { return texel(column, row); });
    }

private:
    [[nodiscard]] DVec3 texel(double x, double y) const {
        const double wrapped = x < 0 ? x + width_ : x >= width_ ? x - width_ : x;
        const auto column = static_cast<std::size_t>(wrapped);
        const auto row = static_cast<std::size_t>(std::clamp(y, 0.0, height_ - 1));
        return DVec3(
            math::vec3_at(pixels_ + 3 * (row * static_cast<std::size_t>(width_) + column)));
    }

    const float* pixels_;
    double width_;
    double height_;
};

// The angle by which a matrix turns about +y, counter-clockwise seen from above; none: it does more
// than that.
std::optional<double> turn_about_y(const DAffine& m) {
    const DVec3 x = math::normalize(math::column(m, 0));
    const DVec3 y = math::normalize(math::column(m, 1));
    const DVec3 z = math::normalize(math::column(m, 2));
    const bool is_turn = math::length(y - DVec3{0, 1, 0}) < 1e-6 && std::fabs(x.y) < 1e-6 &&
                         math::length(cross(z, x) - y) < 1e-6;
    return is_turn ? std::optional(shaders::atan2_of(z.x, x.x)) : std::nullopt;
}

}  // namespace

base::Result<Vec3> MitsubaScene::light_of(const Fields& fields, std::string_view name) {
    const base::Result<TextureInput> input = input_of(fields, name, Vec3(1), ColorUse::Light);
    WEFT_TRY(input);
    if (!input.value().is_plain()) {
        note(Note::Kind::Replaced,
             "pictures of the " + std::string(name) + " of \"" + fields.object().type() +
                 "\" are taken as their factors");
    }
    const base::Result<double> scale = fields.number("scale", 1);
    WEFT_TRY(scale);
    return clamped_color(input.value().factor * static_cast<float>(scale.value()));
}

base::Status MitsubaScene::emitter(const Element& element) {
    const Fields fields(element);
    const std::string& type = element.type();
    for (const char* const quiet : {"sampling_weight", "medium", "mis_compensation"}) {
        fields.expect(quiet);
    }
    if (type == "point" || type == "spot" || type == "directional" || type == "collimated") {
        WEFT_TRY(punctual(fields, type));
    } else if (type == "constant" || type == "envmap") {
        WEFT_TRY(environment(fields, type));
    } else if (type == "sky" || type == "sunsky" || type == "sun") {
        WEFT_TRY(sky(fields, type));
    } else {
        // Shapes may refer to what has an id.
        if (type != "area" || element.id().empty()) {
            note(Note::Kind::Ignored, "emitters \"" + type + "\" are left out");
        }
        return base::Done{};
    }
    note_unused("emitters \"" + type + "\"", fields);
    return base::Done{};
}

base::Status MitsubaScene::punctual(const Fields& fields, const std::string& type) {
    const base::Result<DAffine> placed = fields.transform("to_world");
    WEFT_TRY(placed);
    const math::Affine matrix = world_matrix(placed.value());
    const base::Result<DVec3> position = fields.vector("position", {});
    WEFT_TRY(position);
    const base::Result<DVec3> direction = fields.vector("direction", {0, 0, 1});
    WEFT_TRY(direction);
    const bool is_directional = type == "directional";
    const base::Result<Vec3> color = light_of(fields, is_directional ? "irradiance" : "intensity");
    WEFT_TRY(color);
    Light light;
    light.name = fields.object().id().empty()
                     ? type + " " + std::to_string(scene_.lights.size() + 1)
                     : fields.object().id();
    light.position = math::transform_point(matrix, Vec3(position.value()));
    light.direction =
        math::normalize(math::transform_vector(matrix, Vec3(direction.value())), Vec3{0, -1, 0});
    light.intensity = color.value();
    if (is_directional) {
        light.kind = shaders::LightKind::Directional;
    } else if (type == "spot") {
        light.kind = shaders::LightKind::Spot;
        const base::Result<double> cutoff = fields.number("cutoff_angle", 20);
        WEFT_TRY(cutoff);
        const double outer = std::clamp(cutoff.value(), 0.1, kWidestSpot);
        if (cutoff.value() > kWidestSpot) {
            note(Note::Kind::Replaced, "spots wider than 90 degrees end at 90");
        }
        const base::Result<double> beam = fields.number("beam_width", outer * 3 / 4);
        WEFT_TRY(beam);
        light.cos_outer = static_cast<float>(shaders::cos_of(radians(outer)));
        light.cos_inner = static_cast<float>(
            shaders::cos_of(radians(std::clamp(beam.value(), 0.0, outer - 0.05))));
    } else if (type != "point") {
        note(Note::Kind::Ignored, "emitters \"" + type + "\" are left out");
        return base::Done{};
    }
    if (!math::inverse(math::translation(light.position))) {
        note(Note::Kind::Ignored, "lights beyond the numbers of a float are left out");
        return base::Done{};
    }
    scene_.lights.push_back(light);
    return base::Done{};
}

base::Status MitsubaScene::environment(const Fields& fields, const std::string& type) {
    if (scene_.environment.width != 0) {
        note(Note::Kind::Ignored, "environments after the first are left out");
        return base::Done{};
    }
    if (type == "envmap") {
        return environment_map(fields);
    }
    const base::Result<Vec3> color = light_of(fields, "radiance");
    WEFT_TRY(color);
    scene_.environment.name = path_ + ": constant emitter";
    scene_.environment.width = scene_.environment.height = 1;
    scene_.environment.pixels =
        std::vector<float>{color.value().x, color.value().y, color.value().z};
    return base::Done{};
}

base::Status MitsubaScene::environment_map(const Fields& fields) {
    const base::Result<std::string> name = fields.string("filename", "");
    WEFT_TRY(name);
    const base::Result<double> scale = fields.number("scale", 1);
    WEFT_TRY(scale);
    const base::Result<DAffine> placed = fields.transform("to_world");
    WEFT_TRY(placed);
    const std::optional<std::string> file = document_.find_file(name.value());
    if (!file) {
        return outside_error(fields.object().place.text() + ": a picture", name.value());
    }
    base::Result<Environment> read = read_environment(*file, config_.colours.get());
    if (!read.is_ok()) {
        return error_of_file(fields.object().place, read.error());
    }
    Environment picture = std::move(read.value());
    picture.strength = static_cast<float>(std::clamp(scale.value(), 0.0, 1e30));
    const DAffine in_scene = math::compose(base_, placed.value());
    if (const std::optional<double> turn = turn_about_y(in_scene)) {
        // Ours shows −z a quarter from the left.
        picture.rotation_rad = static_cast<float>(*turn - shaders::kPi / 2);
        scene_.environment = std::move(picture);
        return base::Done{};
    }
    const std::optional<math::Affine> from_scene = math::inverse(math::to_float(in_scene));
    if (!from_scene) {
        return error_at(fields.object().place, "is an emitter whose transform has no inverse.");
    }
    WEFT_TRY(size_.add_made(u64{24} * picture.width * picture.height, *file));
    const EnvironmentPicture map(picture);
    const DAffine turned = math::to_double(*from_scene);
    const u32 width = std::clamp(picture.width / 2 * 2, 2U, 8192U);
    std::vector<float> pixels = lat_long_pixels(width, [&](const DVec3& direction) {
        return map.at(math::normalize(math::transform_vector(turned, direction), DVec3{0, 0, 1}));
    });
    picture.width = width;
    picture.height = width / 2;
    picture.pixels = std::move(pixels);
    scene_.environment = std::move(picture);
    return base::Done{};
}

// The sky of outdoor procedural scenes stands for Mitsuba's models.
base::Status MitsubaScene::sky(const Fields& fields, const std::string& type) {
    note(Note::Kind::Replaced,
         "emitters \"" + type + "\" are shown as a plain clear sky and a sun");
    const base::Result<DAffine> placed = fields.transform("to_world");
    WEFT_TRY(placed);
    const base::Result<DVec3> towards_sun = fields.vector("sun_direction", {0.5, 0.7, 0.5});
    WEFT_TRY(towards_sun);
    if (type != "sun" && scene_.environment.width == 0) {
        scene_.environment = clear_sky();
    }
    if (type != "sky") {
        Light sun;
        sun.name = "sun";
        sun.kind = shaders::LightKind::Directional;
        sun.direction = math::normalize(
            -math::transform_vector(world_matrix(placed.value()), Vec3(towards_sun.value())),
            Vec3{0, -1, 0});
        sun.intensity = {7.5F, 6.6F, 5.2F};
        scene_.lights.push_back(sun);
    }
    return base::Done{};
}

base::Result<std::optional<Radiance>> MitsubaScene::radiance_of(const Element& shape) {
    const base::Result<const Element*> found = child_of(shape, "emitter");
    WEFT_TRY(found);
    if (!found.value()) {
        return std::optional<Radiance>();
    }
    const Element& emitter = *found.value();
    if (emitter.type() != "area") {
        note(Note::Kind::Ignored,
             "emitters \"" + emitter.type() + "\" of shapes shine as \"area\" ones");
    }
    const Fields fields(emitter);
    const base::Result<TextureInput> input = input_of(fields, "radiance", Vec3(1), ColorUse::Light);
    WEFT_TRY(input);
    const base::Result<u32> slot = slot_of(input.value(), TexelMeaning::Color);
    WEFT_TRY(slot);
    Radiance radiance;
    radiance.color = clamped_color(input.value().factor);
    radiance.slot = slot.value();
    fields.expect("sampling_weight");
    note_unused("emitters \"" + emitter.type() + "\"", fields);
    return std::optional(radiance);
}

}  // namespace weft::scene::mitsuba
