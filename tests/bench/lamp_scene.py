#!/usr/bin/env python3
"""Writes scenes of many lamps of all kinds under a sun and a sky: lamp_scene.py FOLDER

FOLDER/lamps.gltf has 625 rooms of 4 by 4 m with doorways between them, windows around the building and an opening in the
roof of every third room. Each room has 16 lamps: 6 points and 4 spots, half of them with a size, and 3 panels of two
triangles. FOLDER/sky.hdr is a sky without a sun: weft render lamps.gltf --environment sky.hdr. The scene's camera stands in a
room at the edge; --look-at 43,2.6,107,53,0.8,99 sees the building from outside.
FOLDER/street.gltf has a lamp of 40 or 12 cd in each of 400 streets at night: --environment sky.hdr --environment-strength 1.5.
"""
import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scenes"))
from gltf_writer import Scene, turn
from shapes import box, join, moved, quad, sphere
from vectors import hashed

ROOMS = 25  # each way
SIZE = 4.0
HEIGHT = 2.8
THICK = 0.1


def wall(left, right, bottom, top):
    """A wall along x about the origin, with a hole between left and right, bottom and top."""
    half = SIZE / 2
    parts = [moved(box(half + left, HEIGHT, THICK), ((left - half) / 2, HEIGHT / 2, 0)),
             moved(box(half - right, HEIGHT, THICK), ((right + half) / 2, HEIGHT / 2, 0)),
             moved(box(right - left, HEIGHT - top, THICK), ((left + right) / 2, (HEIGHT + top) / 2, 0))]
    if bottom > 0:
        parts.append(moved(box(right - left, bottom, THICK), ((left + right) / 2, bottom / 2, 0)))
    return join(*parts)


def roof(opening):
    """The roof of a room about the origin, with a square opening or without one."""
    half, hole = SIZE / 2, opening / 2
    if hole == 0:
        return quad((-half, HEIGHT, -half), (SIZE, 0, 0), (0, 0, SIZE))
    rest = half - hole
    return join(quad((-half, HEIGHT, -half), (SIZE, 0, 0), (0, 0, rest)),
                quad((-half, HEIGHT, hole), (SIZE, 0, 0), (0, 0, rest)),
                quad((-half, HEIGHT, -hole), (rest, 0, 0), (0, 0, opening)),
                quad((hole, HEIGHT, -hole), (rest, 0, 0), (0, 0, opening)))


def lamps_of_room(s, panels, room, x, z):
    """16 lamps in the upper half of the room whose middle is (x, z)."""
    def number(lamp, k):
        return hashed(100 * room + lamp, k)
    def place(lamp, low, high):
        return (x + 3.4 * (number(lamp, 1) - 0.5), low + (high - low) * number(lamp, 2), z + 3.4 * (number(lamp, 3) - 0.5))
    def color(lamp):
        warm = number(lamp, 4)
        return (1, 0.75 + 0.25 * warm, 0.5 + 0.5 * warm)
    for lamp in range(10):
        is_point = lamp < 6
        at = place(lamp, 1.2, 2.4) if is_point else place(lamp, 2.3, 2.7)
        down = (at[0] + 0.6 * (number(lamp, 5) - 0.5), 0, at[2] + 0.6 * (number(lamp, 6) - 0.5))
        brightness = (0.3 + 1.4 * number(lamp, 7)) * (0.2 if is_point else 0.8)
        s.light("lamp", "point" if is_point else "spot", color(lamp), brightness, at, down, None if is_point else 70)
        if lamp % 2 == 0:
            s.lights[-1]["extras"] = {"weft_radius_m": 0.03 + 0.05 * number(lamp, 8)}
    for lamp in range(10, 13):
        at = place(lamp, 2.5, 2.7)
        s.node("panel", mesh=panels[lamp - 10], at=at, rotation=turn("y", 360 * number(lamp, 5)))


def building():
    s = Scene("lamps")
    plaster = s.material("plaster", (0.75, 0.73, 0.68), roughness=0.9)
    planks = s.material("planks", (0.45, 0.32, 0.2), roughness=0.4)
    steel = s.material("steel", (0.75, 0.75, 0.78), metallic=1, roughness=0.25)
    grass = s.material("grass", (0.2, 0.3, 0.12), roughness=1)
    doorway = s.mesh("wall with a doorway", (wall(-0.45, 0.45, 0, 2.05), plaster))
    window = s.mesh("wall with a window", (wall(-0.8, 0.8, 0.9, 2.2), plaster))
    roofs = [s.mesh("roof %d" % k, (roof(0.8 if k == 0 else 0), plaster)) for k in range(2)]
    ball = s.mesh("ball", (sphere(0.35), steel))
    block = s.mesh("block", (box(0.6, 0.9, 0.6), plaster))
    panel = quad((-0.2, 0, -0.2), (0.4, 0, 0), (0, 0, 0.4))
    panels = [s.mesh("panel %d" % k, (panel, s.material("glow %d" % k, (0.8, 0.8, 0.8), emit=(1, 0.9 - 0.1 * k, 0.7),
                                                        emit_strength=(1, 2, 4)[k]))) for k in range(3)]
    whole = ROOMS * SIZE
    s.put("floor", quad((0, 0, whole), (whole, 0, 0), (0, 0, -whole)), planks)
    s.put("ground", quad((-200, -0.02, 300), (500, 0, 0), (0, 0, -500)), grass)
    for i in range(ROOMS + 1):
        for k in range(ROOMS):
            mesh = window if i in (0, ROOMS) else doorway
            along = (k + 0.5) * SIZE
            s.node("wall", mesh=mesh, at=(along, 0, i * SIZE))
            s.node("wall", mesh=mesh, at=(i * SIZE, 0, along), rotation=turn("y", 90))
    for room in range(ROOMS * ROOMS):
        x, z = (room % ROOMS + 0.5) * SIZE, (room // ROOMS + 0.5) * SIZE
        s.node("roof", mesh=roofs[min(room % 3, 1)], at=(x, 0, z))
        s.node("ball", mesh=ball, at=(x - 1.1, 0.35, z - 0.9 + hashed(room, 11)))
        s.node("block", mesh=block, at=(x + 1.1, 0.45, z - 1 + hashed(room, 12)), rotation=turn("y", 90 * hashed(room, 13)))
        lamps_of_room(s, panels, room, x, z)
    for k in range(8):
        s.node("block", mesh=block, at=(46 + 1.6 * k, 0.43, 102 + 2 * hashed(k, 14)), rotation=turn("y", 90 * hashed(k, 15)))
    s.light("sun", "directional", (1, 0.95, 0.85), 6, (0, 0, 0), (-0.35, -0.75, -0.6))
    s.lights[-1]["extras"] = {"weft_angle_deg": 0.53}
    s.camera((51.6, 1.5, 99.4), (48.5, 1.0, 96.6), 70)
    return s


def street():
    s = Scene("street")
    road = s.material("road", (0.3, 0.3, 0.3), roughness=0.8)
    stone = s.material("stone", (0.6, 0.55, 0.5), roughness=0.9)
    s.put("ground", quad((-300, 0, 300), (600, 0, 0), (0, 0, -600)), road)
    house = s.mesh("house", (box(10, 8, 10), stone))
    for i in range(20):
        for k in range(20):
            x, z = (i - 9.5) * 25, (k - 9.5) * 25
            s.node("house", mesh=house, at=(x, 4, z))
            at = (x + 12.5, 5 if (i + k) % 2 else 4, z + 6 * hashed(i, k))
            if (i + k) % 2:
                s.light("lamp", "spot", (1, 0.8, 0.6), 40, at, (at[0], 0, at[2]), 120)
            else:
                s.light("lamp", "point", (1, 0.8, 0.6), 12, at, (at[0], 0, at[2]))
            s.lights[-1]["extras"] = {"weft_radius_m": 0.15}
    s.light("moon", "directional", (0.8, 0.9, 1), 0.4, (0, 0, 0), (-0.35, -0.5, -0.6))
    s.camera((0.5, 1.7, 40), (0.2, 1.2, 10), 60)
    return s


def sky(path, width=128, height=64):
    """A blue sky that is bright about the sun and at the horizon, over dark ground: Radiance RGBE, not compressed."""
    rows = bytearray(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n" % (height, width))
    sun = [0.35, 0.75, 0.6]
    size = math.sqrt(sum(c * c for c in sun))
    for y in range(height):
        latitude = (0.5 - (y + 0.5) / height) * math.pi
        for x in range(width):
            longitude = ((x + 0.5) / width - 0.5) * 2 * math.pi
            way = (math.cos(latitude) * math.cos(longitude), math.sin(latitude), math.cos(latitude) * math.sin(longitude))
            near = max(0, sum(a * b for a, b in zip(way, sun)) / size)
            haze = (1 - max(way[1], 0)) ** 4
            glow = 6 * near ** 64 + near ** 4
            above = [0.1 * (a + haze + b * glow) for a, b in ((0.5, 1), (0.9, 0.95), (1.9, 0.85))]
            rgb = above if way[1] >= 0 else [0.02, 0.02, 0.015]
            mantissa, exponent = math.frexp(max(rgb))
            scale = 256 * mantissa / max(rgb)
            rows += struct.pack("BBBB", *(min(255, int(c * scale)) for c in rgb), exponent + 128)
    pathlib.Path(path).write_bytes(bytes(rows))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    building().save(folder / "lamps.gltf")
    street().save(folder / "street.gltf")
    sky(folder / "sky.hdr")


if __name__ == "__main__":
    main()
