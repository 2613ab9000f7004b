"""A scene of Blender as a folder that `weft render` reads: scene.gltf, its buffer and pictures.

Everything is read from the dependency graph of the render: modifiers, instances, visibility and the
frame are those that Cycles would render.
"""

from dataclasses import dataclass

from . import cameras, lights, world
from .gltf_file import GltfFile
from .materials import Materials
from .meshes import MESH_TYPES, Meshes
from .notes import Notes
from .textures import Textures

# Kinds of objects that have a picture in Cycles and none in Weft.
LEFT_OUT = {"VOLUME": "volumes are left out", "CURVES": "hair curves are left out",
            "POINTCLOUD": "point clouds are left out", "GPENCIL": "grease pencil is left out"}


@dataclass
class Exported:
    """What an export made."""

    path: str  # of scene.gltf
    environment: list  # options of the world
    view: cameras.View
    notes: Notes
    instance_meshes: list  # the name of the mesh of every instance


def export_scene(depsgraph, folder):
    """Writes the scene of a dependency graph into a folder. Raises CameraFault."""
    scene = depsgraph.scene_eval
    notes = Notes()
    file = GltfFile()
    materials = Materials(file, Textures(file, folder, notes), notes)
    meshes = Meshes(file, materials)
    if scene.camera is None:
        raise cameras.CameraFault("The scene has no camera")
    for instance in depsgraph.object_instances:
        add_instance(instance, file, meshes, notes)
    meshes.write_nodes()
    camera = scene.camera.evaluated_get(depsgraph)
    view = cameras.add_camera(file, camera, depsgraph, scene.render, notes)
    if meshes.farthest(camera.matrix_world.normalized()) > camera.data.clip_end:
        notes.add(f"Camera {camera.name}", "what is beyond the end of its clip distances is seen")
    environment = world.environment_arguments(scene.world, folder, notes)
    note_scene(scene, notes)
    return Exported(file.write(folder), environment, view, notes, file.instance_meshes())


def add_instance(instance, file, meshes, notes):
    """Adds one object or instance of the dependency graph."""
    shown = instance.object
    if not instance.show_self:
        return
    if shown.type in MESH_TYPES:
        meshes.add(shown, instance.matrix_world)
    elif shown.type == "LIGHT":
        lights.add_light(file, shown, instance.matrix_world.copy(), notes)
    elif shown.type in LEFT_OUT:
        notes.add(f"Object {shown.name}", LEFT_OUT[shown.type])
    for system in getattr(shown, "particle_systems", []):
        if system.settings.type == "HAIR" and system.settings.render_type == "PATH":
            notes.add(f"Object {shown.name}", "hair is left out")


def note_scene(scene, notes):
    """What the scene as a whole asks for and Weft does not do."""
    if scene.render.use_motion_blur:
        notes.add("Scene", "motion blur is left out")
    if scene.render.use_multiview:
        notes.add("Scene", "one view is rendered, not stereo")
