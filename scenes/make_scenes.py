#!/usr/bin/env python3
"""make_scenes.py: writes the example scenes of this folder (run it here; no packages are needed).

The scripts are the source; the .gltf files beside them are their output and are committed so that a newcomer can render
without running anything. README.md says what each scene shows.
"""
import math
import os
import sys

sys.dont_write_bytecode = True  # keeps this folder clean

from gltf_writer import Scene, look_at, png, then, turn
from interior import interior
from shapes import box, heightfield, join, lathe, leaf, moved, quad, rounded_box, sphere, torus
from vectors import hashed


def hue(h, saturation=0.7, value=0.9):
    ramp = [min(1, max(0, abs((h * 6 + shift) % 6 - 3) - 1)) for shift in (0, 4, 2)]
    return [value * (1 - saturation + saturation * x) for x in ramp]


def checker(scene, name, light, dark, squares=2):
    return scene.texture(name, png(8 * squares, 8 * squares,
                                   lambda x, y: light if (x // 8 + y // 8) % 2 == 0 else dark))


def cornell():
    s = Scene("cornell")
    white = s.material("white", (0.73, 0.72, 0.69), roughness=1)
    red = s.material("red", (0.62, 0.06, 0.05), roughness=1)
    green = s.material("green", (0.11, 0.44, 0.10), roughness=1)
    light = s.material("light", (0.8, 0.8, 0.8), roughness=1, emit=(1.0, 0.72, 0.42), emit_strength=20)
    s.put("floor", quad((-1, 0, 1), (2, 0, 0), (0, 0, -2)), white)
    s.put("ceiling", quad((-1, 2, -1), (2, 0, 0), (0, 0, 2)), white)
    s.put("back wall", quad((-1, 0, -1), (2, 0, 0), (0, 2, 0)), white)
    s.put("left wall", quad((-1, 0, 1), (0, 0, -2), (0, 2, 0)), red)
    s.put("right wall", quad((1, 0, -1), (0, 0, 2), (0, 2, 0)), green)
    # A lamp with closed sides: an open panel would light the gap above it, where paths can be caught.
    s.put("lamp housing", join(quad((-0.26, 1.97, 0.22), (0.52, 0, 0), (0, 0.03, 0)), quad((0.26, 1.97, -0.22), (-0.52, 0, 0), (0, 0.03, 0)),
                               quad((-0.26, 1.97, -0.22), (0, 0, 0.44), (0, 0.03, 0)), quad((0.26, 1.97, 0.22), (0, 0, -0.44), (0, 0.03, 0))), white)
    s.put("light", quad((-0.26, 1.97, -0.22), (0.52, 0, 0), (0, 0, 0.44)), light)
    s.put("tall box", box(0.6, 1.2, 0.6), white, at=(-0.34, 0.6, -0.32), rotation=turn("y", 18))
    s.put("short box", box(0.6, 0.6, 0.6), white, at=(0.36, 0.3, 0.34), rotation=turn("y", -17))
    s.camera((0, 1, 3.9), (0, 1, 0), 38.5, aspect=1)
    return s


def furnace():
    s = Scene("furnace")
    ball = sphere(0.5)
    kinds = [("matte", dict(roughness=1, specular={"specularFactor": 0})),
             ("glossy", dict(roughness=0.3)),
             ("metal", dict(metallic=1, roughness=0.5)),
             ("glass", dict(roughness=0, transmission={"transmissionFactor": 1}, volume={"thicknessFactor": 1}))]
    for i, (name, keys) in enumerate(kinds):
        s.put(name, ball, s.material(name, (1, 1, 1), **keys), at=(1.2 * (i - 1.5), 0, 0))
    s.camera((0, 0, 7), (0, 0, 0), 24)
    return s


def studio(s, width, depth, height):
    """A grey room with soft boxes, open towards the camera."""
    tiles = checker(s, "studio tiles", (150, 150, 150), (112, 112, 112))
    floor = s.material("studio floor", (1, 1, 1), roughness=0.7, map=tiles)
    wall = s.material("studio wall", (0.42, 0.43, 0.45), roughness=0.9)
    w, d = width / 2, depth / 2
    s.put("studio floor", quad((-w, 0, d), (width, 0, 0), (0, 0, -depth), (width, depth)), floor)
    s.put("studio back", quad((-w, 0, -d), (width, 0, 0), (0, height, 0)), wall)
    s.put("studio left", quad((-w, 0, d), (0, 0, -depth), (0, height, 0)), wall)
    s.put("studio right", quad((w, 0, -d), (0, 0, depth), (0, height, 0)), wall)
    key = s.material("soft box", (0.8, 0.8, 0.8), emit=(1, 0.96, 0.9), emit_strength=7)
    rim = s.material("strip light", (0.8, 0.8, 0.8), emit=(0.75, 0.87, 1), emit_strength=6)
    s.put("soft box", quad((-0.35 * width, 0.97 * height, -0.25 * depth), (0.7 * width, 0, 0), (0, 0, 0.4 * depth)), key)
    s.put("left strip", quad((-0.97 * w, 0.25 * height, 0.5 * d), (0, 0, -0.8 * d), (0, 0.5 * height, 0)), rim)
    s.put("right strip", quad((0.97 * w, 0.25 * height, -0.3 * d), (0, 0, 0.8 * d), (0, 0.5 * height, 0)), rim)


def material_grid():
    s = Scene("material_grid")
    studio(s, 14, 13, 7)
    ball = sphere(0.42, has_tangents=True)
    base = s.material("socket", (0.05, 0.05, 0.055), roughness=0.4)
    socket = lathe([(0, 0), (0.34, 0), (0.34, 0), (0.26, 0.1), (0.26, 0.1), (0, 0.1)])
    def rows(t):
        rough = 0.02 + 0.98 * t
        yield "metal", dict(color=(1.0, 0.76, 0.33), metallic=1, roughness=rough)
        yield "plastic", dict(color=(0.6, 0.04, 0.03), roughness=rough)
        yield "coat", dict(color=(0.02, 0.10, 0.42), metallic=0.3, roughness=0.6,
                           clearcoat={"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.6 * t})
        yield "sheen", dict(color=(0.12, 0.02, 0.14), roughness=0.9,
                            sheen={"sheenColorFactor": [0.85, 0.45, 0.9], "sheenRoughnessFactor": 0.1 + 0.9 * t})
        yield "thin glass", dict(color=(0.55, 0.85, 0.75), roughness=t,
                                 transmission={"transmissionFactor": 1})
        yield "solid glass", dict(color=(1, 1, 1), roughness=0.6 * t, transmission={"transmissionFactor": 1},
                                  ior={"ior": 1.5}, volume={"thicknessFactor": 0.84, "attenuationDistance": 0.5,
                                                            "attenuationColor": [0.95, 0.62, 0.25]})
        yield "iridescence", dict(color=(0.35, 0.35, 0.38), metallic=1, roughness=0.18,
                                  iridescence={"iridescenceFactor": 1, "iridescenceIor": 1.6,
                                               "iridescenceThicknessMinimum": 100,
                                               "iridescenceThicknessMaximum": 150 + 600 * t})
        yield "anisotropy", dict(color=(0.80, 0.78, 0.75), metallic=1, roughness=0.35,
                                 anisotropy={"anisotropyStrength": t, "anisotropyRotation": 0.0})
    columns = 8
    for column in range(columns):
        for row, (name, keys) in enumerate(rows(column / (columns - 1))):
            full = "%s %d" % (name, column)
            at = (1.06 * (column - 3.5), 0.02 + 0.14 * row, 3.3 - 0.98 * row)
            mesh = s.mesh(full, (ball, s.material(full, **keys)))
            s.node(full, mesh=mesh, at=(at[0], at[1] + 0.50, at[2]))
            s.put("socket", socket, base, at=at)
    for row in range(8):
        step = box(9.2, 0.02 + 0.14 * row, 0.98)
        s.put("step", step, base, at=(0, (0.02 + 0.14 * row) / 2, 3.3 - 0.98 * row))
    s.camera((0, 6.2, 10.2), (0, 0.65, -0.2), 35)
    return s


def many_lights():
    s = Scene("many_lights")
    floor = s.material("floor", (0.45, 0.45, 0.47), roughness=0.35)
    stone = s.material("stone", (0.7, 0.68, 0.64), roughness=0.8)
    metal = s.material("steel", (0.75, 0.75, 0.78), metallic=1, roughness=0.25)
    s.put("floor", quad((-20, 0, 14), (40, 0, 0), (0, 0, -21)), floor)
    s.put("back wall", quad((-20, 0, -7), (40, 0, 0), (0, 8, 0)), stone)
    column = s.mesh("column", (lathe([(0.5, 0), (0.5, 0.25), (0.5, 0.25), (0.3, 0.4), (0.26, 2.2), (0.42, 2.4), (0.42, 2.4),
                                      (0.42, 2.6), (0.42, 2.6), (0, 2.6)]), stone))
    ball = s.mesh("ball", (sphere(0.35), metal))
    block = s.mesh("block", (rounded_box(0.7, 0.7, 0.7, 0.06), stone))
    for i in range(49):
        x, z = (i % 7 - 3) * 2.2, (i // 7 - 3) * 1.9
        kind = (i + i // 7) % 3
        mesh, y = ((column, 0), (ball, 0.35), (block, 0.35))[kind]
        s.node("thing %d" % i, mesh=mesh, at=(x, y, z), rotation=turn("y", 360 * hashed(i, 1)))
    panel = quad((-0.14, 0, -0.14), (0.28, 0, 0), (0, 0, 0.28))
    glows = [s.material("glow %d" % k, (0.8, 0.8, 0.8), emit=hue(k / 12), emit_strength=22) for k in range(12)]
    panels = [s.mesh("panel %d" % k, (panel, glow)) for k, glow in enumerate(glows)]
    for i in range(144):
        x, z = (i % 12 - 5.5) * 1.35, (i // 12 - 5.5) * 1.15
        s.node("panel %d" % i, mesh=panels[int(12 * hashed(i, 2))],
               at=(x + 0.5 * hashed(i, 3), 2.9 + 0.8 * hashed(i, 4), z + 0.5 * hashed(i, 5)),
               rotation=then(turn("x", 40 * (hashed(i, 6) - 0.5)), turn("z", 40 * (hashed(i, 7) - 0.5))))
    for i in range(16):
        eye = (15 * (hashed(i, 8) - 0.5), 0.25, 13 * (hashed(i, 9) - 0.5))
        s.light("point %d" % i, "point", hue(hashed(i, 10)), 1.2, eye, (eye[0], 0, eye[2]))
    for i in range(10):
        x = -7 + 14 * i / 9
        s.light("spot %d" % i, "spot", hue(i / 10, 0.5, 1), 45, (x, 5.2, -4.2), (x, 1.5, -7), 40)
    s.camera((3.6, 2.25, 10.6), (-0.3, 1.55, -1.0), 42)
    return s


def door():
    """A dark room beside a lit one: all its light comes through a door that stands ajar."""
    s = Scene("door")
    plaster = s.material("plaster", (0.80, 0.77, 0.72), roughness=0.95)
    planks = s.material("planks", (0.46, 0.31, 0.19), roughness=0.55)
    paint = s.material("paint", (0.32, 0.42, 0.50), roughness=0.6)
    def room(name, z, depth):
        s.put(name + " floor", quad((-2.4, 0, z), (4.8, 0, 0), (0, 0, -depth)), planks)
        s.put(name + " ceiling", quad((-2.4, 2.6, z - depth), (4.8, 0, 0), (0, 0, depth)), plaster)
        s.put(name + " left wall", quad((-2.4, 0, z), (0, 0, -depth), (0, 2.6, 0)), plaster)
        s.put(name + " right wall", quad((2.4, 0, z - depth), (0, 0, depth), (0, 2.6, 0)), plaster)
    room("dark room", 4.6, 4.6)
    room("lit room", 0, 4)
    s.put("front wall", quad((2.4, 0, 4.6), (-4.8, 0, 0), (0, 2.6, 0)), plaster)
    s.put("back wall", quad((-2.4, 0, -4), (4.8, 0, 0), (0, 2.6, 0)), plaster)
    # The wall between the rooms, around a doorway of 0.9 by 2.05 m.
    for name, size, at in (("wall on the left", (1.95, 2.6, 0.12), (-1.425, 1.3, 0)), ("wall on the right", (1.95, 2.6, 0.12), (1.425, 1.3, 0)),
                           ("lintel", (0.9, 0.55, 0.12), (0, 2.325, 0))):
        s.put(name, box(*size), plaster, at=at)
    hinge = s.node("door", at=(-0.44, 0, 0.07), rotation=turn("y", -28))
    s.put("door leaf", box(0.88, 2.02, 0.04), paint, at=(0.44, 1.02, 0), parent=hinge)
    steel = s.material("steel", (0.75, 0.75, 0.78), metallic=1, roughness=0.25)
    s.put("handle", sphere(0.035), steel, at=(0.82, 1.02, 0.05), parent=hinge)
    # The lamp hangs beside the doorway: hardly anything in the dark room sees it.
    lamp = s.material("lamp", (0.8, 0.8, 0.8), emit=(1, 0.82, 0.6), emit_strength=1600)
    s.put("lamp housing", join(quad((1.5, 2.56, -0.2), (0.6, 0, 0), (0, 0.04, 0)), quad((2.1, 2.56, -0.8), (-0.6, 0, 0), (0, 0.04, 0)),
                               quad((1.5, 2.56, -0.8), (0, 0, 0.6), (0, 0.04, 0)), quad((2.1, 2.56, -0.2), (0, 0, -0.6), (0, 0.04, 0))), plaster)
    s.put("lamp", quad((1.5, 2.56, -0.8), (0.6, 0, 0), (0, 0, 0.6)), lamp)
    s.put("chest", rounded_box(1.1, 0.7, 0.5, 0.03), s.material("oak", (0.55, 0.38, 0.22), roughness=0.5), at=(1.55, 0.35, 0.5))
    s.put("ball", sphere(0.2), s.material("clay", (0.62, 0.30, 0.20), roughness=0.8), at=(1.3, 0.9, 0.5))
    s.put("bowl", sphere(0.16), steel, at=(1.75, 0.86, 0.45))
    s.put("stool", box(0.4, 0.45, 0.4), s.material("linen", (0.7, 0.68, 0.6), roughness=1), at=(-1.3, 0.225, 1.3), rotation=turn("y", 20))
    s.camera((-0.5, 1.45, 4.3), (0.45, 0.95, 0), 48)
    return s


def glass():
    s = Scene("glass")
    tiles = checker(s, "tiles", (232, 228, 220), (70, 84, 104))
    floor = s.material("floor", (1, 1, 1), roughness=0.5, map=tiles)
    wall = s.material("wall", (0.72, 0.55, 0.42), roughness=0.95)
    s.put("floor", quad((-4, 0, 4), (8, 0, 0), (0, 0, -8), (8, 8)), floor)
    s.put("back wall", quad((-4, 0, -2.5), (8, 0, 0), (0, 4.5, 0)), wall)
    s.put("left wall", quad((-4, 0, 4), (0, 0, -6.5), (0, 4.5, 0)), wall)
    light = s.material("light", (0.8, 0.8, 0.8), emit=(1, 0.93, 0.82), emit_strength=16)
    s.put("light", quad((-1.2, 4.2, -0.6), (2.4, 0, 0), (0, 0, 1.8)), light)
    side = s.material("side light", (0.8, 0.8, 0.8), emit=(0.7, 0.85, 1), emit_strength=5)
    s.put("side light", quad((3.9, 0.6, -1.5), (0, 0, 2.6), (0, 2.6, 0)), side)
    def solid(name, tint, distance, roughness=0, ior=1.5, **more):
        return s.material(name, (1, 1, 1), roughness=roughness, transmission={"transmissionFactor": 1}, ior={"ior": ior},
                          volume={"thicknessFactor": 1, "attenuationDistance": distance, "attenuationColor": tint}, **more)
    s.put("sphere", sphere(0.6, 64, 32), solid("clear glass", [0.97, 0.99, 0.98], 1.0), at=(-0.95, 0.605, 0.35))
    s.put("box", rounded_box(0.9, 0.9, 0.9, 0.03), solid("emerald glass", [0.18, 0.72, 0.42], 0.4),
          at=(0.55, 0.455, -0.55), rotation=turn("y", 32))
    s.put("frosted", sphere(0.36), solid("frosted amber", [0.95, 0.55, 0.15], 0.4, roughness=0.25), at=(0.3, 0.365, 1.05))
    s.put("diamond", lathe([(0, 0), (0.36, 0.34), (0.36, 0.34), (0.22, 0.48), (0.22, 0.48), (0, 0.48)], 8),
          solid("diamond", [1, 1, 1], 10, ior=2.42, dispersion={"dispersion": 0.36}), at=(1.35, 0.002, 0.55), rotation=turn("y", 11))
    # A hollow ball: the inner surface points inwards, to the air it encloses.
    hollow = sphere(0.38)
    inner = moved(sphere(0.33), scale=(1, 1, 1))
    inner["normals"] = [[-x for x in n] for n in inner["normals"]]
    inner["triangles"] = [[t[0], t[2], t[1]] for t in inner["triangles"]]
    s.put("bubble", join(hollow, inner), solid("bubble", [0.95, 0.97, 1], 0.5), at=(-0.35, 0.382, 1.55))
    pane = s.material("window pane", (0.75, 0.88, 1.0), roughness=0, transmission={"transmissionFactor": 1})
    frame = s.material("frame", (0.12, 0.10, 0.09), roughness=0.4)
    group = s.node("window", at=(1.9, 0, -1.3), rotation=turn("y", -28))
    s.put("pane", quad((-0.7, 0.1, 0), (1.4, 0, 0), (0, 2.0, 0)), pane, parent=group)
    for name, size, at in (("left bar", (0.08, 2.2, 0.08), (-0.74, 1.1, 0)), ("right bar", (0.08, 2.2, 0.08), (0.74, 1.1, 0)),
                           ("top bar", (1.4, 0.08, 0.08), (0, 2.14, 0)), ("bottom bar", (1.4, 0.08, 0.08), (0, 0.06, 0))):
        s.put(name, box(*size), frame, at=at, parent=group)
    red = s.material("red", (0.65, 0.06, 0.05), roughness=0.6)
    s.put("ball behind", sphere(0.4), red, at=(2.1, 0.4, -2.0))
    s.put("ring", torus(0.42, 0.11), s.material("copper", (0.95, 0.55, 0.40), metallic=1, roughness=0.2),
          at=(-2.2, 0.5, -0.9), rotation=then(turn("y", 30), turn("x", 78)))
    s.camera((0.7, 1.75, 4.6), (0.15, 0.62, -0.2), 38)
    return s


def land(x, z):
    return (2.4 * math.sin(x * 0.045 + 0.6) * math.cos(z * 0.05) + 0.9 * math.sin(x * 0.13 + z * 0.09)
            + 0.010 * max(0, -z) ** 1.35)


def leafy_tree(s, trunk, green, lumps):
    """Round clumps on a trunk; clumps are coarse, because a tree is seen from afar."""
    clump = sphere(1, 14, 9)
    crown = join(*[moved(clump, by=at, scale=size) for at, size in lumps])
    return s.mesh("leafy tree", (lathe([(0.22, 0), (0.13, 0.7), (0.1, 2.2)], 10), trunk), (crown, green))


def fir(s, trunk, green):
    skirts = [lathe([(0, y + 0.12), (r, y), (r, y), (0.04, y + h)], 14) for y, r, h in
              ((0.7, 1.25, 1.7), (1.6, 1.0, 1.5), (2.5, 0.72, 1.3), (3.3, 0.44, 1.1))]
    return s.mesh("fir", (lathe([(0.2, 0), (0.12, 1.6)], 10), trunk), (join(*skirts), green))


def instances():
    s = Scene("instances")
    ground = s.material("meadow", (0.15, 0.21, 0.06), roughness=1)
    s.put("meadow", heightfield(190, 72, land), ground)
    trunk = s.material("bark", (0.20, 0.13, 0.08), roughness=0.9)
    fir_mesh = fir(s, trunk, s.material("needles", (0.05, 0.16, 0.07), roughness=0.85))
    green = s.material("leaves", (0.16, 0.29, 0.05), roughness=0.8)
    gold = s.material("autumn leaves", (0.55, 0.28, 0.04), roughness=0.8)
    lumps = [((0, 2.7, 0), (1.1, 1.0, 1.1)), ((0.6, 2.2, 0.3), (0.75, 0.65, 0.75)), ((-0.5, 2.3, 0.45), (0.7, 0.6, 0.7)),
             ((0, 2.2, -0.65), (0.8, 0.65, 0.7))]
    kinds = [(fir_mesh, 0.55), (leafy_tree(s, trunk, green, lumps), 0.87), (leafy_tree(s, trunk, gold, lumps), 1.0)]
    placed = [[] for _ in kinds]
    for i in range(2800):
        x, z = 180 * (hashed(i, 1) - 0.5), 180 * (hashed(i, 2) - 0.5)
        # A clearing along the view, wider near the camera.
        if abs(x - 6 * math.sin(z * 0.06)) < 3.5 + 0.16 * max(0, z + 30) or z > 74:
            continue
        forest = math.sin(x * 0.07 + 1.3) * math.sin(z * 0.06 + 0.4) + 0.6 * (hashed(i, 6) - 0.5)
        pick = 0 if forest > 0 else 1 if hashed(i, 3) < 0.7 else 2
        size = 0.8 + 0.7 * hashed(i, 4)
        placed[pick].append(((x, land(x, z) - 0.05, z), turn("y", 360 * hashed(i, 5)), (size, size * (0.9 + 0.3 * hashed(i, 7)), size)))
    for (mesh, _), places, name in zip(kinds, placed, ("firs", "green trees", "golden trees")):
        s.instances(name, mesh, places)
    # Stones are plain nodes that share one mesh.
    stone = s.mesh("stone", (rounded_box(0.9, 0.55, 0.7, 0.2), s.material("granite", (0.42, 0.41, 0.40), roughness=0.9)))
    for i in range(300):
        z = 70 - 130 * hashed(i, 11)
        x = 6 * math.sin(z * 0.06) + 16 * (hashed(i, 12) - 0.5)
        size = 0.25 + 1.0 * hashed(i, 13) ** 3
        s.node("stone %d" % i, mesh=stone, at=(x, land(x, z) + 0.1 * size, z), scale=(size, size, size),
               rotation=then(turn("y", 360 * hashed(i, 14)), turn("x", 20 * (hashed(i, 15) - 0.5))))
    # The sky is a shining dome, the sun a small bright disk inside it.
    sky = png(4, 128, lambda x, y: [min(255, a + (b - a) * min(1, y / 62) ** 1.5) if y < 66 else c
                                    for a, b, c in zip((88, 132, 205), (236, 226, 214), (70, 74, 60))])
    dome = s.material("sky", (0, 0, 0), roughness=1, emit=(1, 1, 1), emit_map=s.texture("sky", sky, True), emit_strength=1.3)
    s.put("sky", sphere(400, 32, 16), dome)
    sun = s.material("sun", (0, 0, 0), roughness=1, emit=(1, 0.80, 0.55), emit_strength=3600)
    s.put("sun", quad((-7, -7, 0), (14, 0, 0), (0, 14, 0)), sun, matrix=look_at((-235, 165, 165), (0, 0, 0)))
    s.camera((5, land(5, 78) + 5.2, 80), (0, 3.4, 10), 40)
    return s


def alpha_cutout():
    s = Scene("alpha_cutout")
    tiles = checker(s, "tiles", (205, 200, 190), (176, 170, 160))
    s.put("floor", quad((-9, 0, 7), (18, 0, 0), (0, 0, -10), (18, 10)), s.material("floor", (1, 1, 1), roughness=0.9, map=tiles))
    s.put("wall", quad((-9, 0, -3), (18, 0, 0), (0, 7, 0)), s.material("wall", (0.6, 0.66, 0.7), roughness=1))
    def lattice(x, y):
        u, v = (x % 16) - 7.5, (y % 16) - 7.5
        return (110, 72, 40, 0 if u * u + v * v < 30 else 255)
    fence = s.material("fence", (1, 1, 1), roughness=0.8, map=s.texture("lattice", png(64, 64, lattice, True)), mode="MASK")
    s.put("fence", quad((-2.6, 0, 0), (2.4, 0, 0), (0, 1.6, 0), (1.5, 1)), fence, rotation=turn("y", 12))
    def leaf_shape(x, y):
        t, u = (y + 0.5) / 64, abs((x + 0.5) / 32 - 1)
        inside = u < 0.95 * math.sin(math.pi * min(1, t * 0.96 + 0.02)) ** 0.8
        vein = u < 0.06 or abs((t * 8 + u * 2.2) % 1 - 0.5) < 0.06
        return (96, 150, 60, 255 * inside) if vein else (52, 112 + 30 * t, 36, 255 * inside)
    green = s.material("leaf", (1, 1, 1), roughness=0.6, mode="MASK", map=s.texture("leaf", png(64, 64, leaf_shape, True), True))
    blade = s.mesh("leaf", (leaf(1.5, 0.5, 95), green))
    for i in range(14):
        s.node("leaf %d" % i, mesh=blade, at=(1.3, 0.02, 0.3), rotation=then(turn("y", 137.5 * i), turn("z", 12 * hashed(i, 1))),
               scale=[0.7 + 0.5 * hashed(i, 2)] * 3)
    fade = png(64, 4, lambda x, y: (40, 90, 200, 255 * x / 63), True)
    blend = s.material("fading sheet", (1, 1, 1), roughness=0.4, mode="BLEND", map=s.texture("fade", fade, True))
    s.put("fading sheet", quad((-0.9, 0.2, 0), (1.8, 0, 0), (0, 1.2, 0)), blend, at=(0.2, 0, 1.6), rotation=turn("y", -8))
    half = s.material("half there", (0.8, 0.2, 0.15), roughness=0.5, alpha=0.5, mode="BLEND")
    s.put("half there", sphere(0.45), half, at=(-1.2, 0.45, 1.2))
    s.put("light", quad((-0.5, -0.5, 0), (1, 0, 0), (0, 1, 0)), s.material("light", (0, 0, 0), emit=(1, 0.94, 0.84), emit_strength=130),
          matrix=look_at((-3.4, 5.2, 4.2), (0, 0.6, 0)))
    s.put("fill", quad((-4, 6, -1), (8, 0, 0), (0, 0, 5)), s.material("fill", (0, 0, 0), emit=(0.75, 0.87, 1), emit_strength=1.2))
    s.camera((0.9, 1.9, 5.6), (-0.1, 0.75, 0.2), 40)
    return s


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    makers = [cornell, furnace, material_grid, many_lights, door, glass, interior, instances, alpha_cutout]
    wanted = sys.argv[1:]
    for maker in makers:
        if not wanted or maker.__name__ in wanted:
            path = os.path.join(folder, maker.__name__ + ".gltf")
            maker().save(path)
            print("%-16s %7d bytes" % (maker.__name__, os.path.getsize(path)))


if __name__ == "__main__":
    main()
