"""Meshes: evaluated geometry of the render's dependency graph as primitives and nodes of a glTF file.

A corner of a face is a vertex of the file, so that normals, UV maps and colours need no matching. Each
evaluated mesh goes in once, however many objects and instances show it. Many placements of one object
become one node with EXT_mesh_gpu_instancing, others a node each.
"""

import contextlib
from dataclasses import dataclass

import numpy

from .fields import AS_IT_IS, GREY
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


def rendered_map(mesh):
    """The name of the UV map that renders; empty without one."""
    layers = list(mesh.uv_layers)
    return next((layer.name for layer in layers if layer.active_render), layers[0].name if layers else "")


# The name of an attribute's numbers, and how many they are.
ATTRIBUTE_NUMBERS = {"FLOAT": ("value", 1), "INT": ("value", 1), "INT8": ("value", 1), "BOOLEAN": ("value", 1),
                     "FLOAT2": ("vector", 2), "FLOAT_VECTOR": ("vector", 3), "FLOAT_COLOR": ("color", 4),
                     "BYTE_COLOR": ("color", 4)}


def corner_attribute(mesh, name, vertices):
    """Red, green, blue and alpha of every corner by an attribute ("": the colours that render); 0 without one."""
    corners = len(vertices)
    colors = numpy.zeros((corners, 4), numpy.float32)
    if not name:
        active = getattr(mesh, "color_attributes", [])
        index = getattr(active, "render_color_index", -1)
        attribute = active[index] if 0 <= index < len(active) else None
    else:
        attribute = mesh.attributes.get(name)
    if attribute is None and name in mesh.uv_layers:
        colors[:, :2], colors[:, 3] = read(mesh.uv_layers[name].data, "uv", corners, 2), 1
        return colors
    if attribute is None or attribute.data_type not in ATTRIBUTE_NUMBERS:
        return colors
    values = corner_values(mesh, attribute, vertices)
    if values is None:
        return colors
    width = values.shape[1]
    colors[:, 3] = 1
    # A number is grey; a pair has no blue.
    colors[:, :3 if width == 1 else width] = values
    return colors


def corner_values(mesh, attribute, vertices):
    """The numbers of an attribute of every corner; None for a domain that is not known."""
    numbers, width = ATTRIBUTE_NUMBERS[attribute.data_type]
    kind = {"INT": numpy.int32, "INT8": numpy.int32, "BOOLEAN": bool}.get(attribute.data_type, numpy.float32)
    values = read(attribute.data, numbers, len(attribute.data), width, kind).reshape(-1, width)
    if attribute.domain == "POINT":
        return values[vertices]
    if attribute.domain == "FACE":
        return numpy.repeat(values, read(mesh.polygons, "loop_total", len(mesh.polygons), 1, numpy.int32), axis=0)
    if attribute.domain == "EDGE":
        # A vertex has the mean of its edges.
        ends = read(mesh.edges, "vertices", len(mesh.edges), 2, numpy.int32)
        sums = numpy.zeros((len(mesh.vertices), width), numpy.float32)
        for end in (0, 1):
            numpy.add.at(sums, ends[:, end], values)
        counts = numpy.bincount(ends.reshape(-1), minlength=len(sums))
        return (sums / numpy.maximum(counts, 1)[:, None])[vertices]
    return values if attribute.domain == "CORNER" else None


def channel_of(values, colors):
    """A channel of red, green, blue and alpha as Colors say it: three numbers or one for each row."""
    if colors.channel == "rgb":
        found = values[:, :3]
    elif colors.channel in ("grey", "mean"):
        weights = GREY if colors.channel == "grey" else (1 / 3, 1 / 3, 1 / 3)
        found = values[:, :3] @ numpy.array(weights, numpy.float32)
    else:
        found = values[:, "rgba".index(colors.channel)]
    low, high = colors.levels
    return found if colors.levels == AS_IT_IS else low + (high - low) * found


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


class MeshSource:
    """UV maps and attributes of a mesh, each of which goes into the file once."""

    def __init__(self, mesh, vertices, file):
        self.mesh = mesh
        self.vertices = vertices  # by corner
        self.file = file
        self.maps = [layer.name for layer in mesh.uv_layers]
        self.rendered = rendered_map(mesh)
        self.accessors = {}

    def map_accessor(self, name):
        """The accessor of a UV map."""
        if name not in self.accessors:
            uvs = read(self.mesh.uv_layers[name].data, "uv", len(self.vertices), 2)
            uvs[:, 1] = 1 - uvs[:, 1]
            self.accessors[name] = self.file.add_array(uvs)
        return self.accessors[name]

    def color_accessor(self, base, alpha):
        """The accessor of colours with the attributes of base colour and alpha; None stands for 1."""
        if (base, alpha) not in self.accessors:
            colors = numpy.ones((len(self.vertices), 3 if alpha is None else 4), numpy.float32)
            if base is not None:
                values = channel_of(corner_attribute(self.mesh, base.name, self.vertices), base)
                colors[:, :3] = values if values.ndim == 2 else values[:, None]
            if alpha is not None:
                colors[:, 3] = channel_of(corner_attribute(self.mesh, alpha.name, self.vertices), alpha)
            self.accessors[base, alpha] = self.file.add_array(colors)
        return self.accessors[base, alpha]

    def mean(self, colors):
        """The mean of an attribute, and whether it is the same everywhere."""
        values = channel_of(corner_attribute(self.mesh, colors.name, self.vertices), colors)
        values = values if values.ndim == 2 else numpy.repeat(values[:, None], 3, axis=1)
        is_uniform = bool((values.max(axis=0) - values.min(axis=0) <= 1e-6).all())
        return tuple(map(float, values.mean(axis=0, dtype=numpy.float64))), is_uniform


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
        # Make one primitive of each material.
        source = MeshSource(mesh, vertices, self.file)
        slot_of = numpy.clip(slot_of, 0, len(slots) - 1)
        primitives = []
        for slot in numpy.unique(slot_of):
            used, own = self.material_of(slots[slot], source)
            indices = corners[slot_of == slot].reshape(-1).astype(numpy.uint32)
            primitives.append({"attributes": {**attributes, **own}, "indices": self.file.add_array(indices),
                               "material": used})
        name = self.file.unused_mesh_name(mesh.name)
        index = self.file.add("meshes", {"name": name, "primitives": primitives})
        if self.keeps_shapes:
            self.shapes[index] = Shape(object_name, positions, vertices)
        return index

    def material_of(self, material, source):
        """The index of a slot's material, and the attributes that it asks for."""
        maps = self.materials.maps_of(material, source.maps, source.rendered)
        own = {f"TEXCOORD_{number}": source.map_accessor(name) for number, name in enumerate(maps)}
        _, base, alpha, light = self.materials.attributes(material)
        if base is not None or alpha is not None:
            own["COLOR_0"] = source.color_accessor(base, alpha)
        mean = None
        if light is not None:
            mean, is_uniform = source.mean(light)
            if not is_uniform:
                self.materials.notes.add(f"Material {material.name_full}",
                                         "an attribute that drives its light is replaced by its mean over each mesh")
        return self.materials.index_of(material, self.materials.key_of(material, maps, source.rendered, mean)), own

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

