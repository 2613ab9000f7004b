"""Keeps a viewport's scene as Blender's: edits where they do, an export where geometry changed."""

import bpy
import numpy

from . import world
from .changes import Snapshot, edits_between
from .export import Parts
from .meshes import MESH_TYPES, Meshes

# Data of objects whose change changes geometry.
SHAPES = (bpy.types.Mesh, bpy.types.Curve, bpy.types.MetaBall)


class GeometryChanged(Exception):
    """The scene shows geometry that differs by more than the triangles of meshes."""


class KnownMeshes(Meshes):
    """Objects with the meshes of an earlier export; reads those that changed and no others."""

    def __init__(self, file, materials):
        super().__init__(file, materials)
        self.changed = frozenset()  # names of objects
        self.exported = None  # Parts of the earlier export
        self.former = {}  # the mesh of an object that shows one, by its name
        self.renewed = {}  # by index: (key, Parts with that mesh alone)
        self.kept = set()  # indices that objects show which did not change

    def know(self, exported, changed):
        """Takes over what an export has."""
        self.exported, self.changed = exported, changed
        self.by_key = dict(exported.meshes.by_key)
        for index, name in exported.meshes.places:
            self.former[name] = None if name in self.former else index

    def add(self, instance_object, matrix, place_key=None):
        if instance_object.name not in self.changed:
            self.kept.add(super().add(instance_object, matrix, place_key))
            return
        index = self.former.get(instance_object.name)
        key = self.key_of(instance_object)
        if index is None:
            raise GeometryChanged()
        if index not in self.renewed:
            self.renewed[index] = (key, self.read(instance_object, index))
        elif self.renewed[index][0] != key:
            raise GeometryChanged()
        self.place(index, instance_object, matrix, place_key)

    def add_geometry(self, instance_object):
        raise GeometryChanged()

    def read(self, instance_object, index):
        """A mesh that changed, in a file of its own without materials."""
        parts = Parts(None)
        parts.materials.textures = NamedPictures(self.exported.materials.textures)
        mesh = parts.meshes.add_geometry(instance_object)
        if mesh is None or material_keys(parts, mesh) != material_keys(self.exported, index):
            raise GeometryChanged()
        parts.file.lists["materials"].clear()
        for primitive in parts.file.lists["meshes"][mesh]["primitives"]:
            del primitive["material"]
        parts.file.extensions.clear()
        parts.file.add_node({"mesh": mesh})
        return parts

    def check(self):
        """Raises GeometryChanged where an object that did not change shows a mesh that did."""
        if self.kept & set(self.renewed):
            raise GeometryChanged()


def material_keys(parts, mesh):
    """What tells the materials of a mesh's parts from others."""
    keys = {index: key for key, index in parts.materials.indices.items()}
    return [keys[primitive["material"]] for primitive in parts.file.lists["meshes"][mesh]["primitives"]]


class NamedPictures:
    """Stands for the textures of a file: says which pictures there are, and writes none."""

    def __init__(self, textures):
        self.mean = textures.mean
        self.peak = textures.peak

    def color(self, picture, alpha, subject, gain=(1.0, 1.0, 1.0)):
        return {"picture": (repr(picture), repr(alpha), gain)}

    def alpha_alone(self, alpha, subject):
        return {"picture": repr(alpha)}

    def data(self, by_channel, subject, is_written_anew=False):
        return {"picture": {channel: repr(picture) for channel, picture in by_channel.items()}}

    def normal(self, picture, subject):
        return {"picture": repr(picture)}


def changed_shapes(depsgraph):
    """The names of objects whose vertices changed; None where pictures did."""
    objects, shapes = set(), set()
    for update in depsgraph.updates:
        changed = update.id
        if isinstance(changed, bpy.types.Image):
            return None
        if update.is_updated_geometry and isinstance(changed, SHAPES):
            shapes.add(changed.name_full)
        elif update.is_updated_geometry and isinstance(changed, bpy.types.Object) and changed.type in MESH_TYPES:
            objects.add(changed.name)
    if shapes:
        objects.update(shown.name for shown in bpy.data.objects if shown.data and shown.data.name_full in shapes)
    return objects


class SceneLink:
    """What a viewport's server has of the scene."""

    def __init__(self, viewport):
        self.viewport = viewport
        self.exported = None  # Parts of the last export, with the meshes that were sent since
        self.environment = []
        self.snapshot = None

    def update(self, depsgraph):
        """Sends what changed; returns the notes of an export, else nothing."""
        changed = changed_shapes(depsgraph)
        if self.exported is None or self.viewport.must_export or changed is None:
            return self.export(depsgraph)
        try:
            snapshot, renewed = self.look(depsgraph, changed)
        except GeometryChanged:
            return self.export(depsgraph)
        edits = edits_between(self.snapshot, snapshot)
        if edits is None:
            return self.export(depsgraph)
        self.send_meshes(renewed)
        self.viewport.edit(edits)
        self.snapshot = snapshot
        self.environment = snapshot.environment
        return []

    def send_meshes(self, renewed):
        """Sends meshes that changed, and knows them from now on."""
        known = self.exported.meshes.by_key
        for index, (key, parts) in renewed.items():
            self.viewport.send_mesh(self.exported.file.lists["meshes"][index]["name"], parts.file.write_binary)
            # The mesh before is gone, and another one may get its address.
            for old in [old for old, shown in known.items() if shown == index]:
                del known[old]
            known[key] = index

    def export(self, depsgraph):
        """Writes the whole scene and has it read."""
        folder = self.viewport.new_folder()
        parts = Parts(folder)
        parts.add_objects(depsgraph)
        path, self.environment = parts.write(depsgraph, folder)
        parts.file.chunks.clear()  # the arrays are in the file
        self.exported = parts
        self.viewport.load(path, self.environment)
        self.snapshot, _ = self.look(depsgraph, frozenset())
        return parts.notes.lines()

    def look(self, depsgraph, changed):
        """The snapshot of now, and the meshes of objects that `changed` by index. Raises GeometryChanged."""
        parts = Parts(None, KnownMeshes)
        parts.materials.textures = NamedPictures(self.exported.materials.textures)
        parts.meshes.know(self.exported, changed)
        parts.add_objects(depsgraph)
        parts.meshes.check()
        self.add_materials(parts, depsgraph)
        placed = [(index, place.name, place.matrix)
                  for (index, _), places in parts.meshes.places.items() for place in places]
        snapshot = Snapshot(placed=placed + lamp_places(parts.file), materials=parts.file.lists["materials"],
                            lights=light_places(parts.file), lamps=parts.file.lamps,
                            environment=self.environment_of(depsgraph))
        return snapshot, parts.meshes.renewed

    def add_materials(self, parts, depsgraph):
        """Writes the materials that the last export has."""
        by_name = {material.name_full: material for material in bpy.data.materials}
        for key in self.exported.materials.indices:
            material = by_name.get(key[0])
            if material is not None:
                material = material.evaluated_get(depsgraph)
            if parts.materials.attributes(material) != self.exported.materials.attributes(material):
                raise GeometryChanged()
            parts.materials.index_of(material, key)

    def environment_of(self, depsgraph):
        """The options of the world: anew where it changed, in a folder of its own."""
        if not any(isinstance(update.id, bpy.types.World) for update in depsgraph.updates):
            return self.environment
        folder = self.viewport.new_folder()
        return world.environment_arguments(depsgraph.scene_eval.world, folder, self.exported.notes)


def lamp_places(file):
    """The placements of area lights."""
    return [(("lamp", node["name"]), node["name"], numpy.array(node["matrix"]).reshape(4, 4).T)
            for node in file.placed_nodes() if node["name"] in file.lamps]


def light_places(file):
    """The lights of a file with their matrices."""
    nodes = [node for node in file.placed_nodes() if "KHR_lights_punctual" in node.get("extensions", {})]
    return [(file.lights[node["extensions"]["KHR_lights_punctual"]["light"]], node["matrix"]) for node in nodes]
