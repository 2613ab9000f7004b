// pbrt_light.cpp — cameras and lights. An infinite light's square picture becomes a lat-long one.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/parts/bilinear.h"
#include "engine/scene/parts/lat_long.h"
#include "engine/scene/parts/placement.h"
#include "engine/scene/pbrt/pbrt_scene.h"
#include "engine/scene/pbrt/pbrt_spectrum.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::pbrt {

namespace {

using math::DAffine;
using math::DVec3;
using math::Vec3;

// With two digits behind the point.
std::string number_text(double number) {
    const auto hundredths = static_cast<i64>(std::llround(number * 100));
    const i64 size = hundredths < 0 ? -hundredths : hundredths;
    const std::string digits = std::to_string(size % 100);
    return (hundredths < 0 ? "-" : "") + std::to_string(size / 100) +
           (digits.size() == 1 ? ".0" : ".") + digits;
}

double radians(double degrees) {
    return degrees * shaders::kPi / 180;
}

// The point of the square [0, 1]² that pbrt-v4's equal-area map gives a unit direction (Clarberg,
// "Fast Equal-Area Mapping of the (Hemi)Sphere using SIMD", 2008).
std::array<double, 2> square_of(const DVec3& direction) {
    const DVec3 d = glm::abs(direction);
    const double r = std::sqrt(std::max(1 - d.z, 0.0));
    const double phi =
        d.x == 0 && d.y == 0
            ? 0
            : shaders::atan2_of(std::min(d.x, d.y), std::max(d.x, d.y)) * 2 / shaders::kPi;
    const double turned = d.x < d.y ? 1 - phi : phi;
    double v = turned * r;
    double u = r - v;
    if (direction.z < 0) {
        const double swapped = u;
        u = 1 - v;
        v = 1 - swapped;
    }
    return {(std::copysign(u, direction.x) + 1) / 2, (std::copysign(v, direction.y) + 1) / 2};
}

// A square picture of the sphere.
class SquareMap {
public:
    explicit SquareMap(const Environment& picture)
        : pixels_(picture.pixels.data()), size_(picture.width) {}

    // Texels are in row-major order from the square's corner (0, 0) on.
    [[nodiscard]] DVec3 at(const std::array<double, 2>& place) const {
        const double x = place[0] * size_ - 0.5;
        const double y = place[1] * size_ - 0.5;
        return bilinear(x, y, [&](double column, double row) { return texel(column, row); });
    }

private:
    // Beyond an edge the square goes on at the mirrored place of the same edge.
    [[nodiscard]] DVec3 texel(double x, double y) const {
        const double last = size_ - 1;
        if (x < 0 || x > last) {
            x = std::clamp(x, 0.0, last);
            y = last - y;
        }
        if (y < 0 || y > last) {
            y = std::clamp(y, 0.0, last);
            x = last - x;
        }
        const auto column = static_cast<std::size_t>(std::clamp(x, 0.0, last));
        const auto row = static_cast<std::size_t>(std::clamp(y, 0.0, last));
        return DVec3(math::vec3_at(pixels_ + 3 * (row * static_cast<std::size_t>(size_) + column)));
    }

    const float* pixels_;
    double size_;
};

// The square picture as a lat-long one: `from_scene` turns the scene's directions to the light's.
void unroll(const Environment& square, const DAffine& from_scene, Environment& out) {
    const SquareMap map(square);
    out.width = std::min(2 * square.width, 8192U);
    out.height = out.width / 2;
    out.pixels = lat_long_pixels(out.width, [&](const DVec3& direction) {
        return map.at(square_of(
            math::normalize(math::transform_vector(from_scene, direction), DVec3{0, 0, 1})));
    });
}

double tan_half_fov(double degrees) {
    return shaders::tan_of(radians(degrees) / 2);
}

// The picture shows this window: of the plane where ±1 are the edges of the field of view, or of
// an orthographic camera's own space.
void show_window(const ScreenWindow& window, double tangent, Camera& camera) {
    const double width = window.right - window.left;
    const double height = window.top - window.bottom;
    camera.xmag = static_cast<float>(width / 2);
    camera.ymag = static_cast<float>(height / 2);
    camera.yfov_rad = field_of_view(tangent * height / 2);
    camera.pixel_aspect = static_cast<float>(
        std::clamp(width / height / static_cast<double>(camera.aspect), 1e-3, 1e3));
    const auto shift = [](double from, double to) {
        return static_cast<float>(std::clamp((from + to) / 2 / (to - from), -100.0, 100.0));
    };
    camera.shift_x = shift(window.left, window.right);
    camera.shift_y = shift(window.bottom, window.top);
}

Vec3 point_in(const math::Affine& matrix, const DVec3& point) {
    return math::transform_point(matrix, Vec3(point));
}

}  // namespace

base::Status PbrtScene::film(const Token& directive) {
    WEFT_TRY(read_string(directive));
    const base::Result<Parameters> parameters = Parameters::read(tokens_);
    WEFT_TRY(parameters);
    const base::Result<double> width = parameters.value().number("xresolution", 1280);
    WEFT_TRY(width);
    const base::Result<double> height = parameters.value().number("yresolution", 720);
    WEFT_TRY(height);
    if (!(width.value() >= 1) || !(height.value() >= 1)) {
        return error_at(directive.place, "Film has no pixels; expected resolutions above 0.");
    }
    aspect_ = width.value() / height.value();
    // The sensor multiplies the light by iso / 100 and the exposure time.
    const base::Result<double> iso = parameters.value().number("iso", 100);
    WEFT_TRY(iso);
    const base::Result<double> seconds = parameters.value().number("exposuretime", 1);
    WEFT_TRY(seconds);
    const double ratio = iso.value() / 100 * seconds.value();
    if (ratio > 0 && ratio != 1) {
        note(Note::Kind::Found,
             "its film multiplies light by " + number_text(ratio) + "; --exposure " +
                 number_text(shaders::log2_of(ratio)) + " shows the same brightness");
    }
    if (const Parameter* const sensor = parameters.value().find("sensor");
        sensor && sensor->strings != std::vector<std::string>{"cie1931"}) {
        note(Note::Kind::Ignored, "the film's sensor is ignored, colours are those of CIE 1931");
    }
    if (const Parameter* const white = parameters.value().find("whitebalance");
        white && white->numbers != std::vector<double>{0}) {
        note(Note::Kind::Ignored, "the film's white balance is ignored");
    }
    if (parameters.value().find("cropwindow") || parameters.value().find("pixelbounds")) {
        note(Note::Kind::Ignored, "the film is shown whole; --pixelbounds renders a part");
    }
    for (const char* const quiet : {"filename", "diagonal", "savefp16", "maxcomponentvalue"}) {
        parameters.value().expect(quiet);
    }
    note_unused("the film", parameters.value());
    // A camera that was read before.
    if (!scene_.cameras.empty()) {
        frame(scene_.cameras.back());
    }
    return base::Done{};
}

// The field of view is that of the shorter side. Numbers are those of the camera's space, which its
// transform may stretch.
void PbrtScene::frame(Camera& camera) const {
    const double aspect = frame_aspect_.value_or(aspect_);
    camera.aspect = static_cast<float>(aspect);
    const double tangent = tan_half_fov(fov_deg_) / std::min(aspect, 1.0);
    camera.yfov_rad = static_cast<float>(2 * shaders::atan2_of(tangent, 1));
    if (camera.is_orthographic) {
        camera.xmag = static_cast<float>(std::max(aspect, 1.0));
        camera.ymag = static_cast<float>(std::max(1 / aspect, 1.0));
    }
    camera.pixel_aspect = 1;
    if (screen_window_) {
        show_window(*screen_window_, tan_half_fov(fov_deg_), camera);
    }
    camera.lens_radius_m = static_cast<float>(std::clamp(lens_radius_, 0.0, 1e6));
    camera.focus_m = static_cast<float>(std::clamp(focus_distance_, 1e-6, 1e9));
    stretch_camera(stretch_, camera);
}

base::Status PbrtScene::read_screen_window(const Parameters& parameters) {
    screen_window_.reset();
    const base::Result<const Parameter*> found = parameters.numbers("screenwindow", 4);
    WEFT_TRY(found);
    if (!found.value()) {
        return base::Done{};
    }
    const std::vector<double>& n = found.value()->numbers;
    const auto is_side = [](double from, double to) { return to - from > 1e-6 && to - from < 1e6; };
    if (n.size() != 4 || !is_side(n[0], n[1]) || !is_side(n[2], n[3])) {
        return error_at(found.value()->place,
                        "\"float screenwindow\" is no window; expected its least and greatest x, "
                        "then y, apart.");
    }
    screen_window_ = ScreenWindow{n[0], n[1], n[2], n[3]};
    return base::Done{};
}

// What a camera's transform does beside turning and moving it.
void PbrtScene::note_stretch(const DAffine& to_world) {
    if (is_skew(to_world)) {
        note(Note::Kind::Replaced, "the camera's transform is skew, its axes are at right angles");
    }
    if (lens_radius_ > 0 && stretch_.x != stretch_.y) {
        note(Note::Kind::Replaced, "the camera's transform makes its lens oval, it is round");
    }
}

base::Status PbrtScene::camera(const Token& directive) {
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> read = Parameters::read(tokens_);
    WEFT_TRY(read);
    const Parameters& parameters = read.value();
    systems_["camera"] = state_.to_world;
    if (!outside_now().is_clear()) {
        note(Note::Kind::Ignored,
             "the camera stands in the media of the shapes around it, not in one of its own");
    }
    const std::optional<math::Affine> inverse = math::inverse(math::to_float(state_.to_world));
    if (!inverse) {
        return error_at(directive.place, "Camera has a transform without an inverse.");
    }
    const DAffine to_world = math::to_double(*inverse);
    systems_["camera"] = to_world;
    // pbrt's world is left-handed: it is mirrored, unless the camera's transform does that already.
    // Where the camera's up direction is next to Z, that axis becomes +Y.
    base_ = upright(math::column(to_world, 1), math::determinant(to_world) > 0);
    // It looks along its own +Z here, and down −Z in the scene.
    const DAffine placed = math::compose(base_, to_world);
    Camera camera;
    camera.name = "pbrt camera";
    camera.to_world =
        camera_matrix(math::column(placed, 0), math::column(placed, 2), math::column(placed, 3));
    const base::Result<double> fov = parameters.number("fov", 90);
    WEFT_TRY(fov);
    const base::Result<double> aspect = parameters.number("frameaspectratio", aspect_);
    WEFT_TRY(aspect);
    if (!(fov.value() > 0) || fov.value() >= 180 || !(aspect.value() > 0)) {
        return error_at(directive.place, "Camera has no field of view between 0 and 180 degrees.");
    }
    camera.is_orthographic = type.value() == "orthographic";
    if (!camera.is_orthographic && type.value() != "perspective") {
        note(Note::Kind::Replaced, "the camera \"" + type.value() + "\" is a perspective one");
    }
    fov_deg_ = fov.value();
    frame_aspect_.reset();
    if (parameters.find("frameaspectratio")) {
        frame_aspect_ = aspect.value();
    }
    WEFT_TRY(read_screen_window(parameters));
    const base::Result<double> lens = parameters.number("lensradius", 0);
    WEFT_TRY(lens);
    const base::Result<double> focus = parameters.number("focaldistance", 1e6);
    WEFT_TRY(focus);
    lens_radius_ = lens.value();
    focus_distance_ = focus.value();
    stretch_ = camera_stretch(to_world);
    note_stretch(to_world);
    frame(camera);
    if (!math::inverse(camera.to_world)) {
        return error_at(directive.place, "Camera is beyond the numbers of a float.");
    }
    parameters.expect("shutteropen");
    parameters.expect("shutterclose");
    note_unused("cameras \"" + type.value() + "\"", parameters);
    scene_.cameras.push_back(camera);
    return base::Done{};
}

base::Status PbrtScene::infinite_light(const Parameters& parameters, const Place& place) {
    const base::Result<double> scale = parameters.number("scale", 1);
    WEFT_TRY(scale);
    const base::Result<std::string> file = parameters.string("filename", "");
    WEFT_TRY(file);
    const base::Result<std::optional<Vec3>> constant = read_light({parameters, roots_}, "L");
    WEFT_TRY(constant);
    if (scene_.environment.width != 0) {
        note(Note::Kind::Ignored, "infinite lights after the first are left out");
        return base::Done{};
    }
    Environment environment;
    environment.strength = static_cast<float>(scale.value());
    if (file.value().empty()) {
        // A wall under a sky of radiance 1 all around gets π.
        const base::Result<double> lux = parameters.number("illuminance", 0);
        WEFT_TRY(lux);
        if (lux.value() > 0) {
            environment.strength = static_cast<float>(scale.value() * lux.value() / shaders::kPi);
        }
        const Vec3 color = constant.value().value_or(Vec3(1));
        environment.name = path_ + ": infinite light";
        environment.width = environment.height = 1;
        environment.pixels = std::vector<float>{color.x, color.y, color.z};
        scene_.environment = std::move(environment);
        return base::Done{};
    }
    const std::optional<std::string> path = roots_.find(file.value());
    if (!path) {
        return outside_error(place.text() + ": an infinite light", file.value());
    }
    const base::Result<Environment> square = read_environment(*path, config_.colours.get());
    if (!square.is_ok()) {
        return error_of_file(place, square.error());
    }
    if (square.value().width != square.value().height) {
        return error_at(place,
                        *path + " has " + std::to_string(square.value().width) + " × " +
                            std::to_string(square.value().height) +
                            " pixels; expected a square picture (equal-area map of pbrt-v4).");
    }
    WEFT_TRY(size_.add_made(std::size_t{48} * square.value().width * square.value().width, *path));
    const std::optional<math::Affine> from_scene = math::inverse(world_matrix(state_.to_world));
    if (!from_scene) {
        return error_at(place, "LightSource has a transform without an inverse.");
    }
    environment.name = *path;
    environment.repaired_texels = square.value().repaired_texels;
    unroll(square.value(), math::to_double(*from_scene), environment);
    scene_.environment = std::move(environment);
    return base::Done{};
}

base::Status PbrtScene::light(const Token& directive) {
    const base::Result<std::string> type = read_string(directive);
    WEFT_TRY(type);
    const base::Result<Parameters> read = read_parameters("light");
    WEFT_TRY(read);
    const Parameters& parameters = read.value();
    if (type.value() == "infinite") {
        WEFT_TRY(infinite_light(parameters, directive.place));
        note_unused("lights \"infinite\"", parameters);
        return base::Done{};
    }
    Light light;
    light.name = type.value() + " " + std::to_string(scene_.lights.size() + 1);
    const base::Result<double> scale = parameters.number("scale", 1);
    WEFT_TRY(scale);
    const bool is_distant = type.value() == "distant";
    const base::Result<std::optional<Vec3>> color =
        read_light({parameters, roots_}, is_distant ? "L" : "I");
    WEFT_TRY(color);
    double factor = scale.value();
    // The distant light's illuminance and the others' power replace the scale of their colour.
    if (const base::Result<double> lux = parameters.number("illuminance", 0);
        lux.is_ok() && lux.value() > 0) {
        factor *= lux.value();
    }
    const base::Result<DVec3> from = parameters.vector("from", {});
    WEFT_TRY(from);
    const base::Result<DVec3> to = parameters.vector("to", {0, 0, 1});
    WEFT_TRY(to);
    const math::Affine matrix = world_matrix(state_.to_world);
    light.position = point_in(matrix, from.value());
    light.direction =
        math::normalize(point_in(matrix, to.value()) - light.position, Vec3{0, -1, 0});
    double sphere = 4 * shaders::kPi;
    if (is_distant) {
        light.kind = shaders::LightKind::Directional;
    } else if (type.value() == "spot") {
        light.kind = shaders::LightKind::Spot;
        const base::Result<double> cone = parameters.number("coneangle", 30);
        WEFT_TRY(cone);
        const base::Result<double> delta = parameters.number("conedeltaangle", 5);
        WEFT_TRY(delta);
        const double outer = std::clamp(cone.value(), 0.1, kWidestSpot);
        if (cone.value() > kWidestSpot) {
            note(Note::Kind::Replaced, "spots wider than 90 degrees end at 90");
        }
        light.cos_outer = static_cast<float>(shaders::cos_of(radians(outer)));
        light.cos_inner = static_cast<float>(
            shaders::cos_of(radians(std::clamp(outer - delta.value(), 0.0, outer - 0.05))));
        sphere =
            2 * shaders::kPi *
            (1 - (static_cast<double>(light.cos_inner) + static_cast<double>(light.cos_outer)) / 2);
    } else if (type.value() != "point") {
        note(Note::Kind::Replaced, "lights \"" + type.value() + "\" shine as points");
    }
    if (const base::Result<double> power = parameters.number("power", 0);
        power.is_ok() && power.value() > 0) {
        factor *= power.value() / sphere;
    }
    light.intensity = color.value().value_or(Vec3(1)) * static_cast<float>(factor);
    for (float& channel : math::components(light.intensity)) {
        channel = std::clamp(channel, 0.0F, 1e30F);
    }
    note_unused("lights \"" + type.value() + "\"", parameters);
    if (!math::inverse(math::translation(light.position))) {
        note(Note::Kind::Ignored, "lights beyond the numbers of a float are left out");
        return base::Done{};
    }
    scene_.lights.push_back(light);
    return base::Done{};
}

base::Status PbrtScene::area_light(const Token& directive) {
    WEFT_TRY(read_string(directive));
    const base::Result<Parameters> read = read_parameters("light");
    WEFT_TRY(read);
    const Parameters& parameters = read.value();
    const base::Result<std::optional<Vec3>> color = read_light({parameters, roots_}, "L");
    WEFT_TRY(color);
    const base::Result<double> scale = parameters.number("scale", 1);
    WEFT_TRY(scale);
    const base::Result<bool> is_two_sided = parameters.boolean("twosided", false);
    WEFT_TRY(is_two_sided);
    state_.is_two_sided = is_two_sided.value();
    Vec3 radiance = color.value().value_or(Vec3(1)) * static_cast<float>(scale.value());
    for (float& channel : math::components(radiance)) {
        channel = std::clamp(channel, 0.0F, 1e30F);
    }
    state_.radiance = radiance;
    note_unused("area lights", parameters);
    return base::Done{};
}

}  // namespace weft::scene::pbrt
