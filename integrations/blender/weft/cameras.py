"""The camera of a scene: sensor, shift, lens and pixels as a glTF camera with extras of Weft's own."""

import math
from dataclasses import dataclass

import numpy
from mathutils import Matrix

from .gltf_file import column_major

# Blender's (x, y, z) to Weft's (x, z, -y).
Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))


class CameraFault(Exception):
    """A camera that Weft cannot render with; the text is a sentence."""


@dataclass
class View:
    """What a picture shows: film half sizes at distance 1 (perspective) or in metres, and shifts."""

    half_width: float
    half_height: float
    shift_x: float  # shares of the picture's width and height
    shift_y: float
    is_orthographic: bool


def resolution(render):
    """Width and height of the whole picture: whole numbers, as Blender divides them."""
    share = render.resolution_percentage
    return max(render.resolution_x * share // 100, 1), max(render.resolution_y * share // 100, 1)


def view_of(camera, render):
    """The view of a camera as Blender's own renderers have it."""
    width, height = resolution(render)
    pixel_height = render.pixel_aspect_y / render.pixel_aspect_x  # in widths of a pixel
    tall = height * pixel_height
    # Choose the side that the sensor fits, and its size.
    is_wide = camera.sensor_fit == "HORIZONTAL" or (camera.sensor_fit == "AUTO" and width >= tall)
    sensor = camera.sensor_height if camera.sensor_fit == "VERTICAL" else camera.sensor_width
    fitted = width if is_wide else tall
    is_orthographic = camera.type == "ORTHO"
    half = camera.ortho_scale / 2 if is_orthographic else sensor / (2 * camera.lens)
    return View(half * width / fitted, half * tall / fitted,
                camera.shift_x * fitted / width, camera.shift_y * fitted / tall, is_orthographic)


def focus_distance(camera_object, depsgraph):
    """How far the plane in focus is, along the axis of the camera."""
    dof = camera_object.data.dof
    if dof.focus_object is None:
        return dof.focus_distance
    focused = dof.focus_object.evaluated_get(depsgraph)
    target = focused.matrix_world
    bone = getattr(dof, "focus_subtarget", "")
    if bone and focused.pose and bone in focused.pose.bones:
        target = target @ focused.pose.bones[bone].matrix
    matrix = camera_object.matrix_world.normalized()
    return abs((target.translation - matrix.translation).dot(matrix.col[2].to_3d()))


def add_camera(file, camera_object, depsgraph, render, notes):
    """Adds the camera; returns its View and its node."""
    camera = camera_object.data
    if camera.type not in ("PERSP", "ORTHO"):
        raise CameraFault(f"Camera {camera_object.name} is {camera.type.lower()}, "
                          "but Weft has perspective and orthographic cameras only")
    view = view_of(camera, render)
    value = {"name": camera_object.name, "extras": {
        "weft_shift_x": view.shift_x,
        "weft_shift_y": view.shift_y,
        "weft_pixel_aspect": render.pixel_aspect_x / render.pixel_aspect_y,
    }}
    near, far = camera.clip_start, camera.clip_end
    if view.is_orthographic:
        value["type"] = "orthographic"
        value["orthographic"] = {"xmag": view.half_width, "ymag": view.half_height, "znear": near, "zfar": far}
    else:
        value["type"] = "perspective"
        value["perspective"] = {"yfov": 2 * math.atan(view.half_height), "znear": near, "zfar": far}
    subject = f"Camera {camera_object.name}"
    if camera.dof.use_dof:
        dof = camera.dof
        if view.is_orthographic:
            notes.add(subject, "an orthographic camera has everything in focus")
        else:
            value["extras"]["weft_lens_radius_m"] = camera.lens * 1e-3 / (2 * dof.aperture_fstop)
            value["extras"]["weft_focus_m"] = max(focus_distance(camera_object, depsgraph), 1e-5)
        if dof.aperture_blades > 0 or abs(dof.aperture_ratio - 1) > 1e-3:
            notes.add(subject, "its aperture is a circle")
    note_axes(camera_object.matrix_world, subject, notes)
    node = file.add_node({
        "name": camera_object.name,
        "camera": file.add("cameras", value),
        "matrix": column_major(camera_object.matrix_world.normalized()),
    })
    return view, node


def note_axes(matrix, subject, notes):
    """Names what a camera's matrix does beside moving and turning, which Weft's camera leaves out."""
    axes = numpy.array(matrix.normalized().to_3x3())
    if numpy.linalg.det(axes) < 0:
        notes.add(subject, "its mirroring is left out, the picture is not turned over")
    if abs(axes.T @ axes - numpy.eye(3)).max() > 1e-4:
        notes.add(subject, "its shear is left out")


def border_of(render):
    """(x0, x1, y0, y1) of a region render in pixels from the top left corner; None for all."""
    if not render.use_border:
        return None
    width, height = resolution(render)

    def pixel(share, length):
        # Blender multiplies in single precision: 0.29 of 100 pixels are 29 there, and 28.99 in double.
        return int(numpy.float32(share) * numpy.float32(length))
    x0, x1 = pixel(render.border_min_x, width), pixel(render.border_max_x, width)
    low, high = pixel(render.border_min_y, height), pixel(render.border_max_y, height)
    x1, high = max(x1, x0 + 1), max(high, low + 1)
    return x0, x1, height - high, height - low


def viewed_camera(window_matrix, camera_matrix):
    """The value of the edit "camera" for what a viewport shows: its projection, and where it looks from."""
    projection, turned = window_matrix, Y_UP @ camera_matrix
    is_orthographic = projection[3][3] == 1
    value = {"orthographic": is_orthographic, "pixel_aspect": 1, "lens_radius_m": 0}
    if is_orthographic:
        value["xmag"], value["ymag"] = 1 / projection[0][0], 1 / projection[1][1]
        value["shift_x"], value["shift_y"] = -projection[0][3] / 2, -projection[1][3] / 2
        # The near plane may lie behind the eye.
        near = (projection[2][3] + 1) / projection[2][2]
        turned = turned @ Matrix.Translation((0, 0, max(-near, 0)))
    else:
        value["yfov_deg"] = math.degrees(2 * math.atan(1 / projection[1][1]))
        value["shift_x"], value["shift_y"] = projection[0][2] / 2, projection[1][2] / 2
    value["to_world"] = [turned[row][column] for row in range(3) for column in range(4)]
    return value


def with_lens(value, camera_object, depsgraph):
    """The same with the depth of field of a scene's camera."""
    dof = camera_object.data.dof
    if not dof.use_dof or value["orthographic"]:
        return value
    return {**value, "lens_radius_m": camera_object.data.lens * 1e-3 / (2 * dof.aperture_fstop),
            "focus_m": max(focus_distance(camera_object, depsgraph), 1e-5)}
