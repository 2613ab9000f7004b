"""Lights: Blender's watts as candela, lux and radiance.

A point or spot of P watts shines with P / 4π candela, a sun of E W/m² with E lux, an area light of P
watts and A m² with a radiance of P / 4A, as in Cycles. Area lights become a lamp: faces that emit from their front and
that neither camera nor shadow rays meet (extras weft_lamp). Radius and angle are extras of the light.
"""

import math

import numpy
from mathutils import Vector

from .fields import BLACK, times
from .gltf_file import column_major
from .nodes import Reader

# Corners of a round area light.
ROUND_CORNERS = 48

# The angle from which on a sun of Cycles lacks half a percent of its irradiance.
WIDE_SUN = math.radians(16)


def emission_factor(light, notes):
    """What the nodes of a light multiply its colour with."""
    if not light.use_nodes or light.node_tree is None:
        return (1.0, 1.0, 1.0)
    reader = Reader(f"Light {light.name_full}", notes)
    output = light.node_tree.get_output_node("CYCLES") or light.node_tree.get_output_node("ALL")
    if output is None:
        return BLACK
    node, _, groups = reader.follow(output.inputs["Surface"])
    if node is None:
        return BLACK
    if node.type != "EMISSION":
        reader.note(f"the shader {node.bl_label} is left out, the light has its own colour")
        return (1.0, 1.0, 1.0)
    return times(reader.fixed_color(node.inputs["Color"], groups),
                 reader.fixed_number(node.inputs["Strength"], groups))


def add_light(file, instance_object, matrix, notes):
    """Adds the light of an object at a world matrix."""
    light = instance_object.data
    if light.type == "AREA" and of_cycles(light, "is_portal", False):
        return
    color = times(times(tuple(light.color), emission_factor(light, notes)), light.energy)
    if min(color) < 0:
        notes.add(f"Light {light.name_full}", "light below 0 is left out")
        color = tuple(max(channel, 0.0) for channel in color)
    note_light(light, notes)
    if max(color) <= 0:
        return
    if light.type == "AREA":
        add_area(file, instance_object, matrix, color, notes)
        return
    extras = {}
    if light.type == "SUN":
        kind, scale = "directional", 1.0
        extras["weft_angle_deg"] = min(math.degrees(light.angle), 90.0)
    else:
        kind, scale = "point", 1 / (4 * math.pi)
        extras["weft_radius_m"] = light.shadow_soft_size
    strength = max(color)
    value = {
        "type": kind,
        "name": instance_object.name,
        "color": [channel / strength for channel in color],
        "intensity": strength * scale,
        "extras": extras,
    }
    if light.type == "SPOT":
        value["type"] = "spot"
        value["spot"] = spot_cone(light)
    file.add_light(instance_object.name, matrix, value)


def of_cycles(light, name, default):
    """A property that Cycles gives lights, where that add-on is switched on."""
    return getattr(getattr(light, "cycles", None), name, default)


def note_light(light, notes):
    """What Blender's light does and Weft's does not."""
    subject = f"Light {light.name_full}"
    if not light.use_shadow or not of_cycles(light, "cast_shadow", True):
        notes.add(subject, "it casts shadows")
    if light.type == "SUN" and light.angle > WIDE_SUN:
        notes.add(subject, "so wide a sun keeps its strength, and is brighter than in Cycles")
    if light.type == "SUN" and light.angle > math.pi / 2:
        notes.add(subject, "its angle is 90 degrees")


def spot_cone(light):
    """The cone of a spot. Its edge is Blender's smoothstep of the cosine by a square, as near as can be."""
    outer = min(light.spot_size / 2, math.pi / 2)
    # A square over 0.76 of the range differs least from a smoothstep over all of it.
    range_of_cosine = (1 - math.cos(outer)) * light.spot_blend
    inner = math.acos(min(math.cos(outer) + 0.76 * range_of_cosine, 1.0))
    return {"outerConeAngle": outer, "innerConeAngle": min(inner, outer)}


def outline(light):
    """The corners of an area light in its own plane, counter-clockwise seen from behind."""
    is_long = light.shape in ("RECTANGLE", "ELLIPSE")
    width, height = light.size, light.size_y if is_long else light.size
    if light.shape in ("SQUARE", "RECTANGLE"):
        corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    else:
        # A polygon with the area of the ellipse.
        step = 2 * math.pi / ROUND_CORNERS
        radius = 0.5 * math.sqrt(step / math.sin(step))
        corners = [(radius * math.cos(k * step), radius * math.sin(k * step)) for k in range(ROUND_CORNERS)]
    return [(x * width, y * height) for x, y in corners]


def add_area(file, instance_object, matrix, color, notes):
    """Adds an area light as a lamp. It shines along its -Z, to one side."""
    light = instance_object.data
    subject = f"Light {light.name_full}"
    if getattr(light, "spread", math.pi) < math.pi - 1e-3:
        notes.add(subject, "it spreads to all sides of its front")
    if getattr(instance_object, "visible_camera", False):
        notes.add(subject, "the camera does not see it")
    corners = outline(light)
    file.lamps[instance_object.name] = corners
    # The area in the world, with the scale of the object.
    world = [matrix @ Vector((x, y, 0)) for x, y in corners]
    area = 0.5 * sum(((b - world[0]).cross(c - world[0]) for b, c in zip(world[1:], world[2:])),
                     Vector((0, 0, 0))).length
    if area <= 0:
        return
    radiance = times(color, 1 / (4 * area))
    material = file.add("materials", lamp_material(file, instance_object.name, radiance))
    positions = numpy.array([(x, y, 0) for x, y in corners], numpy.float32)
    # A mirrored matrix exchanges front and back of a face, and the program exchanges them again.
    fan = [index for k in range(1, len(corners) - 1) for index in (0, k + 1, k)]
    mesh = file.add("meshes", {"name": file.unused_mesh_name(instance_object.name), "primitives": [{
        "attributes": {"POSITION": file.add_array(positions, has_bounds=True)},
        "indices": file.add_array(numpy.array(fan, numpy.uint32)),
        "material": material,
    }]})
    file.add_node({"name": instance_object.name, "mesh": mesh, "matrix": column_major(matrix)})


def lamp_material(file, name, radiance):
    """A surface that all rays pass, and that shines."""
    strength = max(radiance)
    file.extensions.update({"KHR_materials_emissive_strength", "KHR_materials_ior",
                            "KHR_materials_specular", "KHR_materials_transmission"})
    return {
        "name": name,
        "extras": {"weft_lamp": 1},
        "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.0},
        "emissiveFactor": [channel / strength for channel in radiance],
        "extensions": {
            "KHR_materials_emissive_strength": {"emissiveStrength": strength},
            "KHR_materials_ior": {"ior": 1.0},
            "KHR_materials_specular": {"specularFactor": 0.0},
            "KHR_materials_transmission": {"transmissionFactor": 1.0},
        },
    }
