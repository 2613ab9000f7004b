// camera_record.cpp — converts a camera of the scene model to a CameraRecord
// (shaders/host/path_view.h). Called once per frame.
#include <algorithm>

#include "engine/math/affine.h"
#include "engine/trace/scene_tables.h"
#include "shaders/host/scalar_math.h"

namespace weft::trace {

namespace {

// Column `column` of a matrix times `sign`, at unit length; the axis itself where the column has no
// length.
void unit_column(const math::Affine& matrix, u32 column, double sign, float out[3]) {
    math::DVec3 axis{};
    axis[column] = 1;
    const math::Vec3 unit(sign * math::normalize(math::DVec3(math::column(matrix, column)), axis));
    std::copy_n(&unit.x, 3, out);
}

}  // namespace

shaders::CameraRecord make_camera(const scene::Camera& camera, u32 width, u32 height) {
    shaders::CameraRecord record{};
    for (u32 row = 0; row < 3; ++row) {
        record.origin[row] = camera.to_world[4 * row + 3];
    }
    unit_column(camera.to_world, 0, 1, record.right);
    unit_column(camera.to_world, 1, 1, record.up);
    unit_column(camera.to_world, 2, -1, record.forward);

    const double half_height = camera.is_orthographic
                                   ? static_cast<double>(camera.ymag)
                                   : shaders::tan_of(0.5 * static_cast<double>(camera.yfov_rad));
    const double pixel = 2 * half_height / height;
    record.half_height = static_cast<float>(half_height);
    const double half_width =
        half_height * width / height * static_cast<double>(camera.pixel_aspect);
    record.half_width = static_cast<float>(half_width);
    record.shift_s = static_cast<float>(2 * half_width * static_cast<double>(camera.shift_x));
    record.shift_t = static_cast<float>(2 * half_height * static_cast<double>(camera.shift_y));
    record.is_orthographic = camera.is_orthographic ? 1 : 0;
    record.lens_radius_m = camera.is_orthographic ? 0 : camera.lens_radius_m;
    record.focus_m = camera.focus_m > 0 ? camera.focus_m : 1;
    record.pixel_spread = camera.is_orthographic ? 0 : static_cast<float>(pixel);
    record.pixel_width_m = camera.is_orthographic ? static_cast<float>(pixel) : 0;
    return record;
}

}  // namespace weft::trace
