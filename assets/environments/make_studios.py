"""make_studios.py — writes the three maps of photographic studios that `--environment` knows by name.

Each map is computed from a few rectangles that shine (softboxes) in front of a wall whose grey depends on the height
alone. Every map is scaled so that a white matte floor has the radiance 1: they differ in the shape of the light, not in
exposure. The camera is thought to look along -Z, so the key light is at its side. Needs no packages, and writes the same
bytes each time: python3 make_studios.py
"""

import math
from pathlib import Path

WIDTH, HEIGHT = 512, 256
SUBSAMPLES = 4  # per side of a texel, for the edges of softboxes

# A softbox: direction of its centre (azimuth from +Z towards +X, and elevation, in degrees), width and height in metres at
# a distance of 2 m, radiance, colour. A wall: radiance straight down, at the horizon, straight up.
STUDIOS = {
    "studio": {
        "wall": (0.10, 0.22, 0.16),
        "boxes": [
            (-48, 38, 1.6, 1.6, 16.0, (1.0, 0.97, 0.93)),  # key
            (62, 22, 1.2, 2.0, 4.0, (0.94, 0.97, 1.0)),  # fill
            (160, 40, 0.4, 2.2, 14.0, (1.0, 1.0, 1.0)),  # rim
            (0, 88, 2.4, 1.4, 5.0, (1.0, 1.0, 1.0)),  # overhead
        ],
    },
    "studio-soft": {
        "wall": (0.30, 0.55, 0.60),
        "boxes": [
            (-60, 30, 3.2, 2.6, 4.0, (1.0, 0.98, 0.96)),
            (60, 30, 3.2, 2.6, 3.0, (0.97, 0.98, 1.0)),
            (0, 88, 3.6, 3.6, 4.0, (1.0, 1.0, 1.0)),
        ],
    },
    "studio-contrast": {
        "wall": (0.015, 0.03, 0.02),
        "boxes": [
            (-65, 42, 0.8, 0.8, 60.0, (1.0, 0.95, 0.88)),
            (118, 12, 0.25, 2.6, 30.0, (0.90, 0.95, 1.0)),
            (-130, 20, 0.25, 2.6, 20.0, (1.0, 1.0, 1.0)),
        ],
    },
}


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def direction(row, column):
    """Of a place in the map: u = 0.5 + atan2(z, x) / 2π, and the top row is up."""
    longitude = (column / WIDTH - 0.5) * 2 * math.pi
    latitude = (0.5 - row / HEIGHT) * math.pi
    across = math.cos(latitude)
    return (across * math.cos(longitude), math.sin(latitude), across * math.sin(longitude))


def placed(box):
    """The frame of a softbox: its normal, its axes divided by its half sides, radiance and colour."""
    azimuth, elevation, width, height, radiance, colour = box
    azimuth, elevation = math.radians(azimuth), math.radians(elevation)
    across = math.cos(elevation)
    normal = (across * math.sin(azimuth), math.sin(elevation), across * math.cos(azimuth))
    side = (math.cos(azimuth), 0.0, -math.sin(azimuth))
    up = cross(normal, side)
    return (normal, tuple(4 * c / width for c in side), tuple(4 * c / height for c in up), radiance, colour)


def shine(box, ray):
    """Radiance of a softbox along a ray: brightest in its middle, two thirds of that in its corners."""
    normal, side, up, radiance, _ = box
    facing = dot(normal, ray)
    if facing <= 0.0:
        return 0.0
    x, y = dot(side, ray) / facing, dot(up, ray) / facing
    if max(abs(x), abs(y)) > 1.0:
        return 0.0
    return radiance * (1.0 - (x * x + y * y) / 6.0)


def wall(levels, height):
    down, horizon, up = levels
    end = down if height < 0.0 else up
    return horizon + (end - horizon) * abs(height)


def texel(studio, boxes, row, column):
    levels = studio["wall"]
    middle = direction(row + 0.5, column + 0.5)
    grey = wall(levels, middle[1])
    total = [grey, grey, grey]
    for box in boxes:
        # Far from the box no part of the texel sees it.
        if dot(box[0], middle) < 0.2:
            continue
        light = 0.0
        for i in range(SUBSAMPLES * SUBSAMPLES):
            y, x = divmod(i, SUBSAMPLES)
            light += shine(box, direction(row + (y + 0.5) / SUBSAMPLES, column + (x + 0.5) / SUBSAMPLES))
        for c in range(3):
            total[c] += light * box[4][c] / (SUBSAMPLES * SUBSAMPLES)
    return total


def floor_radiance(rows):
    """Of a white matte floor: the integral of radiance times cosine over the upper half, divided by π."""
    total = 0.0
    for row in range(HEIGHT // 2):
        latitude = (0.5 - (row + 0.5) / HEIGHT) * math.pi
        weight = math.sin(latitude) * math.cos(latitude) * (math.pi / HEIGHT) * (2 * math.pi / WIDTH) / math.pi
        total += weight * sum(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in rows[row])
    return total


def rgbe(colour):
    largest = max(colour)
    _, exponent = math.frexp(largest)
    scale = math.ldexp(256.0, -exponent)
    return [min(255, int(c * scale)) for c in colour] + [exponent + 128]


def packed(values):
    """Run lengths of the Radiance format."""
    coded = bytearray()
    at = 0
    while at < len(values):
        run = 1
        while at + run < len(values) and run < 127 and values[at + run] == values[at]:
            run += 1
        if run >= 3:
            coded += bytes((128 + run, values[at]))
            at += run
            continue
        end = at
        while end < len(values) and end - at < 128:
            if end + 2 < len(values) and values[end] == values[end + 1] == values[end + 2]:
                break
            end += 1
        coded += bytes((end - at,)) + bytes(values[at:end])
        at = end
    return coded


def make(name, studio):
    boxes = [placed(box) for box in studio["boxes"]]
    rows = [[texel(studio, boxes, row, column) for column in range(WIDTH)] for row in range(HEIGHT)]
    scale = 1.0 / floor_radiance(rows)
    coded = bytearray(f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {HEIGHT} +X {WIDTH}\n".encode())
    for row in rows:
        texels = [rgbe([c * scale for c in colour]) for colour in row]
        coded += bytes((2, 2, WIDTH >> 8, WIDTH & 255))
        for channel in range(4):
            coded += packed([t[channel] for t in texels])
    path = Path(__file__).resolve().parent / f"{name}.hdr"
    path.write_bytes(coded)
    print(f"{path.name}: {len(coded)} bytes, scaled by {scale:.4f}")


if __name__ == "__main__":
    for studio_name, lights in STUDIOS.items():
        make(studio_name, lights)
