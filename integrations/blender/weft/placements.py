"""Where pictures lie: chains of mappings as one offset, rotation and scale of the plane."""

import math

import numpy

PLAIN = ((0.0, 0.0), 0.0, (1.0, 1.0))
AXES = {"X": 0, "Y": 1, "Z": 2}


def rotation_matrix(angles):
    """Blender's rotation about x, then y, then z."""
    (cx, cy, cz), (sx, sy, sz) = numpy.cos(angles), numpy.sin(angles)
    about_x = numpy.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = numpy.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = numpy.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def mapping_matrix(kind, location, rotation, scale):
    """The 4 by 4 matrix of a mapping; None for one that has none."""
    if kind == "NORMAL":
        return None
    matrix = numpy.eye(4)
    matrix[:3, :3] = rotation_matrix(rotation) @ numpy.diag(scale)
    if kind != "VECTOR":
        matrix[:3, 3] = location
    if kind != "TEXTURE":
        return matrix
    return numpy.linalg.inv(matrix) if min(abs(x) for x in scale) > 0 else None


def own_mapping(mapping):
    """The matrix of the mapping that every texture node has; None for one that has none."""
    axes = (mapping.mapping_x, mapping.mapping_y, mapping.mapping_z)
    if mapping.use_min or mapping.use_max:
        return None
    matrix = mapping_matrix(mapping.vector_type, mapping.translation, mapping.rotation, mapping.scale)
    if matrix is None or axes == ("X", "Y", "Z"):
        return matrix
    chosen = numpy.zeros((4, 4))
    chosen[3, 3] = 1
    for row, axis in enumerate(axes):
        if axis in AXES:
            chosen[row, AXES[axis]] = 1
    return matrix @ chosen


def flat(matrix):
    """((offset, rotation, scale), is_exact) of a matrix for points whose third coordinate is 0."""
    (a, b), (c, d) = matrix[:2, :2]
    offset = (float(matrix[0, 3]), float(matrix[1, 3]))
    first, second = math.hypot(a, c), math.hypot(b, d)
    # The first axis tells the rotation, or the second where the first one has no length.
    rotation = math.atan2(c, a) if first > 0 else math.atan2(-b, d)
    across = second if a * d - b * c >= 0 or first == 0 else -second
    is_exact = abs(a * b + c * d) <= 1e-6 * max(first * second, 1e-30)
    return (offset, rotation, (first, across)), is_exact


def constant_place(matrix, point):
    """The same for a picture of which one point shows everywhere."""
    place = matrix @ numpy.array([*point, 1.0])
    return (float(place[0]), float(place[1])), 0.0, (0.0, 0.0)
