"""shapes.py: the shapes that make_scenes.py builds scenes from, as lists of vertices and triangles.

A shape is {"positions", "normals", "uvs", "triangles"} and sometimes "tangents"; Y is up, triangles run counter-clockwise
seen from outside.
"""
import math

from vectors import cross, unit


def join(*shapes):
    """Several shapes as one; attributes that not all of them have are left out."""
    whole = {"triangles": []}
    keys = [k for k in ("positions", "normals", "uvs") if all(s.get(k) for s in shapes)]
    for key in keys:
        whole[key] = [row for shape in shapes for row in shape[key]]
    first = 0
    for shape in shapes:
        whole["triangles"] += [[i + first for i in t] for t in shape["triangles"]]
        first += len(shape["positions"])
    return whole


def moved(shape, by=(0, 0, 0), scale=(1, 1, 1), turn_y=0.0):
    """A copy: scaled, turned about Y by degrees, then moved. Normals assume an even scale per axis sign."""
    c, s = math.cos(math.radians(turn_y)), math.sin(math.radians(turn_y))
    def turned(p):
        return [c * p[0] + s * p[2], p[1], c * p[2] - s * p[0]]
    copy = dict(shape)
    copy["positions"] = [[a + b for a, b in zip(turned([x * k for x, k in zip(p, scale)]), by)]
                         for p in shape["positions"]]
    copy["normals"] = [turned(unit([x / k for x, k in zip(n, scale)])) for n in shape["normals"]]
    return copy


def quad(origin, edge_u, edge_v, repeat=(1, 1)):
    """Front side where cross(edge_u, edge_v) points; the picture's top is at the far end of edge_v."""
    normal = unit(cross(edge_u, edge_v))
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    return {"positions": [[o + a * u + b * v for o, u, v in zip(origin, edge_u, edge_v)] for a, b in corners],
            "normals": [normal] * 4, "uvs": [[a * repeat[0], (1 - b) * repeat[1]] for a, b in corners],
            "triangles": [[0, 1, 2], [0, 2, 3]]}


def box(width, height, depth, repeat=1.0):
    """Centred; uv in metres times `repeat`."""
    w, h, d = width / 2, height / 2, depth / 2
    faces = [((-w, -h, d), (2 * w, 0, 0), (0, 2 * h, 0)), ((w, -h, -d), (-2 * w, 0, 0), (0, 2 * h, 0)),
             ((w, -h, d), (0, 0, -2 * d), (0, 2 * h, 0)), ((-w, -h, -d), (0, 0, 2 * d), (0, 2 * h, 0)),
             ((-w, h, d), (2 * w, 0, 0), (0, 0, -2 * d)), ((-w, -h, -d), (2 * w, 0, 0), (0, 0, 2 * d))]
    return join(*[quad(o, u, v, (repeat * max(map(abs, u)), repeat * max(map(abs, v)))) for o, u, v in faces])


def rounded_box(width, height, depth, radius, steps=3, repeat=1.0):
    """Centred, with round edges and corners."""
    half = [width / 2, height / 2, depth / 2]
    def ticks(h):
        bevel = [radius * i / steps for i in range(steps + 1)]
        return [-h + b for b in bevel] + [h - b for b in reversed(bevel)]
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    for axis in range(3):
        for sign in (-1, 1):
            u_axis, v_axis = (axis + 1) % 3, (axis + 2) % 3
            us, vs = ticks(half[u_axis]), ticks(half[v_axis])
            first = len(shape["positions"])
            for v in vs:
                for u in us:
                    p = [0, 0, 0]
                    p[axis], p[u_axis], p[v_axis] = sign * half[axis], u, v
                    inner = [max(-(h - radius), min(h - radius, x)) for h, x in zip(half, p)]
                    normal = unit([a - b for a, b in zip(p, inner)])
                    shape["positions"].append([a + radius * n for a, n in zip(inner, normal)])
                    shape["normals"].append(normal)
                    shape["uvs"].append([u * repeat, v * repeat])
            n = len(us)
            for j in range(len(vs) - 1):
                for i in range(n - 1):
                    a = first + j * n + i
                    ring = [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
                    shape["triangles"] += ring if sign > 0 else [[t[0], t[2], t[1]] for t in ring]
    return shape


def lathe(profile, around=48, is_smooth=True):
    """Turns a list of (radius, height) about Y. Walk the profile upwards on the outside. Points at equal places make an edge."""
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    count = len(profile)
    slopes = []
    for i in range(count - 1):
        dr, dy = profile[i + 1][0] - profile[i][0], profile[i + 1][1] - profile[i][1]
        length = math.hypot(dr, dy)
        slopes.append((dy / length, -dr / length) if length > 1e-9 else None)
    for i, (r, y) in enumerate(profile):
        near = [s for s in (slopes[i - 1] if i else None, slopes[i] if i < count - 1 else None) if s]
        nr, ny = sum(s[0] for s in near), sum(s[1] for s in near)
        length = math.hypot(nr, ny) or 1
        for k in range(around + 1):
            angle = 2 * math.pi * k / around
            c, s = math.cos(angle), -math.sin(angle)
            shape["positions"].append([r * c, y, r * s])
            shape["normals"].append([nr / length * c, ny / length, nr / length * s])
            shape["uvs"].append([k / around, 1 - i / (count - 1)])
    n = around + 1
    for i in range(count - 1):
        if slopes[i] is None:
            continue
        for k in range(around):
            a, b = i * n + k, (i + 1) * n + k
            if profile[i][0] > 1e-9:
                shape["triangles"].append([a, a + 1, b + 1])
            if profile[i + 1][0] > 1e-9:
                shape["triangles"].append([a, b + 1, b])
    return shape


def cylinder(radius, height, around=32):
    """Stands on Y = 0, with caps and sharp rims."""
    r, h = radius, height
    return lathe([(0, 0), (r, 0), (r, 0), (r, h), (r, h), (0, h)], around)


def cone(radius, height, around=24):
    return lathe([(0, 0), (radius, 0), (radius, 0), (0.0, height)], around)


def sphere(radius, around=48, rings=24, has_tangents=False):
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    tangents = []
    for j in range(rings + 1):
        theta = math.pi * j / rings
        for k in range(around + 1):
            phi = 2 * math.pi * k / around
            n = [math.sin(theta) * math.cos(phi), math.cos(theta), -math.sin(theta) * math.sin(phi)]
            shape["positions"].append([radius * x for x in n])
            shape["normals"].append(n)
            shape["uvs"].append([k / around, j / rings])
            tangents.append([-math.sin(phi), 0, -math.cos(phi), 1])
    n = around + 1
    for j in range(rings):
        for k in range(around):
            a, b = j * n + k, (j + 1) * n + k
            if j > 0:
                shape["triangles"].append([a, b, a + 1])
            if j < rings - 1:
                shape["triangles"].append([a + 1, b, b + 1])
    if has_tangents:
        shape["tangents"] = tangents
    return shape


def torus(radius, thickness, around=48, sides=20):
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    for k in range(around + 1):
        a = 2 * math.pi * k / around
        for j in range(sides + 1):
            b = 2 * math.pi * j / sides
            n = [math.cos(b) * math.cos(a), math.sin(b), -math.cos(b) * math.sin(a)]
            centre = [radius * math.cos(a), 0, -radius * math.sin(a)]
            shape["positions"].append([c + thickness * x for c, x in zip(centre, n)])
            shape["normals"].append(n)
            shape["uvs"].append([k / around, j / sides])
    n = sides + 1
    for k in range(around):
        for j in range(sides):
            a, b = k * n + j, (k + 1) * n + j
            shape["triangles"] += [[a, b, b + 1], [a, b + 1, a + 1]]
    return shape


def rod(start, end, radius, around=10):
    """A round stick between two points, without caps."""
    axis = unit([b - a for a, b in zip(start, end)])
    side = unit(cross(axis, [1, 0, 0] if abs(axis[0]) < 0.9 else [0, 1, 0]))
    other = cross(axis, side)
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    for k in range(around + 1):
        angle = 2 * math.pi * k / around
        n = [math.cos(angle) * a + math.sin(angle) * b for a, b in zip(side, other)]
        for t, point in enumerate((start, end)):
            shape["positions"].append([p + radius * x for p, x in zip(point, n)])
            shape["normals"].append(n)
            shape["uvs"].append([k / around, 1 - t])
    for k in range(around):
        a = 2 * k
        shape["triangles"] += [[a, a + 2, a + 3], [a, a + 3, a + 1]]
    return shape


def leaf(length, width, bend, segments=5):
    """A strip from the origin outwards along +X that rises and falls over: bend is its droop in degrees."""
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    x = y = 0.0
    for i in range(segments + 1):
        t = i / segments
        angle = math.radians(55 - bend * t)
        if i:
            x += length / segments * math.cos(angle)
            y += length / segments * math.sin(angle)
        normal = [-math.sin(angle), math.cos(angle), 0]
        for side in (-1, 1):
            shape["positions"].append([x, y, side * width / 2])
            shape["normals"].append(normal)
            shape["uvs"].append([0.5 + side / 2, 1 - t])
    for i in range(segments):
        a = 2 * i
        shape["triangles"] += [[a, a + 1, a + 3], [a, a + 3, a + 2]]
    return shape


def heightfield(side, cells, height):
    """A square on the ground plane; height(x, z) in metres."""
    step = side / cells
    shape = {"positions": [], "normals": [], "uvs": [], "triangles": []}
    for j in range(cells + 1):
        for i in range(cells + 1):
            x, z = i * step - side / 2, side / 2 - j * step
            e = step / 2
            shape["positions"].append([x, height(x, z), z])
            shape["normals"].append(unit([(height(x - e, z) - height(x + e, z)) / step, 1,
                                          (height(x, z - e) - height(x, z + e)) / step]))
            shape["uvs"].append([i / cells, 1 - j / cells])
    n = cells + 1
    for j in range(cells):
        for i in range(cells):
            a = j * n + i
            shape["triangles"] += [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
    return shape


def check(shape, name="shape"):
    """Every triangle must face the way its vertex normals do; degenerate ones are not allowed."""
    for t in shape["triangles"]:
        a, b, c = (shape["positions"][i] for i in t)
        face = cross([y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)])
        area = math.sqrt(sum(x * x for x in face))
        assert area > 1e-12, name + ": a triangle has no area"
        toward = [sum(shape["normals"][i][k] for i in t) for k in range(3)]
        assert sum(x * y for x, y in zip(face, toward)) > 0, name + ": a triangle is turned round"
