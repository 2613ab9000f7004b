"""What changed in a scene since a viewport's last look, as edits of Weft where edits can say it.

A snapshot says what an export would hold, without geometry and pictures. Two of them differ either by
edits, or by more than that: then the scene is exported again. This module knows nothing of Blender.
"""

import copy
import math
from collections import Counter
from dataclasses import dataclass, field

import numpy

# Rows of the root of an export: Blender's (x, y, z) to (x, z, -y).
Y_UP = numpy.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)

# Numbers of a glTF material: where they are, what they are without, and the field of materials/NAME.
LEAVES = [
    (("pbrMetallicRoughness", "metallicFactor"), 1.0, "metallic"),
    (("pbrMetallicRoughness", "roughnessFactor"), 1.0, "roughness"),
    (("normalTexture", "scale"), 1.0, "normal_scale"),
    (("extensions", "KHR_materials_ior", "ior"), 1.5, "ior"),
    (("extensions", "KHR_materials_specular", "specularFactor"), 1.0, "specular"),
    (("extensions", "KHR_materials_specular", "specularColorFactor"), [1.0, 1.0, 1.0], "specular_color"),
    (("extensions", "KHR_materials_transmission", "transmissionFactor"), 0.0, "transmission"),
    (("extensions", "KHR_materials_clearcoat", "clearcoatFactor"), 0.0, "coat"),
    (("extensions", "KHR_materials_clearcoat", "clearcoatRoughnessFactor"), 0.0, "coat_roughness"),
    (("extensions", "KHR_materials_sheen", "sheenColorFactor"), [0.0, 0.0, 0.0], "sheen_color"),
    (("extensions", "KHR_materials_sheen", "sheenRoughnessFactor"), 0.0, "sheen_roughness"),
    (("extensions", "KHR_materials_anisotropy", "anisotropyStrength"), 0.0, "anisotropy"),
]
BASE = ("pbrMetallicRoughness", "baseColorFactor")
EMISSIVE = ("emissiveFactor",)
STRENGTH = ("extensions", "KHR_materials_emissive_strength", "emissiveStrength")
ROTATION = ("extensions", "KHR_materials_anisotropy", "anisotropyRotation")


@dataclass
class Snapshot:
    """What an export would hold."""

    placed: list = field(default_factory=list)  # (shape, name of the object, 4 by 4 matrix)
    materials: list = field(default_factory=list)  # of glTF, pictures by name
    lights: list = field(default_factory=list)  # (of glTF, its node's 16 numbers)
    lamps: dict = field(default_factory=dict)  # corners, by name
    environment: list = field(default_factory=list)  # options of the world


def escaped(name):
    """A name as a part of an edit's path."""
    return name.replace("~", "~0").replace("/", "~1").replace("#", "~2")


def edits_between(before, after):
    """The edits that lead from one snapshot to the other; None where no edits do."""
    parts = (placement_edits(before, after), material_edits(before.materials, after.materials),
             light_edits(before.lights, after.lights), world_edits(before.environment, after.environment))
    if before.lamps != after.lamps or None in parts:
        return None
    return [edit for part in parts for edit in part]


def edit(path, value):
    return {"path": path, "value": value}


def placement_edits(before, after):
    """Objects that moved; None where others came or went."""
    if [row[:2] for row in before.placed] != [row[:2] for row in after.placed]:
        return None
    names = Counter(name for _, name, _ in after.placed)
    edits = []
    for (_, name, old), (_, _, new) in zip(before.placed, after.placed):
        if numpy.array_equal(old, new):
            continue
        # Several of one name cannot be told apart.
        if names[name] > 1:
            return None
        edits.append(edit(f"nodes/{escaped(name)}/transform", (Y_UP @ new)[:3].reshape(-1).tolist()))
    return edits


def value_at(material, path, default):
    """The number at a path of a material."""
    for name in path[:-1]:
        material = material.get(name, {})
    return material.get(path[-1], default)


def fields_of(material):
    """The fields of materials/NAME that the numbers of a glTF material stand for."""
    fields = {name: value_at(material, path, default) for path, default, name in LEAVES}
    base = value_at(material, BASE, [1.0, 1.0, 1.0, 1.0])
    strength = value_at(material, STRENGTH, 1.0)
    fields["base_color"], fields["alpha"] = list(base[:3]), base[3]
    fields["emissive"] = [strength * x for x in value_at(material, EMISSIVE, [0.0, 0.0, 0.0])]
    fields["anisotropy_rotation_deg"] = math.degrees(value_at(material, ROTATION, 0.0))
    return fields


def rest_of(material):
    """What no field says: pictures, modes, extensions that are more than numbers."""
    rest = copy.deepcopy(material)
    for path in [row[0] for row in LEAVES] + [BASE, EMISSIVE, STRENGTH, ROTATION]:
        inside = rest
        for name in path[:-1]:
            inside = inside.get(name, {})
        inside.pop(path[-1], None)
    extensions = {name: value for name, value in rest.pop("extensions", {}).items() if value}
    return rest, extensions


def material_edits(before, after):
    """Numbers of materials that changed; None where pictures did."""
    if len(before) != len(after):
        return None
    names = Counter(material["name"] for material in after)
    edits = []
    for old, new in zip(before, after):
        if old == new:
            continue
        if rest_of(old) != rest_of(new) or names[new["name"]] > 1:
            return None
        known = fields_of(old)
        edits += [edit(f"materials/{escaped(new['name'])}/{name}", value)
                  for name, value in fields_of(new).items() if value != known[name]]
    return edits


def light_value(light, numbers):
    """The value of lights/NAME for a light of glTF and the matrix of its node, column by column."""
    matrix = Y_UP @ numpy.array(numbers).reshape(4, 4).T
    back = matrix[:3, 2]
    extras = light.get("extras", {})
    value = {"kind": light["type"], "position": matrix[:3, 3].tolist(),
             "direction": (-back / numpy.linalg.norm(back)).tolist(),
             "intensity": [light["intensity"] * channel for channel in light["color"]],
             "radius_m": extras.get("weft_radius_m", 0.0), "angle_deg": extras.get("weft_angle_deg", 0.0)}
    if "spot" in light:
        value["inner_deg"] = math.degrees(light["spot"]["innerConeAngle"])
        value["outer_deg"] = math.degrees(light["spot"]["outerConeAngle"])
    return value


def light_edits(before, after):
    """Lights that changed, came or went; None where two have one name."""
    old = {light["name"]: (light, matrix) for light, matrix in before}
    new = {light["name"]: (light, matrix) for light, matrix in after}
    if len(old) < len(before) or len(new) < len(after):
        return None
    edits = [edit(f"lights/{escaped(name)}", None) for name in old if name not in new]
    return edits + [edit(f"lights/{escaped(name)}", light_value(*value))
                    for name, value in new.items() if old.get(name) != value]


def world_edits(before, after):
    """Another colour of the world; None where more changed."""
    if before == after:
        return []
    if [row[:1] for row in (before, after)] != [["--environment-color"]] * 2:
        return None
    return [edit("environment/color", [float(channel) for channel in after[1].split(",")])]
