"""A scene of Blender as a folder that `weft render` reads: scene.gltf, its buffer and pictures.

Everything is read from the dependency graph of the render: modifiers, instances, visibility and the
frame are those that Cycles would render.
"""

from dataclasses import dataclass

from . import cameras, lights, world
from .gltf_file import GltfFile
from .materials import Materials
from .meshes import MESH_TYPES, Meshes
from .motion import instance_key
from .notes import Notes
from .textures import Textures

# Kinds of objects that have a picture in Cycles and none in Weft.
LEFT_OUT = {"VOLUME": "volumes are left out", "CURVES": "hair curves are left out",
            "POINTCLOUD": "point clouds are left out", "GPENCIL": "grease pencil is left out"}


# Properties of objects that Cycles heeds, what they are by default, and what Weft does instead.
OBJECT_SETTINGS = [
    ("visible_camera", True, "the camera sees it"), ("visible_diffuse", True, "diffuse rays see it"),
    ("visible_glossy", True, "glossy rays see it"), ("visible_transmission", True, "transmitted rays see it"),
    ("visible_shadow", True, "it casts shadows"), ("is_shadow_catcher", False, "it is no shadow catcher"),
    ("is_holdout", False, "it is no holdout")]
# A light is seen by light samples alone.
LIGHT_SETTINGS = OBJECT_SETTINGS[1:4]

# The same of a view layer, and of the world's visibility.
LAYER_SETTINGS = [
    ("material_override", None, "its material override is left out"), ("use_sky", True, "the world is there"),
    ("use_solid", True, "surfaces are there"), ("samples", 0, "it has the samples of the scene")]
WORLD_SETTINGS = [(name, True, f"{what} it") for name, what in (
    ("camera", "the camera sees"), ("diffuse", "diffuse rays see"), ("glossy", "glossy rays see"),
    ("transmission", "transmitted rays see"))]


@dataclass
class Exported:
    """What an export made."""

    path: str  # of scene.gltf
    environment: list  # options of the world
    view: cameras.View
    notes: Notes
    instance_meshes: list  # the name of the mesh of every instance
    node_names: set  # of what shines or is seen
    has_keys: bool  # it is an animation of three frames (motion.py)


def export_scene(depsgraph, folder, motion=None):
    """Writes the scene of a dependency graph into a folder, with what moves if `motion` is given. Raises CameraFault."""
    scene = depsgraph.scene_eval
    if scene.camera is None:
        raise cameras.CameraFault("The scene has no camera")
    parts = Parts(folder, lambda *lists: Meshes(*lists, keeps_shapes=motion is not None))
    parts.add_objects(depsgraph)
    camera = scene.camera.evaluated_get(depsgraph)
    view, camera_node = cameras.add_camera(parts.file, camera, depsgraph, scene.render, parts.notes)
    if parts.meshes.farthest(camera.matrix_world.normalized()) > camera.data.clip_end:
        parts.notes.add(f"Camera {camera.name}", "what is beyond the end of its clip distances is seen")
    if motion is not None:
        motion.add(parts, depsgraph, camera_node)
    path, environment = parts.write(depsgraph, folder)
    names = {node["name"] for node in parts.file.placed_nodes()}
    return Exported(path, environment, view, parts.notes, parts.file.instance_meshes(), names, bool(parts.file.keys))


class Parts:
    """The parts of an export that grow while objects are added."""

    def __init__(self, folder, make_meshes=Meshes):
        self.notes = Notes()
        self.file = GltfFile()
        self.materials = Materials(self.file, Textures(self.file, folder, self.notes), self.notes)
        self.meshes = make_meshes(self.file, self.materials)

    def add_objects(self, depsgraph):
        """Adds all that a dependency graph shows."""
        seen = set()
        for instance in depsgraph.object_instances:
            add_instance(instance, self.file, self.meshes, self.notes)
            if instance.show_self and instance.object.name not in seen:
                seen.add(instance.object.name)
                note_object(instance.object, depsgraph.view_layer, self.notes)

    def write(self, depsgraph, folder):
        """Writes the scene; returns the path of scene.gltf and the options of the world."""
        scene = depsgraph.scene_eval
        self.meshes.write_nodes()
        environment = world.environment_arguments(scene.world, folder, self.notes)
        note_scene(scene, depsgraph.view_layer, self.notes)
        return self.file.write(folder), environment


def add_instance(instance, file, meshes, notes):
    """Adds one object or instance of the dependency graph."""
    shown = instance.object
    if not instance.show_self:
        return
    if shown.type in MESH_TYPES:
        meshes.add(shown, instance.matrix_world, instance_key(instance))
    elif shown.type == "LIGHT":
        lights.add_light(file, shown, instance.matrix_world.copy(), notes)
    elif shown.type in LEFT_OUT:
        notes.add(f"Object {shown.name}", LEFT_OUT[shown.type])
    for system in getattr(shown, "particle_systems", []):
        if system.settings.type == "HAIR" and system.settings.render_type == "PATH":
            notes.add(f"Object {shown.name}", "hair is left out")


def note_settings(subject, holder, settings, notes):
    """A sentence for each property that is not as it is by default."""
    for name, default, sentence in settings:
        if getattr(holder, name, default) != default:
            notes.add(subject, sentence)


def note_object(shown, layer, notes):
    """What an object and its collections ask for and Weft does not do."""
    if shown.type not in MESH_TYPES | {"LIGHT"}:
        return
    kind = "Light" if shown.type == "LIGHT" else "Object"
    subject = f"{kind} {shown.data.name_full if kind == 'Light' else shown.name}"
    note_settings(subject, shown, LIGHT_SETTINGS if kind == "Light" else OBJECT_SETTINGS, notes)
    try:
        is_held, is_indirect = (ask(view_layer=layer) for ask in (
            shown.original.holdout_get, shown.original.indirect_only_get))
    except RuntimeError:  # an object that the layer shows through an instance only
        return
    if is_held:
        notes.add(subject, "it is no holdout")
    if is_indirect:
        notes.add(subject, "the camera sees it")


def note_scene(scene, layer, notes):
    """What the scene as a whole asks for and Weft does not do."""
    if scene.render.use_motion_blur:
        notes.add("Scene", "motion blur is left out")
    if scene.render.use_multiview:
        notes.add("Scene", "one view is rendered, not stereo")
    note_settings(f"View layer {layer.name}", layer, LAYER_SETTINGS, notes)
    if scene.world is not None:
        note_settings(f"World {scene.world.name_full}", getattr(scene.world, "cycles_visibility", None),
                      WORLD_SETTINGS, notes)
