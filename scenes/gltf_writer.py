"""gltf_writer.py: a small glTF 2.0 writer in plain Python, for the scenes of this folder.

One Scene is one .gltf file with its buffer and pictures embedded. Shapes are dictionaries of vertex lists made by
shapes.py; a shape's accessors are written once however many meshes use it. Nothing is random: the same script gives the
same bytes.
"""
import base64
import json
import math
import struct
import zlib

import shapes
from vectors import cross, sub, unit


def png(width, height, pixel, has_alpha=False):
    """A PNG of 8 bits per channel; pixel(x, y) gives 3 or 4 numbers from 0 to 255."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows.extend(min(255, max(0, int(c + 0.5))) for c in pixel(x, y))
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    header = struct.pack(">IIBBBBB", width, height, 8, 6 if has_alpha else 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9))
            + chunk(b"IEND", b""))


def look_at(eye, target):
    """A node matrix (columns) that looks down its −Z from eye to target."""
    back = unit(sub(eye, target))
    up_hint = [0, 0, -1] if abs(back[1]) > 0.999 else [0, 1, 0]
    right = unit(cross(up_hint, back))
    up = cross(back, right)
    return [*right, 0, *up, 0, *back, 0, *eye, 1]


def turn(axis, degrees):
    """A quaternion: a turn about 'x', 'y' or 'z'."""
    half = math.radians(degrees) / 2
    q = [0, 0, 0, math.cos(half)]
    q["xyz".index(axis)] = math.sin(half)
    return q


def then(second, first):
    """The quaternion that does first, then second."""
    x1, y1, z1, w1 = second
    x2, y2, z2, w2 = first
    return [w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2, w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2, w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2]


class Scene:
    def __init__(self, name):
        self.name = name
        self.bytes = bytearray()
        self.json = {"asset": {"version": "2.0", "generator": "Weft scenes/make_scenes.py"}, "scene": 0,
                     "scenes": [{"name": name, "nodes": []}], "nodes": [], "meshes": [], "materials": [],
                     "accessors": [], "bufferViews": [], "buffers": [], "cameras": [], "textures": [],
                     "images": [], "samplers": []}
        self.used = set()
        self.required = set()
        self.lights = []
        self.written = {}

    def use(self, extension, is_required=False):
        self.used.add(extension)
        if is_required:
            self.required.add(extension)

    def view(self, data, target=None):
        while len(self.bytes) % 4:
            self.bytes.append(0)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)}
        if target:
            view["target"] = target
        self.bytes.extend(data)
        self.json["bufferViews"].append(view)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, rows, kind, component="f", target=34962):
        """Rows of equal length; component f (float), H (u16) or I (u32)."""
        flat = [x for row in rows for x in row]
        code = {"f": 5126, "H": 5123, "I": 5125}[component]
        packed = struct.pack("<%d%s" % (len(flat), component), *flat)
        accessor = {"bufferView": self.view(packed, target), "componentType": code, "count": len(rows), "type": kind}
        if component == "f" and kind == "VEC3":
            exact = struct.unpack("<%df" % len(flat), packed)
            accessor["min"] = [min(exact[i::3]) for i in range(3)]
            accessor["max"] = [max(exact[i::3]) for i in range(3)]
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def attributes(self, shape):
        """The accessors of a shape, written at its first use."""
        key = id(shape)
        if key not in self.written:
            shapes.check(shape, self.name)
            names = {"positions": ("POSITION", "VEC3"), "normals": ("NORMAL", "VEC3"), "uvs": ("TEXCOORD_0", "VEC2"),
                     "tangents": ("TANGENT", "VEC4")}
            attributes = {gltf: self.accessor(shape[ours], kind)
                          for ours, (gltf, kind) in names.items() if shape.get(ours)}
            component = "H" if len(shape["positions"]) < 65535 else "I"
            indices = self.accessor([[i] for t in shape["triangles"] for i in t], "SCALAR", component, 34963)
            self.written[key] = (attributes, indices, shape)  # the shape is kept so that its id stays taken
        return self.written[key][:2]

    def texture(self, name, data, is_clamped=False):
        self.json["images"].append({"name": name, "mimeType": "image/png",
                                    "uri": "data:image/png;base64," + base64.b64encode(data).decode()})
        wrap = 33071 if is_clamped else 10497
        self.json["samplers"].append({"wrapS": wrap, "wrapT": wrap})
        self.json["textures"].append({"source": len(self.json["images"]) - 1,
                                      "sampler": len(self.json["samplers"]) - 1})
        return len(self.json["textures"]) - 1

    def material(self, name, color=(0.8, 0.8, 0.8), metallic=0.0, roughness=0.5, alpha=1.0, map=None, emit=None,
                 emit_map=None, emit_strength=1.0, mode=None, **extensions):
        """extensions: KHR_materials_… blocks by their last word, as transmission={"transmissionFactor": 1}."""
        pbr = {"baseColorFactor": [*color, alpha], "metallicFactor": metallic, "roughnessFactor": roughness}
        if map is not None:
            pbr["baseColorTexture"] = {"index": map}
        material = {"name": name, "pbrMetallicRoughness": pbr, "doubleSided": True}
        if mode:
            material["alphaMode"] = mode
        blocks = {"KHR_materials_" + word: block for word, block in extensions.items()}
        if emit:
            material["emissiveFactor"] = list(emit)
            if emit_map is not None:
                material["emissiveTexture"] = {"index": emit_map}
            if emit_strength != 1:
                blocks["KHR_materials_emissive_strength"] = {"emissiveStrength": emit_strength}
        if blocks:
            material["extensions"] = blocks
            for block in blocks:
                self.use(block)
        self.json["materials"].append(material)
        return len(self.json["materials"]) - 1

    def mesh(self, name, *parts):
        """parts: (shape, material) pairs."""
        primitives = []
        for shape, material in parts:
            attributes, indices = self.attributes(shape)
            primitives.append({"attributes": attributes, "indices": indices, "material": material})
        self.json["meshes"].append({"name": name, "primitives": primitives})
        return len(self.json["meshes"]) - 1

    def node(self, name, mesh=None, at=None, rotation=None, scale=None, matrix=None, parent=None, **more):
        node = {"name": name}
        for key, value in (("mesh", mesh), ("translation", at), ("rotation", rotation), ("scale", scale),
                           ("matrix", matrix)):
            if value is not None:
                node[key] = list(value) if key != "mesh" else value
        node.update(more)
        self.json["nodes"].append(node)
        index = len(self.json["nodes"]) - 1
        if parent is None:
            self.json["scenes"][0]["nodes"].append(index)
        else:
            self.json["nodes"][parent].setdefault("children", []).append(index)
        return index

    def put(self, name, shape, material, **place):
        """One node that shows one shape of one material."""
        return self.node(name, mesh=self.mesh(name, (shape, material)), **place)

    def instances(self, name, mesh, places):
        """EXT_mesh_gpu_instancing: places are (translation, rotation, scale) rows."""
        self.use("EXT_mesh_gpu_instancing", is_required=True)
        columns = list(zip(*places))
        attributes = {"TRANSLATION": self.accessor(columns[0], "VEC3", target=None),
                      "ROTATION": self.accessor(columns[1], "VEC4", target=None),
                      "SCALE": self.accessor(columns[2], "VEC3", target=None)}
        return self.node(name, mesh=mesh, extensions={"EXT_mesh_gpu_instancing": {"attributes": attributes}})

    def camera(self, eye, target, yfov_degrees, aspect=None, name="camera"):
        perspective = {"yfov": math.radians(yfov_degrees), "znear": 0.01}
        if aspect:
            perspective["aspectRatio"] = aspect
        self.json["cameras"].append({"name": name, "type": "perspective", "perspective": perspective})
        self.node(name, matrix=look_at(eye, target), camera=len(self.json["cameras"]) - 1)

    def light(self, name, kind, color, intensity, eye, target, cone_degrees=None):
        """A point, spot (full outer cone) or directional light that shines from eye to target."""
        self.use("KHR_lights_punctual")
        light = {"name": name, "type": kind, "color": list(color), "intensity": intensity}
        if kind == "spot":
            outer = math.radians(cone_degrees) / 2
            light["spot"] = {"innerConeAngle": 0.6 * outer, "outerConeAngle": outer}
        self.lights.append(light)
        self.node(name, matrix=look_at(eye, target),
                  extensions={"KHR_lights_punctual": {"light": len(self.lights) - 1}})

    def save(self, path):
        if self.lights:
            self.json["extensions"] = {"KHR_lights_punctual": {"lights": self.lights}}
        if self.used:
            self.json["extensionsUsed"] = sorted(self.used)
        if self.required:
            self.json["extensionsRequired"] = sorted(self.required)
        self.json["buffers"].append({"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64,"
                                     + base64.b64encode(bytes(self.bytes)).decode()})
        whole = {key: value for key, value in self.json.items() if value != []}
        def rounded(value):
            if isinstance(value, float):
                return round(value, 7)
            if isinstance(value, list):
                return [rounded(x) for x in value]
            if isinstance(value, dict):
                # Bounds stay exact: they must equal the stored floats.
                return {k: v if k in ("min", "max") else rounded(v) for k, v in value.items()}
            return value
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            json.dump(rounded(whole), file, separators=(",", ":"))
            file.write("\n")
