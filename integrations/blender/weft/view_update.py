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
    """An object shows a mesh that the last export does not hold."""


class KnownMeshes(Meshes):
    """Objects with the meshes of an earlier export; reads no geometry."""

    def add_geometry(self, instance_object):
        raise GeometryChanged()


class NamedPictures:
    """Stands for the textures of a file: says which pictures there are, and writes none."""

    def color(self, picture, alpha, subject, gain=(1.0, 1.0, 1.0)):
        return {"picture": (repr(picture), repr(alpha), gain)}

    def alpha_alone(self, alpha, subject):
        return {"picture": repr(alpha)}

    def data(self, by_channel, subject, is_written_anew=False):
        return {"picture": {channel: repr(picture) for channel, picture in by_channel.items()}}

    def normal(self, picture, subject):
        return {"picture": repr(picture)}

    def mean(self, picture):
        return 1.0


def changes_shapes(depsgraph):
    """Whether the updates say that vertices or pictures changed."""
    for update in depsgraph.updates:
        changed = update.id
        is_shape = isinstance(changed, SHAPES) or (
            isinstance(changed, bpy.types.Object) and changed.type in MESH_TYPES)
        if (is_shape and update.is_updated_geometry) or isinstance(changed, bpy.types.Image):
            return True
    return False


class SceneLink:
    """What a viewport's server has of the scene."""

    def __init__(self, viewport):
        self.viewport = viewport
        self.exported = None  # Parts of the last export
        self.environment = []
        self.snapshot = None

    def update(self, depsgraph):
        """Sends what changed; returns the notes of an export, else nothing."""
        if self.exported is None or self.viewport.must_export or changes_shapes(depsgraph):
            return self.export(depsgraph)
        try:
            snapshot = self.look(depsgraph)
        except GeometryChanged:
            return self.export(depsgraph)
        edits = edits_between(self.snapshot, snapshot)
        if edits is None:
            return self.export(depsgraph)
        self.viewport.edit(edits)
        self.snapshot = snapshot
        self.environment = snapshot.environment
        return []

    def export(self, depsgraph):
        """Writes the whole scene and has it read."""
        folder = self.viewport.new_folder()
        parts = Parts(folder)
        parts.add_objects(depsgraph)
        path, self.environment = parts.write(depsgraph, folder)
        parts.file.chunks.clear()  # the arrays are in the file
        self.exported = parts
        self.viewport.load(path, self.environment)
        self.snapshot = self.look(depsgraph)
        return parts.notes.lines()

    def look(self, depsgraph):
        """The snapshot of now. Raises GeometryChanged."""
        parts = Parts(None, KnownMeshes)
        parts.materials.textures = NamedPictures()
        parts.meshes.by_key = dict(self.exported.meshes.by_key)
        parts.add_objects(depsgraph)
        self.add_materials(parts, depsgraph)
        shapes = {index: key for key, index in parts.meshes.by_key.items() if index is not None}
        placed = [(shapes[index], place.name, place.matrix)
                  for (index, _), places in parts.meshes.places.items() for place in places]
        return Snapshot(placed=placed + lamp_places(parts.file), materials=parts.file.lists["materials"],
                        lights=light_places(parts.file), lamps=parts.file.lamps,
                        environment=self.environment_of(depsgraph))

    def add_materials(self, parts, depsgraph):
        """Writes the materials that the last export has."""
        by_name = {material.name_full: material for material in bpy.data.materials}
        for name, second in self.exported.materials.indices:
            material = by_name.get(name)
            if material is not None:
                material = material.evaluated_get(depsgraph)
            parts.materials.index_of(material, ["", second] if second else [""])

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
