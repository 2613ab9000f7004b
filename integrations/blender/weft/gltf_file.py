"""A glTF file that grows: lists of the JSON, and one binary buffer beside it.

Arrays go in as numpy arrays; objects of the JSON as plain dictionaries. `write()` puts scene.gltf and
scene.bin into a folder. Matrices and positions are Blender's (Z up): root nodes turn them to glTF's Y
up. Each asset has a root: an object without a parent, with all that hangs on it.
"""

import json
import os
import struct

import numpy

# Component types of accessors.
FLOAT = 5126
UNSIGNED_INT = 5125

# Rows of the root's matrix map Blender's (x, y, z) to (x, z, -y); glTF lists matrices by column.
Y_UP = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1]

TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}


# The times of the keys of what moves: the frame before, the one that renders, the one after.
KEY_TIMES = (0, 1, 2)


def scales_and_turns(linear):
    """The scales and rotation matrices of 3 by 3 matrices, and whether each is no more than that."""
    scales = numpy.linalg.norm(linear, axis=1)
    scales[:, 0] *= numpy.where(numpy.linalg.det(linear) < 0, -1, 1)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        turns = linear / scales[:, None, :]
        skew = numpy.abs(turns.transpose(0, 2, 1) @ turns - numpy.eye(3)).max(axis=(1, 2))
    return scales, turns, skew < 1e-5


def quaternions(turns):
    """Unit quaternions (x, y, z, w) of rotation matrices: the eigenvectors of Bar-Itzhack's matrices."""
    m = turns
    k = numpy.empty((len(m), 4, 4))
    k[:, 0] = numpy.stack([m[:, 0, 0] - m[:, 1, 1] - m[:, 2, 2], m[:, 1, 0] + m[:, 0, 1],
                           m[:, 2, 0] + m[:, 0, 2], m[:, 2, 1] - m[:, 1, 2]], 1)
    k[:, 1] = numpy.stack([m[:, 1, 0] + m[:, 0, 1], m[:, 1, 1] - m[:, 0, 0] - m[:, 2, 2],
                           m[:, 2, 1] + m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0]], 1)
    k[:, 2] = numpy.stack([m[:, 2, 0] + m[:, 0, 2], m[:, 2, 1] + m[:, 1, 2],
                           m[:, 2, 2] - m[:, 0, 0] - m[:, 1, 1], m[:, 1, 0] - m[:, 0, 1]], 1)
    k[:, 3] = numpy.stack([m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0],
                           m[:, 1, 0] - m[:, 0, 1], m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]], 1)
    return numpy.linalg.eigh(k)[1][:, :, 3]


def column_major(matrix):
    """The 16 numbers of a mathutils.Matrix as glTF lists them."""
    return [matrix[row][column] for column in range(4) for row in range(4)]


class GltfFile:
    """The lists of one file. `add` returns the index of what it added."""

    def __init__(self):
        self.lists = {name: [] for name in (
            "accessors", "bufferViews", "cameras", "images", "materials", "meshes", "samplers", "textures")}
        self.nodes = []
        self.roots = {}  # nodes that turn what is below them, by name
        self.lights = []
        self.lamps = {}  # corners of area lights, by object
        self.extensions = set()
        self.keys = []  # (node, path, values): a row of values for each of KEY_TIMES
        self.chunks = []
        self.byte_count = 0

    def add(self, list_name, value):
        """Appends to a list of the JSON."""
        self.lists[list_name].append(value)
        return len(self.lists[list_name]) - 1

    def add_node(self, node, asset="Blender"):
        """Appends a node below the root of an asset; returns it."""
        if asset not in self.roots:
            self.nodes.append({"name": asset, "matrix": Y_UP, "children": []})
            self.roots[asset] = self.nodes[-1]
        self.nodes.append(node)
        self.roots[asset]["children"].append(len(self.nodes) - 1)
        return node

    def add_motion(self, node, matrices):
        """Gives a node a matrix at each of KEY_TIMES; False if one of them has a shear."""
        matrices = numpy.array(matrices)
        scales, turns, fits = scales_and_turns(matrices[:, :3, :3])
        if not fits.all():
            return False
        node.pop("matrix", None)
        for path, values in (("translation", matrices[:, :3, 3]), ("rotation", quaternions(turns)), ("scale", scales)):
            node[path] = values[1].tolist()
            self.keys.append((node, path, values))
        return True

    def add_weights(self, node):
        """Gives a node the first morph target of its mesh in the frame before, and the second in the one after."""
        self.keys.append((node, "weights", numpy.array([1, 0, 0, 0, 0, 1])))

    def animation(self):
        """The keys as one animation of the JSON."""
        times = self.add_array(numpy.array(KEY_TIMES, numpy.float32), has_bounds=True)
        places = {id(node): index for index, node in enumerate(self.nodes)}
        samplers, channels = [], []
        for node, path, values in self.keys:
            samplers.append({"input": times, "output": self.add_array(values)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": places[id(node)], "path": path}})
        return {"name": "frames", "samplers": samplers, "channels": channels}

    def placed_nodes(self):
        """All nodes but the roots, in the order in which Weft meets them."""
        return [self.nodes[index] for root in self.roots.values() for index in root["children"]]

    def add_light(self, node_name, matrix, light):
        """Appends a punctual light and its node."""
        self.extensions.add("KHR_lights_punctual")
        self.lights.append(light)
        self.add_node({
            "name": node_name,
            "matrix": column_major(matrix),
            "extensions": {"KHR_lights_punctual": {"light": len(self.lights) - 1}},
        })

    def instance_meshes(self):
        """The name of the mesh of every instance, in the order in which Weft numbers instances."""
        names = []
        for node in self.placed_nodes():
            if "mesh" not in node:
                continue
            mesh = self.lists["meshes"][node["mesh"]]
            instancing = node.get("extensions", {}).get("EXT_mesh_gpu_instancing")
            places = self.lists["accessors"][instancing["attributes"]["TRANSLATION"]]["count"] if instancing else 1
            names += [mesh["name"]] * (len(mesh["primitives"]) * places)
        return names

    def unused_mesh_name(self, name):
        """A name that no mesh has yet."""
        taken = {mesh["name"] for mesh in self.lists["meshes"]}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name} {number}"
        return free

    def add_array(self, array, has_bounds=False):
        """Appends an array of floats or of unsigned integers, one row per element, as an accessor."""
        is_index = array.dtype.kind == "u"
        array = numpy.ascontiguousarray(array, numpy.uint32 if is_index else numpy.float32)
        columns = 1 if array.ndim == 1 else array.shape[1]
        view = self.add("bufferViews", {
            "buffer": 0, "byteOffset": self.byte_count, "byteLength": array.nbytes})
        self.chunks.append(array)
        self.byte_count += array.nbytes
        accessor = {
            "bufferView": view,
            "componentType": UNSIGNED_INT if is_index else FLOAT,
            "count": len(array),
            "type": TYPES[columns],
        }
        if has_bounds:
            accessor["min"] = [float(x) for x in numpy.atleast_1d(array.min(axis=0))]
            accessor["max"] = [float(x) for x in numpy.atleast_1d(array.max(axis=0))]
        return self.add("accessors", accessor)

    def json_root(self):
        """The JSON without its buffer."""
        animations = [self.animation()] if self.keys else []
        root = {
            "asset": {"version": "2.0", "generator": "Weft for Blender"},
            "scene": 0,
            # A scene without nodes is no glTF.
            "scenes": [{"nodes": [index for index, node in enumerate(self.nodes) if "children" in node] or [0]}],
            "nodes": self.nodes or [{"name": "Blender"}],
        }
        root.update({name: rows for name, rows in self.lists.items() if rows})
        if animations:
            root["animations"] = animations
        if self.lights:
            root["extensions"] = {"KHR_lights_punctual": {"lights": self.lights}}
        if self.extensions:
            root["extensionsUsed"] = sorted(self.extensions)
        return root

    def write(self, folder):
        """Writes the file and its buffer; returns the path of scene.gltf."""
        root = self.json_root()
        if self.byte_count:
            root["buffers"] = [{"uri": "scene.bin", "byteLength": self.byte_count}]
            with open(os.path.join(folder, "scene.bin"), "wb") as file:
                self.write_chunks(file)
        path = os.path.join(folder, "scene.gltf")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(root, file)
        return path

    def write_binary(self, file):
        """Writes all of it as one GLB into an open file."""
        root = self.json_root()
        root["buffers"] = [{"byteLength": self.byte_count}]
        text = json.dumps(root).encode()
        text += b" " * (-len(text) % 4)
        whole = 12 + 8 + len(text) + 8 + self.byte_count
        file.write(struct.pack("<4sII", b"glTF", 2, whole))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", self.byte_count, b"BIN\0"))
        self.write_chunks(file)

    def write_chunks(self, file):
        for chunk in self.chunks:
            file.write(chunk.data)
