"""interior.py: the room that is rendered when no scene is named: afternoon sun through a window, a table, a reading corner.

The room is 6 m wide (x), 5 m deep (z) and 2.8 m high; the window is in the left wall. Outside stands a painted view that
shines; the sun is a far spot that comes over its top.
"""
import math

from gltf_writer import Scene, png, then, turn
from shapes import box, cylinder, join, lathe, leaf, moved, quad, rod, rounded_box, sphere, torus
from vectors import hashed

WIDTH, DEPTH, HEIGHT = 6.0, 5.0, 2.8
SILL, HEAD, WINDOW_NEAR, WINDOW_FAR = 0.75, 2.35, 1.05, -1.45  # the opening: heights, and z of its sides


def plank_texture():
    """Sixteen oak planks side by side, each with its own shade, grain and end joint."""
    def pixel(x, y):
        plank, across = divmod(x, 16)
        along = (y + 79 * plank) % 256
        board = plank + 16 * (along // 128)
        shade = 0.82 + 0.30 * hashed(board, 1)
        grain = 0.94 + 0.06 * math.sin(across * 1.3 + 9 * hashed(board, 2) + 1.6 * math.sin(y * math.pi * 2 / 128 + board))
        grain *= 0.975 + 0.05 * hashed(across, board, (y // 9))
        joint = 0.45 if across == 0 or along % 128 == 0 else 1
        return [round(c * shade * grain * joint / 4) * 4 for c in (176, 124, 78)]
    return png(256, 256, pixel)


def view_texture():
    """Sky with soft clouds over two rows of hills and a meadow."""
    def pixel(x, y):
        u, v = x / 128, y / 96
        far = 0.47 + 0.05 * math.sin(u * 9 + 1) + 0.03 * math.sin(u * 23)
        near = 0.57 + 0.05 * math.sin(u * 7 + 4) + 0.02 * math.sin(u * 31 + 2)
        if v > near:
            return (92, 122, 48)
        if v > far:
            return (112, 140, 120)
        t = v / far
        cloud = max(0, math.sin(u * 11 + 2 * math.sin(v * 14)) * math.sin(v * 17 + 1.5 * math.sin(u * 8)) - 0.35) * 1.2
        return [min(255, a + (b - a) * t + (255 - a) * cloud) for a, b in zip((96, 150, 222), (214, 228, 238))]
    return png(128, 96, pixel)


def leaf_texture():
    def pixel(x, y):
        t, u = (y + 0.5) / 64, abs((x + 0.5) / 16 - 1)
        inside = u < math.sin(math.pi * min(1, 0.03 + 0.95 * t)) ** 0.7
        if not inside:
            return (46, 96, 40, 0)
        return (104, 150, 70, 255) if u < 0.09 else (40 + 16 * u, 92 + 26 * t, 38, 255)
    return png(32, 64, pixel, True)


def rug_texture():
    def pixel(x, y):
        edge = min(x, y, 63 - x, 63 - y)
        if edge < 2 or 5 <= edge < 7:
            return (214, 196, 160)
        if edge < 5:
            return (122, 44, 38)
        diamond = (abs((x % 16) - 7.5) + abs((y % 16) - 7.5)) / 8
        return (206, 186, 148) if 0.55 < diamond < 0.8 else (38, 62, 88) if diamond <= 0.3 else (140, 54, 44)
    return png(64, 64, pixel)


def sunset_picture():
    def pixel(x, y):
        u, v = x / 64, y / 80
        if (u - 0.62) ** 2 + (1.25 * (v - 0.42)) ** 2 < 0.013:
            return (255, 226, 150)
        if v > 0.62:
            return [c * (1 - 0.5 * (v - 0.62)) for c in (70, 58, 92)] if (y // 2) % 3 else (196, 120, 92)
        return [a + (b - a) * v / 0.62 for a, b in zip((58, 76, 132), (240, 144, 88))]
    return png(64, 80, pixel)


def shapes_picture():
    def pixel(x, y):
        colour = (236, 228, 210)
        for cx, cy, r, c in ((22, 26, 15, (200, 76, 52)), (42, 44, 18, (44, 96, 116)), (24, 58, 10, (226, 172, 66))):
            if (x - cx) ** 2 + (y - cy) ** 2 < r * r:
                colour = c
        return (40, 40, 44) if abs(x - 0.62 * y - 6) < 0.9 else colour
    return png(64, 80, pixel)


def waves_picture():
    def pixel(x, y):
        band = int((y + 5 * math.sin(x * 0.16 + y * 0.05)) / 11)
        return ((236, 232, 222), (168, 196, 196), (92, 142, 150), (46, 92, 112), (28, 58, 84), (20, 38, 62))[min(5, band)]
    return png(80, 64, pixel)


def build_shell(s):
    """Floor, walls with the window opening, ceiling, skirting, and what is seen outside."""
    w, d, h = WIDTH / 2, DEPTH / 2, HEIGHT
    planks = s.material("oak floor", (1, 1, 1), roughness=0.38, map=s.texture("planks", plank_texture()))
    plaster = s.material("plaster", (0.80, 0.76, 0.69), roughness=0.95)
    accent = s.material("accent wall", (0.30, 0.40, 0.38), roughness=0.95)
    ceiling = s.material("ceiling", (0.86, 0.85, 0.82), roughness=1)
    white = s.material("white paint", (0.82, 0.81, 0.78), roughness=0.35)
    s.put("floor", quad((-w, 0, d), (WIDTH, 0, 0), (0, 0, -DEPTH), (WIDTH / 2.2, DEPTH / 2.2)), planks)
    s.put("ceiling", quad((-w, h, -d), (WIDTH, 0, 0), (0, 0, DEPTH)), ceiling)
    s.put("back wall", quad((-w, 0, -d), (WIDTH, 0, 0), (0, h, 0)), accent)
    s.put("front wall", quad((w, 0, d), (-WIDTH, 0, 0), (0, h, 0)), plaster)
    s.put("right wall", quad((w, 0, -d), (0, 0, DEPTH), (0, h, 0)), plaster)
    thick = 0.22
    def wall_piece(name, low, high, z_far, z_near):
        s.put(name, box(thick, high - low, z_near - z_far), plaster,
              at=(-w - thick / 2, (low + high) / 2, (z_far + z_near) / 2))
    wall_piece("wall below window", 0, SILL, -d, d)
    wall_piece("wall above window", HEAD, h, -d, d)
    wall_piece("wall behind window", SILL, HEAD, -d, WINDOW_FAR)
    wall_piece("wall before window", SILL, HEAD, WINDOW_NEAR, d)
    centre, span = (WINDOW_NEAR + WINDOW_FAR) / 2, WINDOW_NEAR - WINDOW_FAR
    s.put("window sill", rounded_box(0.34, 0.04, span + 0.16, 0.012), white, at=(-w - 0.07, SILL + 0.005, centre))
    bar = 0.06
    x = -w - 0.16
    bars = [box(bar, bar, span), box(bar, bar, span)]
    frame = join(moved(bars[0], (0, SILL + 0.05, centre)), moved(bars[1], (0, HEAD - bar / 2, centre)),
                 *[moved(box(bar, HEAD - SILL, bar), (0, (HEAD + SILL) / 2, z))
                   for z in (WINDOW_FAR + bar / 2, WINDOW_FAR + span / 3, WINDOW_NEAR - span / 3, WINDOW_NEAR - bar / 2)],
                 moved(box(0.03, 0.03, span), (0, SILL + 0.66 * (HEAD - SILL), centre)))
    s.put("window frame", frame, white, at=(x, 0, 0))
    pane = s.material("window pane", (0.97, 0.99, 0.98), roughness=0, transmission={"transmissionFactor": 1})
    s.put("window pane", quad((x, SILL, WINDOW_NEAR), (0, 0, -span), (0, HEAD - SILL, 0)), pane)
    skirting = join(moved(box(WIDTH, 0.09, 0.018), (0, 0.045, -d + 0.009)), moved(box(0.018, 0.09, DEPTH), (w - 0.009, 0.045, 0)),
                    moved(box(0.018, 0.09, DEPTH), (-w + 0.009, 0.045, 0)))
    s.put("skirting", skirting, white)
    view = s.material("view", (0, 0, 0), roughness=1, emit=(1, 1, 1), emit_map=s.texture("view", view_texture(), True),
                      emit_strength=2.6)
    s.put("view", quad((-w - 3, -0.5, 2), (0, 0, -7), (0, 3.8, 0)), view)
    # The sun is a far spot that just covers the window; it passes above the view.
    s.light("sun", "spot", (1.0, 0.80, 0.55), 13000, (-13.7, 11.3, 3.9), (-3.1, 1.5, -0.2), 20)
    # A second window behind the camera, as a soft box.
    soft = s.material("front window", (0, 0, 0), roughness=1, emit=(0.86, 0.93, 1.0), emit_strength=6.5)
    s.put("front window", quad((2.4, 0.8, d - 0.01), (-2.2, 0, 0), (0, 1.5, 0)), soft)


def build_table(s, wood, at):
    group = s.node("table", at=at)
    s.put("table top", rounded_box(1.7, 0.04, 0.92, 0.014), wood, at=(0, 0.73, 0), parent=group)
    leg = lathe([(0, 0), (0.018, 0), (0.018, 0), (0.034, 0.71)], 16)
    legs = join(*[moved(leg, (x, 0, z)) for x in (-0.74, 0.74) for z in (-0.36, 0.36)])
    s.put("table legs", legs, wood, parent=group)
    return group


def build_chairs(s, wood, cloth, places):
    seat = moved(rounded_box(0.44, 0.055, 0.43, 0.022), (0, 0.455, 0))
    legs = [rod((x, 0, z), (0.85 * x, 0.44, 0.85 * z), 0.016) for x in (-0.21, 0.21) for z in (-0.2, 0.2)]
    posts = [rod((x, 0.44, 0.19), (1.02 * x, 0.88, 0.26), 0.014) for x in (-0.18, 0.18)]
    back = moved(rounded_box(0.40, 0.17, 0.022, 0.01), (0, 0.80, 0.247))
    mesh = s.mesh("chair", (join(*legs, *posts, back), wood), (seat, cloth))
    for i, (x, z, angle) in enumerate(places):
        s.node("chair %d" % i, mesh=mesh, at=(x, 0, z), rotation=turn("y", angle))


def build_table_things(s, table, leaves):
    """A glass vase with twigs, a bowl of oranges, cups and a book."""
    vase = s.material("vase glass", (1, 1, 1), roughness=0, transmission={"transmissionFactor": 1}, ior={"ior": 1.5},
                      volume={"thicknessFactor": 0.02, "attenuationDistance": 0.06, "attenuationColor": [0.55, 0.86, 0.80]})
    outside = [(0, 0), (0.055, 0), (0.062, 0.01), (0.075, 0.06), (0.07, 0.12), (0.042, 0.19), (0.04, 0.22), (0.052, 0.26)]
    inside = [(0.047, 0.26), (0.035, 0.22), (0.037, 0.19), (0.064, 0.12), (0.069, 0.06), (0.055, 0.016), (0, 0.014)]
    s.put("vase", lathe(outside + inside, 40), vase, at=(-0.12, 0.751, 0.02), parent=table)
    bark = s.material("twig", (0.22, 0.14, 0.08), roughness=0.9)
    twigs = s.node("twigs", at=(-0.12, 0.751, 0.02), parent=table)
    blade = s.mesh("small leaf", (leaf(0.13, 0.055, 70, 3), leaves))
    for i in range(5):
        angle, lean = 72 * i + 20, 0.12 + 0.10 * hashed(i, 31)
        tip = (lean * math.cos(math.radians(angle)), 0.50 + 0.12 * hashed(i, 32), -lean * math.sin(math.radians(angle)))
        foot = (-0.02 * math.cos(math.radians(angle)), 0.03, 0.02 * math.sin(math.radians(angle)))
        s.put("twig %d" % i, rod(foot, tip, 0.0035, 6), bark, parent=twigs)
        for k in range(7):
            t = 0.52 + 0.08 * k
            s.node("leaf", mesh=blade, at=[a + (b - a) * t for a, b in zip(foot, tip)],
                   rotation=then(turn("y", angle + 137.5 * k), turn("z", -20 * hashed(i, k))), parent=twigs)
    bowl = s.material("glazed bowl", (0.09, 0.17, 0.26), roughness=0.5,
                      clearcoat={"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.04})
    s.put("bowl", lathe([(0, 0), (0.06, 0), (0.07, 0.012), (0.12, 0.045), (0.145, 0.085), (0.139, 0.085), (0.112, 0.048),
                         (0.06, 0.02), (0, 0.018)], 40), bowl, at=(0.40, 0.75, -0.10), parent=table)
    orange = s.mesh("orange", (sphere(0.042, 28, 14), s.material("orange", (0.86, 0.34, 0.03), roughness=0.45)))
    for i, at in enumerate(((0.36, 0.825, -0.12), (0.44, 0.825, -0.13), (0.405, 0.828, -0.05), (0.40, 0.888, -0.10))):
        s.node("orange %d" % i, mesh=orange, at=at, parent=table)
    china = s.material("china", (0.84, 0.83, 0.80), roughness=0.12)
    cup = join(lathe([(0, 0), (0.024, 0), (0.036, 0.02), (0.041, 0.068), (0.038, 0.068), (0.033, 0.02), (0, 0.008)], 32),
               moved(lathe([(0, 0.0), (0.045, 0), (0.072, 0.011), (0.071, 0.015), (0.04, 0.005), (0, 0.005)], 32), (0, -0.006, 0)))
    cup_mesh = s.mesh("cup", (cup, china), (moved(lathe([(0.0352, 0.05), (0, 0.05)], 24), (0, 0, 0)),
                                            s.material("coffee", (0.05, 0.02, 0.01), roughness=0.05)))
    s.node("cup 0", mesh=cup_mesh, at=(-0.52, 0.757, 0.22), parent=table)
    s.node("cup 1", mesh=cup_mesh, at=(0.12, 0.757, 0.28), parent=table)
    paper = s.material("paper", (0.82, 0.79, 0.72), roughness=0.9)
    cover = s.material("blue cover", (0.08, 0.16, 0.36), roughness=0.6)
    book = s.node("book", at=(-0.50, 0.75, -0.18), rotation=turn("y", 24), parent=table)
    s.put("pages", box(0.14, 0.022, 0.20), paper, at=(0, 0.014, 0), parent=book)
    s.put("cover", join(moved(box(0.15, 0.003, 0.21), (0, 0.0265, 0)), moved(box(0.15, 0.003, 0.21), (0, 0.0015, 0)),
                        moved(box(0.003, 0.022, 0.21), (-0.0735, 0.014, 0))), cover, parent=book)


def build_sideboard(s, wood, brass):
    group = s.node("sideboard", at=(-0.75, 0, -2.22))
    s.put("carcass", rounded_box(1.9, 0.62, 0.42, 0.012), wood, at=(0, 0.47, 0), parent=group)
    door = s.material("door front", (0.70, 0.63, 0.52), roughness=0.45)
    panel = s.mesh("door", (rounded_box(0.60, 0.54, 0.02, 0.006), door))
    knob = s.mesh("knob", (sphere(0.016, 20, 10), brass))
    for i in range(3):
        s.node("door %d" % i, mesh=panel, at=(-0.62 + 0.62 * i, 0.47, 0.212), parent=group)
        s.node("knob %d" % i, mesh=knob, at=(-0.62 + 0.62 * i + 0.24, 0.53, 0.237), parent=group)
    feet = join(*[moved(cylinder(0.02, 0.16, 16), (x, 0, z)) for x in (-0.85, 0.85) for z in (-0.14, 0.14)])
    s.put("feet", feet, brass, parent=group)
    # Books that stand, one that leans, a ring of brass on a foot.
    colors = [(0.46, 0.09, 0.07), (0.10, 0.22, 0.30), (0.72, 0.56, 0.20), (0.16, 0.30, 0.17), (0.74, 0.70, 0.62), (0.24, 0.13, 0.28),
              (0.52, 0.28, 0.12)]
    x = -0.86
    for i, color in enumerate(colors):
        wide, high = 0.030 + 0.025 * hashed(i, 41), 0.20 + 0.07 * hashed(i, 42)
        lean = -13 if i == len(colors) - 1 else 0
        s.put("book %d" % i, rounded_box(wide, high, 0.15, 0.004, 2), s.material("book %d" % i, color, roughness=0.6),
              at=(x + wide / 2 + (0.028 if lean else 0), 0.78 + high / 2 - (0.0 if lean else 0), 0),
              rotation=turn("z", -lean), parent=group)
        x += wide + 0.002
    s.put("ring foot", rounded_box(0.12, 0.03, 0.08, 0.006), wood, at=(0.70, 0.796, 0), parent=group)
    s.put("ring", torus(0.10, 0.017), brass, at=(0.70, 0.925, 0), rotation=then(turn("y", 25), turn("x", 90)), parent=group)
    ball = s.material("pearl ball", (0.05, 0.05, 0.06), metallic=0.6, roughness=0.2,
                      iridescence={"iridescenceFactor": 1, "iridescenceIor": 1.6, "iridescenceThicknessMaximum": 420})
    s.put("pearl ball", sphere(0.07, 40, 20), ball, at=(0.42, 0.852, 0.03), parent=group)


def build_pictures(s):
    frame = s.material("picture frame", (0.09, 0.07, 0.055), roughness=0.35)
    mat = s.material("picture mat", (0.84, 0.83, 0.80), roughness=1)
    for name, data, x, y, wide, high in (("sunset", sunset_picture(), -1.42, 1.62, 0.44, 0.55),
                                         ("circles", shapes_picture(), -0.72, 1.62, 0.44, 0.55),
                                         ("waves", waves_picture(), 0.08, 1.60, 0.60, 0.48)):
        group = s.node(name, at=(x, y, -2.5 + 0.015))
        rim = 0.025
        bars = [moved(box(wide + 0.2, rim, 0.03), (0, side * (high / 2 + 0.1), 0)) for side in (-1, 1)]
        bars += [moved(box(rim, high + 0.2 + rim, 0.03), (side * (wide / 2 + 0.1), 0, 0)) for side in (-1, 1)]
        s.put(name + " frame", join(*bars), frame, parent=group)
        s.put(name + " mat", quad((-wide / 2 - 0.1, -high / 2 - 0.1, 0), (wide + 0.2, 0, 0), (0, high + 0.2, 0)), mat, parent=group)
        art = s.material(name, (1, 1, 1), roughness=0.6, map=s.texture(name, data, True))
        s.put(name + " art", quad((-wide / 2, -high / 2, 0.003), (wide, 0, 0), (0, high, 0)), art, parent=group)


def build_lamps(s, brass):
    """A dome closed by a glowing disc over the table and a glowing shade beside the armchair: no bulb in a white hollow,
    which only rare paths would find."""
    disc = s.material("opal disc", (0.8, 0.8, 0.8), emit=(1.0, 0.66, 0.34), emit_strength=55)
    shell = s.material("lamp enamel", (0.045, 0.10, 0.09), roughness=0.25)
    pendant = s.node("pendant lamp", at=(-0.35, 1.72, -0.15))
    s.put("dome", lathe([(0.21, 0), (0.20, 0.06), (0.15, 0.14), (0.06, 0.19), (0.022, 0.21), (0.022, 0.27)], 40), shell, parent=pendant)
    s.put("cord", rod((0, 0.25, 0), (0, HEIGHT - 1.72, 0), 0.005, 8), shell, parent=pendant)
    s.put("opal disc", lathe([(0, 0.004), (0.2096, 0.004)], 40), disc, parent=pendant)
    lamp = s.node("floor lamp", at=(2.45, 0, -1.95))
    s.put("lamp stand", join(lathe([(0, 0), (0.15, 0), (0.15, 0.012), (0.012, 0.03)], 32), rod((0, 0.02, 0), (0, 1.50, 0), 0.011)),
          brass, parent=lamp)
    shade = s.material("lamp shade", (0.86, 0.74, 0.56), roughness=1, emit=(1.0, 0.62, 0.30), emit_strength=9)
    s.put("lamp shade", lathe([(0.21, 1.36), (0.15, 1.66)], 40), shade, parent=lamp)


def build_armchair(s, wood):
    cloth = s.material("teal velvet", (0.03, 0.16, 0.17), roughness=0.85,
                       sheen={"sheenColorFactor": [0.25, 0.42, 0.42], "sheenRoughnessFactor": 0.35})
    group = s.node("armchair", at=(1.55, 0, -1.55), rotation=turn("y", -32))
    parts = [moved(rounded_box(0.62, 0.17, 0.62, 0.06), (0, 0.37, 0.03)),
             moved(rounded_box(0.78, 0.16, 0.70, 0.04), (0, 0.23, 0)),
             moved(rounded_box(0.12, 0.34, 0.70, 0.05), (-0.37, 0.44, 0.0)), moved(rounded_box(0.12, 0.34, 0.70, 0.05), (0.37, 0.44, 0.0)),
             moved(rounded_box(0.72, 0.62, 0.15, 0.065), (0, 0.60, -0.30))]
    s.put("armchair body", join(*parts), cloth, parent=group)
    feet = join(*[moved(cylinder(0.022, 0.16, 14), (x, 0, z)) for x in (-0.32, 0.32) for z in (-0.28, 0.28)])
    s.put("armchair feet", feet, wood, parent=group)
    pillow = s.material("mustard cushion", (0.66, 0.42, 0.07), roughness=0.9,
                        sheen={"sheenColorFactor": [0.3, 0.24, 0.12], "sheenRoughnessFactor": 0.5})
    s.put("cushion", rounded_box(0.38, 0.36, 0.13, 0.06), pillow, at=(0.06, 0.60, -0.15),
          rotation=then(turn("x", -17), turn("z", 12)), parent=group)


def build_plant(s, leaves):
    group = s.node("plant", at=(-2.42, 0, -1.95))
    pot = s.material("terracotta", (0.55, 0.24, 0.13), roughness=0.85)
    s.put("pot", lathe([(0, 0), (0.15, 0), (0.15, 0), (0.20, 0.30), (0.22, 0.30), (0.22, 0.36), (0.19, 0.36), (0.18, 0.31), (0, 0.30)], 32),
          pot, parent=group)
    s.put("soil", quad((-0.13, 0.312, 0.13), (0.26, 0, 0), (0, 0, -0.26)), s.material("soil", (0.05, 0.035, 0.025), roughness=1), parent=group)
    blade = s.mesh("large leaf", (leaf(1.0, 0.22, 105, 8), leaves))
    for i in range(22):
        size = 0.75 + 0.55 * hashed(i, 51)
        s.node("blade %d" % i, mesh=blade, at=(0, 0.30 + 0.02 * (i % 4), 0), scale=(size, size, size),
               rotation=then(turn("y", 137.5 * i + 30 * hashed(i, 52)), turn("z", 26 * hashed(i, 53) - 2)), parent=group)


def interior():
    s = Scene("interior")
    build_shell(s)
    wood = s.material("walnut", (0.30, 0.16, 0.085), roughness=0.45, clearcoat={"clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.2})
    brass = s.material("brass", (0.89, 0.66, 0.32), metallic=1, roughness=0.25)
    linen = s.material("linen", (0.62, 0.55, 0.44), roughness=0.95)
    leaves = s.material("leaves", (1, 1, 1), roughness=0.5, mode="MASK", map=s.texture("leaf", leaf_texture(), True))
    table = build_table(s, wood, (-0.35, 0, -0.15))
    build_table_things(s, table, leaves)
    build_chairs(s, wood, linen, ((-0.75, 0.62, 6), (0.12, 0.68, -14), (-0.72, -0.86, 176), (0.78, -0.10, 84)))
    build_sideboard(s, wood, brass)
    build_pictures(s)
    build_lamps(s, brass)
    build_armchair(s, wood)
    build_plant(s, leaves)
    rug = s.material("rug", (1, 1, 1), roughness=1, map=s.texture("rug", rug_texture(), True),
                     sheen={"sheenColorFactor": [0.12, 0.1, 0.09], "sheenRoughnessFactor": 0.6})
    s.put("rug", quad((-1.25, 0.008, 1.0), (2.9, 0, 0), (0, 0, -2.1)), rug, at=(-0.4, 0, -0.1))
    s.camera((2.2, 1.45, 2.0), (-0.60, 0.86, -0.85), 43)
    return s
