// mitsuba_sensor.cpp — sensors as cameras.
//
// A sensor looks along its own +z, with +x to the left. Its film may be cropped: then the camera
// sees the crop, as a shifted film of its size.
#include <algorithm>
#include <cmath>

#include "engine/scene/mitsuba/mitsuba_scene.h"
#include "engine/scene/parts/placement.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::mitsuba {

namespace {

using math::DAffine;
using math::DVec3;

// Half the diagonal of 35 mm film, 36 mm × 24 mm.
constexpr double kHalfFilmMm = 21.633307652783937;

double tangent_of_half(double degrees) {
    return shaders::tan_of(degrees * shaders::kPi / 360);
}

}  // namespace

// The tangent of half the horizontal field of view.
base::Result<double> MitsubaScene::field_of_view(const Fields& fields, double aspect) const {
    const base::Result<std::string> said = fields.string("fov_axis", "x");
    WEFT_TRY(said);
    const base::Result<std::string> focal = fields.string("focal_length", "");
    WEFT_TRY(focal);
    std::string axis = said.value();
    double tangent = 0;
    if (const Element* const fov = fields.find("fov")) {
        const base::Result<double> degrees = number_of_element(*fov);
        WEFT_TRY(degrees);
        if (!(degrees.value() > 0) || degrees.value() >= 180) {
            return error_at(fov->place, "has no field of view between 0 and 180 degrees.");
        }
        tangent = tangent_of_half(degrees.value());
    } else {
        // Without a field of view it is that of a 50 mm lens, along the diagonal.
        std::string text = focal.value().empty() ? "50" : focal.value();
        text.resize(std::min(text.find("mm"), text.size()));
        const auto numbers = numbers_of(text);
        if (!numbers || numbers->size() != 1 || !(numbers->front() > 0)) {
            return error_at(fields.object().place,
                            "has the focal length \"" + focal.value().substr(0, 40) +
                                "\"; expected millimetres above 0, such as 50mm.");
        }
        tangent = kHalfFilmMm / numbers->front();
        axis = "diagonal";
    }
    if (axis == "smaller" || axis == "larger") {
        axis = (axis == "smaller") == (aspect > 1) ? "y" : "x";
    }
    if (axis == "x") {
        return tangent;
    }
    if (axis == "y") {
        return tangent * aspect;
    }
    if (axis == "diagonal") {
        return tangent * aspect / std::sqrt(1 + aspect * aspect);
    }
    return error_at(
        fields.object().place,
        "has fov_axis=\"" + axis.substr(0, 40) + "\"; expected x, y, diagonal, smaller or larger.");
}

// The aspect ratio, and what share of the film's width its crop has; the shift of the crop.
base::Status MitsubaScene::film(const Fields& sensor, Camera& camera, double& width_share) {
    const base::Result<const Element*> found = child_of(sensor.object(), "film");
    WEFT_TRY(found);
    static const Element none{};
    const Fields screen(found.value() ? *found.value() : none);
    const auto whole = [&](const char* name, double otherwise) -> base::Result<double> {
        const base::Result<double> number = screen.number(name, otherwise);
        WEFT_TRY(number);
        const bool is_good = number.value() >= 0 && number.value() <= 1e6;
        return is_good ? number
                       : base::Result<double>(error_at(screen.object().place,
                                                       "has a film of " + std::string(name) + " " +
                                                           std::to_string(number.value()) +
                                                           "; expected 0 to 10^6 pixels."));
    };
    const base::Result<double> width = whole("width", 768);
    WEFT_TRY(width);
    const base::Result<double> height = whole("height", 576);
    WEFT_TRY(height);
    const base::Result<double> crop_width = whole("crop_width", width.value());
    WEFT_TRY(crop_width);
    const base::Result<double> crop_height = whole("crop_height", height.value());
    WEFT_TRY(crop_height);
    const base::Result<double> crop_x = whole("crop_offset_x", 0);
    WEFT_TRY(crop_x);
    const base::Result<double> crop_y = whole("crop_offset_y", 0);
    WEFT_TRY(crop_y);
    const double w = width.value();
    const double h = height.value();
    const double cw = crop_width.value();
    const double ch = crop_height.value();
    if (!(w >= 1) || !(h >= 1) || !(cw >= 1) || !(ch >= 1)) {
        return error_at(screen.object().place, "has a film without pixels; expected at least one.");
    }
    // The point that the middle of the picture sees lies this far from the axis, in film widths
    // and heights; rows count downwards.
    const base::Result<double> offset_x = sensor.number("principal_point_offset_x", 0);
    WEFT_TRY(offset_x);
    const base::Result<double> offset_y = sensor.number("principal_point_offset_y", 0);
    WEFT_TRY(offset_y);
    const double right = (crop_x.value() + cw / 2) / w - 0.5 + offset_x.value();
    const double down = (crop_y.value() + ch / 2) / h - 0.5 + offset_y.value();
    camera.shift_x = static_cast<float>(std::clamp(right * w / cw, -100.0, 100.0));
    camera.shift_y = static_cast<float>(std::clamp(-down * h / ch, -100.0, 100.0));
    camera.aspect = static_cast<float>(cw / ch);
    width_share = cw / w;
    // The field of view is that of the whole film.
    const double aspect = w / h;
    const base::Result<double> half_width = field_of_view(sensor, aspect);
    WEFT_TRY(half_width);
    const double half_height = half_width.value() / aspect * (ch / h);
    camera.yfov_rad = static_cast<float>(2 * shaders::atan2_of(half_height, 1));
    return base::Done{};
}

base::Status MitsubaScene::sensor(const Element& element) {
    const Fields fields(element);
    const base::Result<DAffine> placed = fields.transform("to_world");
    WEFT_TRY(placed);
    const DAffine& to_world = placed.value();
    if (!has_sensor_) {
        has_sensor_ = true;
        // Where its transform mirrors what it sees, the scene is mirrored instead.
        base_ = upright(math::column(to_world, 1), math::determinant(to_world) < 0);
    }
    Camera camera;
    camera.name = element.id().empty() ? "mitsuba sensor" : element.id();
    const DAffine in_scene = math::compose(base_, to_world);
    const bool is_mirrored = math::determinant(in_scene) < 0;
    if (is_mirrored) {
        note(
            Note::Kind::Replaced,
            "pictures are mirrored where the first sensor mirrors them, whatever other sensors do");
    }
    const DVec3 to_right = math::column(in_scene, 0) * (is_mirrored ? 1.0 : -1.0);
    camera.to_world = camera_matrix(to_right, math::column(in_scene, 2), math::column(in_scene, 3));
    double width_share = 1;
    WEFT_TRY(film(fields, camera, width_share));
    if (element.type() == "orthographic") {
        // It sees one unit of its own space to each side.
        camera.is_orthographic = true;
        camera.xmag = static_cast<float>(width_share);
        camera.ymag = camera.xmag / camera.aspect;
    } else if (element.type() != "perspective" && element.type() != "thinlens") {
        note(Note::Kind::Replaced,
             "the sensor \"" + element.type() + "\" is shown as a perspective one");
    }
    const base::Result<double> lens = fields.number("aperture_radius", 0);
    WEFT_TRY(lens);
    const base::Result<double> focus = fields.number("focus_distance", 1e6);
    WEFT_TRY(focus);
    if (element.type() == "thinlens") {
        camera.lens_radius_m = static_cast<float>(std::clamp(lens.value(), 0.0, 1e6));
    }
    camera.focus_m = static_cast<float>(std::clamp(focus.value(), 1e-6, 1e9));
    const DVec3 stretch = camera_stretch(to_world);
    if (is_skew(to_world)) {
        note(Note::Kind::Replaced, "the sensor's transform is skew, its axes are at right angles");
    }
    if (camera.lens_radius_m > 0 && stretch.x != stretch.y) {
        note(Note::Kind::Replaced, "the sensor's transform makes its lens oval, it is round");
    }
    stretch_camera(stretch, camera);
    for (const char* const quiet :
         {"near_clip", "far_clip", "shutter_open", "shutter_close", "sampler"}) {
        fields.expect(quiet);
    }
    static_cast<void>(fields.child("sampler"));
    note_unused("sensors \"" + element.type() + "\"", fields);
    if (!math::inverse(camera.to_world)) {
        return error_at(element.place,
                        "is a sensor beyond the numbers of a float; expected one nearer.");
    }
    scene_.cameras.push_back(camera);
    return base::Done{};
}

}  // namespace weft::scene::mitsuba
