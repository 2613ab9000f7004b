"""Meshes: evaluated geometry of the render's dependency graph as primitives and nodes of a glTF file.

A corner of a face is a vertex of the file, so that normals, UV maps and colours need no matching. Each
evaluated mesh goes in once, however many objects and instances show it. Many placements of one object
become one node with EXT_mesh_gpu_instancing, others a node each.
"""

import contextlib
from dataclasses import dataclass

import numpy

from .gltf_file import quaternions, scales_and_turns

# From so many placements on, an object gets one node for all of them.
FEWEST_INSTANCED = 16

# Objects that have, or turn into, a mesh.
MESH_TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


def read(collection, attribute, count, width, kind=numpy.float32):
    """One attribute of all elements of a collection, as rows of `width` numbers."""
    array = numpy.empty(count * width, kind)
    collection.foreach_get(attribute, array)
    return array.reshape(count, width) if width > 1 else array


def corner_normals(mesh, count):
    """The normal of every corner: of its face where that is flat, else smooth."""
    if hasattr(mesh, "calc_normals_split"):
        mesh.calc_normals_split()
        return read(mesh.loops, "normal", count, 3)
    return read(mesh.corner_normals, "vector", count, 3)


def uv_layers(mesh):
    """The UV maps that go over: the one that renders, then the first other one."""
    layers = list(mesh.uv_layers)
    first = [layer for layer in layers if layer.active_render] or layers[:1]
    return first[:1] + [layer for layer in layers if layer not in first][:1]


def corner_colors(mesh, name, vertices, corners):
    """A colour attribute by name ("": the one that renders) for every corner; None without one."""
    attributes = getattr(mesh, "color_attributes", [])
    if name:
        attribute = attributes.get(name) if attributes else None
    else:
        index = getattr(attributes, "render_color_index", -1)
        attribute = attributes[index] if 0 <= index < len(attributes) else None
    if attribute is None:
        return None
    if attribute.domain == "POINT":
        return read(attribute.data, "color", len(mesh.vertices), 4)[vertices]
    return read(attribute.data, "color", corners, 4)


def slot_materials(instance_object, mesh):
    """The materials that an object shows, by slot; at least one, None for an empty slot."""
    slots = [slot.material for slot in instance_object.material_slots] or list(mesh.materials)
    return slots or [None]


def asset_of(shown):
    """The name of the topmost object that an object hangs on: what Cycles calls its asset."""
    while shown.parent is not None:
        shown = shown.parent
    return shown.name


@contextlib.contextmanager
def mesh_of(shown):
    """The evaluated mesh of an object; None for one that has none."""
    if shown.type == "MESH":
        yield shown.data
        return
    try:
        yield shown.to_mesh()
    finally:
        shown.to_mesh_clear()


@dataclass
class Placement:
    """A mesh in the world."""

    name: str  # of its object
    asset: str  # the name of the topmost object above it
    matrix: numpy.ndarray  # 4 by 4
    key: object = None  # names it in other frames
    then: tuple = None  # its matrices in the frames before and after, where they are known

    def moves(self):
        """Whether it stands elsewhere in another frame."""
        return self.then is not None and any(not numpy.array_equal(other, self.matrix) for other in self.then)


@dataclass
class Shape:
    """The vertices of a mesh, for other frames to be compared with."""

    name: str  # of an object that has it
    positions: numpy.ndarray
    vertices: numpy.ndarray  # by corner


class Meshes:
    """The meshes of one file and where they stand."""

    def __init__(self, file, materials, keeps_shapes=False):
        self.file = file
        self.materials = materials
        self.keeps_shapes = keeps_shapes
        self.shapes = {}  # by index in the file, if they are kept
        self.morphs = set()  # indices of meshes with morph targets
        self.by_key = {}  # (evaluated mesh, materials): index in the file, None for one without faces
        self.places = {}  # (index, name of the object): placements

    def add(self, instance_object, matrix, place_key=None):
        """Adds an object of the dependency graph, or another placement of its mesh; returns the mesh's index."""
        key = self.key_of(instance_object)
        if key not in self.by_key:
            self.by_key[key] = self.add_geometry(instance_object)
        index = self.by_key[key]
        if index is not None:
            self.place(index, instance_object, matrix, place_key)
        return index

    def key_of(self, instance_object):
        """What tells an evaluated mesh and its materials from others."""
        slots = tuple(slot.material.name_full if slot.material else ""
                      for slot in instance_object.material_slots)
        is_mesh = instance_object.type == "MESH"
        return (instance_object.data.as_pointer() if is_mesh else instance_object.as_pointer(), slots)

    def place(self, index, instance_object, matrix, place_key=None):
        """Adds a placement of a mesh."""
        self.places.setdefault((index, instance_object.name), []).append(Placement(
            instance_object.name, asset_of(instance_object), numpy.array(matrix, numpy.float64), place_key))

    def all_places(self):
        """All placements."""
        return [place for places in self.places.values() for place in places]

    def add_shapes(self, index, positions):
        """Adds the shapes of a mesh in the frames before and after: positions of its vertices, or None."""
        shape = self.shapes[index]
        others = [now if now is not None and now.shape == shape.positions.shape else shape.positions
                  for now in positions]
        if all(numpy.array_equal(other, shape.positions) for other in others):
            return
        targets = [{"POSITION": self.file.add_array((other - shape.positions)[shape.vertices], has_bounds=True)}
                   for other in others]
        mesh = self.file.lists["meshes"][index]
        mesh["weights"] = [0, 0]
        for primitive in mesh["primitives"]:
            primitive["targets"] = targets
        self.morphs.add(index)

    def add_geometry(self, instance_object):
        """Adds the evaluated mesh of an object; returns its index, None without faces."""
        with mesh_of(instance_object) as mesh:
            if mesh is None:
                return None
            return self.add_mesh(mesh, slot_materials(instance_object, mesh), instance_object.name)

    def add_mesh(self, mesh, slots, object_name):
        mesh.calc_loop_triangles()
        triangle_count = len(mesh.loop_triangles)
        corner_count = len(mesh.loops)
        if triangle_count == 0:
            return None
        # Read faces and corners.
        corners = read(mesh.loop_triangles, "loops", triangle_count, 3, numpy.int32)
        slot_of = read(mesh.loop_triangles, "material_index", triangle_count, 1, numpy.int32)
        vertices = read(mesh.loops, "vertex_index", corner_count, 1, numpy.int32)
        positions = read(mesh.vertices, "co", len(mesh.vertices), 3)
        attributes = {
            "POSITION": self.file.add_array(positions[vertices], has_bounds=True),
            "NORMAL": self.file.add_array(corner_normals(mesh, corner_count)),
        }
        layers = uv_layers(mesh)
        for number, layer in enumerate(layers):
            uvs = read(layer.data, "uv", corner_count, 2)
            uvs[:, 1] = 1 - uvs[:, 1]
            attributes[f"TEXCOORD_{number}"] = self.file.add_array(uvs)
        # Make one primitive of each material.
        uv_names = [layer.name for layer in layers]
        slot_of = numpy.clip(slot_of, 0, len(slots) - 1)
        primitives = []
        for slot in numpy.unique(slot_of):
            material = self.materials.index_of(slots[slot], uv_names)
            own = dict(attributes)
            color_name = self.materials.color_attribute(slots[slot])
            colors = None
            if color_name is not None:
                colors = corner_colors(mesh, color_name, vertices, corner_count)
            if colors is not None:
                own["COLOR_0"] = self.file.add_array(colors)
            indices = corners[slot_of == slot].reshape(-1).astype(numpy.uint32)
            primitives.append({
                "attributes": own, "indices": self.file.add_array(indices), "material": material})
        name = self.file.unused_mesh_name(mesh.name)
        index = self.file.add("meshes", {"name": name, "primitives": primitives})
        if self.keeps_shapes:
            self.shapes[index] = Shape(object_name, positions, vertices)
        return index

    def farthest(self, camera_matrix):
        """How far the farthest corner of all boxes is, along the axis of a camera."""
        axis = -numpy.array(camera_matrix.col[2][:3])
        eye = numpy.array(camera_matrix.translation)
        most = 0.0
        for (index, _), places in self.places.items():
            first = self.file.lists["meshes"][index]["primitives"][0]["attributes"]["POSITION"]
            box = self.file.lists["accessors"][first]
            corners = numpy.array([[x, y, z, 1] for x in (box["min"][0], box["max"][0])
                                   for y in (box["min"][1], box["max"][1]) for z in (box["min"][2], box["max"][2])])
            placed = numpy.array([place.matrix for place in places])[:, :3] @ corners.T
            most = max(most, float((axis @ (placed - eye[:, None])).max()))
        return most

    def write_nodes(self):
        """Adds the nodes of all placements."""
        for (index, name), all_places in self.places.items():
            places = [place for place in all_places if not place.moves()]
            singles = numpy.ones(len(places), bool)
            if len(places) >= FEWEST_INSTANCED:
                singles = ~self.add_instanced(index, places)
            for place, is_single in zip(places, singles):
                if is_single:
                    self.add_single(index, name, place)
            for place in all_places:
                if place.moves():
                    node = self.add_single(index, name, place)
                    self.file.add_motion(node, [place.then[0], place.matrix, place.then[1]])

    def add_single(self, index, name, place):
        """Adds a node for one placement; returns it."""
        node = self.file.add_node(
            {"name": name, "mesh": index, "matrix": place.matrix.T.reshape(-1).tolist()}, place.asset)
        if index in self.morphs:
            self.file.add_weights(node)
        return node

    def add_instanced(self, index, places):
        """Adds those placements that are a scale, a rotation and a move; returns which ones they are."""
        matrices = numpy.array([place.matrix for place in places])
        scales, turns, fits = scales_and_turns(matrices[:, :3, :3])
        if fits.any():
            self.file.extensions.add("EXT_mesh_gpu_instancing")
            node = self.file.add_node({
                "name": places[0].name,
                "mesh": index,
                "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {
                    "TRANSLATION": self.file.add_array(matrices[fits, :3, 3]),
                    "ROTATION": self.file.add_array(quaternions(turns[fits])),
                    "SCALE": self.file.add_array(scales[fits]),
                }}},
            }, places[0].asset)
            if index in self.morphs:
                self.file.add_weights(node)
        return fits

