"""The world: one colour, or a panorama, as the options of Weft's environment."""

import math
import os

import numpy

from .exr import write_exr
from .fields import Field, color_of, times
from .nodes import KNOWN_SPACES, Reader
from .placements import own_mapping
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
    strength = reader.fixed_number(node.inputs["Strength"], groups)
    source, _, inner = reader.follow(node.inputs["Color"], groups)
    if source is not None and source.type == "TEX_ENVIRONMENT" and source.image is not None:
        return panorama_arguments(source, inner, strength, folder, reader)
    color = times(reader.fixed_color(node.inputs["Color"], groups), strength)
    if min(color) < 0:
        reader.note("light below 0 is left out")
    return color_arguments(color)


def panorama_arguments(node, groups, strength, folder, reader):
    """The options of an environment texture."""
    if node.projection != "EQUIRECTANGULAR":
        reader.note("its mirror ball is taken for a panorama")
    if strength < 0:
        reader.note("light below 0 is left out")
    path = panorama_file(node.image, folder)
    if path is None:
        reader.note(f"the picture {node.image.name} cannot be read, the world is black")
        return BLACK
    return ["--environment", path, "--environment-strength", f"{max(strength, 0):.9g}",
            "--environment-rotation", f"{rotation_of(node, groups, reader):.9g}"]


def rotation_of(node, groups, reader):
    """How far a panorama is turned about the vertical axis, degrees."""
    if not numpy.array_equal(own_mapping(node.texture_mapping), numpy.eye(4)):
        reader.note("the panorama's own mapping is left out")
    source, output, groups = reader.follow(node.inputs["Vector"], groups)
    degrees = 0.0
    if source is not None and source.type == "MAPPING":
        degrees = turn_of(source, groups, reader)
        source, output, groups = reader.follow(source.inputs["Vector"], groups)
    if source is None and node.inputs["Vector"].is_linked:
        reader.note("the panorama shows its directions, not one of them everywhere")
    elif source is not None and not (source.type == "TEX_COORD" and output.name == "Generated"):
        reader.note(f"the panorama lies by directions instead of {output.name.lower()} coordinates")
    return degrees


def turn_of(mapping, groups, reader):
    """How far a mapping turns a panorama about the vertical axis, degrees."""
    rotation, location, scale = (
        reader.read(mapping.inputs[name], groups) if name in mapping.inputs else Field(stand_in)
        for name, stand_in in (("Rotation", 0.0), ("Location", 0.0), ("Scale", 1.0)))
    factor = color_of(rotation.factor)
    if max(abs(factor[0]), abs(factor[1])) > 1e-6 or not rotation.is_constant() or rotation.is_guess:
        reader.note("its panorama turns about the vertical axis only")
    moves = mapping.vector_type in ("POINT", "TEXTURE") and max(map(abs, color_of(location.factor))) > 1e-6
    if moves or not (location.is_constant() and scale.is_constant()) or max(
            abs(channel - 1) for channel in color_of(scale.factor)) > 1e-6:
        reader.note("its panorama turns only: location and scale of its mapping are left out")
    # A mapping of points turns the directions that look the panorama up, the others the panorama.
    sign = 1 if mapping.vector_type == "TEXTURE" else -1
    return sign * math.degrees(factor[2])


def panorama_file(image, folder):
    """A file of a panorama: Blender's own where Weft reads it, else one written anew."""
    import bpy  # here, so that tests can read this module without Blender
    path = bpy.path.abspath(image.filepath, library=image.library)
    kind = os.path.splitext(path)[1].lower()
    is_as_it_is = (image.source == "FILE" and not image.is_dirty and image.packed_file is None
                   and image.colorspace_settings.name in KNOWN_SPACES - {"sRGB"})
    if is_as_it_is and kind in (".exr", ".hdr") and os.path.isfile(path):
        return os.path.abspath(path)
    pixels = linear_pixels(image, is_straight=False)
    if pixels is None:
        return None
    written = os.path.join(folder, "world.exr")
    write_exr(written, pixels[..., :3])
    return written
