"""The world: one colour, or a panorama, as the options of Weft's environment."""

import math
import os

from .exr import write_exr
from .nodes import Reader, mean_of, times
from .textures import linear_pixels

BLACK = ["--environment-color", "0,0,0"]


def color_arguments(color):
    """The options of a world of one colour."""
    return ["--environment-color", ",".join(f"{max(channel, 0):.9g}" for channel in color)]


def environment_arguments(world, folder, notes):
    """The options for a world; files of its own go into the folder."""
    if world is None:
        return BLACK
    if not world.use_nodes or world.node_tree is None:
        return color_arguments(world.color)
    reader = Reader(f"World {world.name_full}", notes)
    output = world.node_tree.get_output_node("CYCLES") or world.node_tree.get_output_node("ALL")
    if output is None:
        return BLACK
    if output.inputs["Volume"].is_linked:
        reader.note("its volume is left out")
    node, _, groups = reader.follow(output.inputs["Surface"])
    if node is None:
        return BLACK
    if node.type != "BACKGROUND":
        reader.note(f"the shader {node.bl_label} is left out, the world is black")
        return BLACK
    strength = reader.number(node.inputs["Strength"], groups)
    if not strength.is_constant():
        reader.note("a picture that drives the strength is left out")
    source, _, inner = reader.follow(node.inputs["Color"], groups)
    if source is not None and source.type == "TEX_ENVIRONMENT" and source.image is not None:
        return panorama_arguments(source, inner, strength.factor, folder, reader)
    color = reader.color(node.inputs["Color"], groups)
    return color_arguments(times(color.factor, mean_of(strength.factor)))


def panorama_arguments(node, groups, strength, folder, reader):
    """The options of an environment texture."""
    if node.projection != "EQUIRECTANGULAR":
        reader.note("its mirror ball is taken for a panorama")
    path = panorama_file(node.image, folder)
    if path is None:
        reader.note(f"the picture {node.image.name} cannot be read, the world is black")
        return BLACK
    return ["--environment", path, "--environment-strength", f"{max(strength, 0):.9g}",
            "--environment-rotation", f"{rotation_of(node, groups, reader):.9g}"]


def rotation_of(node, groups, reader):
    """How far a panorama is turned about the vertical axis, degrees."""
    source, output, groups = reader.follow(node.inputs["Vector"], groups)
    if source is None or source.type != "MAPPING":
        return 0.0
    rotation = reader.read(source.inputs["Rotation"], groups)
    factor = rotation.factor if isinstance(rotation.factor, tuple) else (0.0, 0.0, 0.0)
    if max(abs(factor[0]), abs(factor[1])) > 1e-6 or not rotation.is_constant():
        reader.note("its panorama turns about the vertical axis only")
    # A mapping of points turns the directions that look the panorama up, the others the panorama.
    sign = 1 if source.vector_type in ("TEXTURE",) else -1
    return sign * math.degrees(factor[2])


def panorama_file(image, folder):
    """A file of a panorama: Blender's own where Weft reads it, else one written anew."""
    import bpy  # here, so that tests can read this module without Blender
    path = bpy.path.abspath(image.filepath, library=image.library)
    kind = os.path.splitext(path)[1].lower()
    is_as_it_is = image.source == "FILE" and not image.is_dirty and image.packed_file is None
    if is_as_it_is and kind in (".exr", ".hdr") and os.path.isfile(path):
        return os.path.abspath(path)
    pixels = linear_pixels(image)
    if pixels is None:
        return None
    written = os.path.join(folder, "world.exr")
    write_exr(written, pixels[..., :3])
    return written
