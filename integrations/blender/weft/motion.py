"""Where meshes and the camera are one frame earlier and later: what the Vector pass needs.

The frames before, now and after become the keys of one animation at 0, 1 and 2 seconds, and the picture
is that of second 1. What stands still has no keys. A mesh that changes its shape gets its other shapes as
morph targets; one with other faces in another frame keeps its shape there, as it does in Cycles.
"""

import numpy

from .meshes import MESH_TYPES, mesh_of

# The options of the picture: frame 1 is second 1.
OPTIONS = ["--frames", "1", "--fps", "1"]


def instance_key(instance):
    """What tells an object or instance of a dependency graph from others in every frame."""
    parent = instance.parent.name if instance.is_instance and instance.parent else None
    return instance.object.name, parent, tuple(instance.persistent_id) if instance.is_instance else ()


class Motion:
    """The frames beside the one that renders. `frame_set` is that of the render engine."""

    def __init__(self, scene, frame_set):
        self.scene = scene
        self.frame_set = frame_set

    def add(self, parts, depsgraph, camera_node):
        """Adds what moves to an export whose placements are there and not yet nodes."""
        frame, subframe = self.scene.frame_current, self.scene.frame_subframe
        camera = self.scene.camera  # of this frame, also where a marker changes it in another
        moments = []
        try:
            for step in (-1, 1):
                self.frame_set(frame + step, subframe)
                moments.append(self.moment(parts.meshes, depsgraph, camera))
        finally:
            self.frame_set(frame, subframe)
        before, after = moments
        for place in parts.meshes.all_places():
            if place.key in before.matrices and place.key in after.matrices:
                place.then = before.matrices[place.key], after.matrices[place.key]
        for index, shape in parts.meshes.shapes.items():
            parts.meshes.add_shapes(index, [moment.shapes.get(shape.name) for moment in moments])
        now = numpy.array(camera_node["matrix"]).reshape(4, 4).T
        if any(not numpy.array_equal(moment.camera, now) for moment in moments):
            parts.file.add_motion(camera_node, [before.camera, now, after.camera])

    @staticmethod
    def moment(meshes, depsgraph, camera):
        """Where things are in the frame that is set."""
        moment = Moment()
        wanted = {shape.name for shape in meshes.shapes.values()}
        for instance in depsgraph.object_instances:
            shown = instance.object
            if not instance.show_self or shown.type not in MESH_TYPES:
                continue
            moment.matrices[instance_key(instance)] = numpy.array(instance.matrix_world, numpy.float64)
            if shown.name in wanted and shown.name not in moment.shapes:
                with mesh_of(shown) as mesh:
                    moment.shapes[shown.name] = None if mesh is None else positions_of(mesh)
        moment.camera = numpy.array(camera.evaluated_get(depsgraph).matrix_world.normalized(), numpy.float64)
        return moment


class Moment:
    """A frame: matrices of instances by instance_key(), positions of vertices by object, the camera's matrix."""

    def __init__(self):
        self.matrices = {}
        self.shapes = {}
        self.camera = None


def positions_of(mesh):
    """The places of all vertices of a mesh, in space of the object."""
    positions = numpy.empty(len(mesh.vertices) * 3, numpy.float32)
    mesh.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3)
