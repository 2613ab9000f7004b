"""From the layers of Weft's picture to the passes of Blender's render result.

Blender lists rows from the bottom; its world is Z up; its depth is along the camera's axis, and 1e10
where nothing is.
"""

import numpy

from . import mattes

# Depth where the camera sees no surface, as Cycles gives it.
NOTHING = 1e10

# The passes of our own, by the setting that asks for them.
OWN = {
    "pass_noisy": ("Noisy",),
    "pass_albedo": ("Albedo",),
    "pass_heat": ("Heat",),
    "pass_direct": ("Direct", "Indirect"),
    "pass_lobes": ("Emission", "Diffuse", "Specular", "Transmission"),
}
# Their channels and kind, where they are no RGB colours.
KINDS = {"Noisy": ("RGBA", "COLOR"), "Heat": ("X", "VALUE")}
# As Cycles names the passes of light groups.
GROUP = "Combined_"


def own_passes(settings, view_layer):
    """[(name, channels, kind)] of the passes that Blender does not know by itself."""
    rows = [(name, *KINDS.get(name, ("RGB", "COLOR")))
            for setting, names in OWN.items() if getattr(settings, setting) for name in names]
    rows += [(name, mattes.CHANNELS, "COLOR") for name in mattes.pass_names(view_layer)]
    return rows + [(GROUP + group.name, "RGB", "COLOR") for group in getattr(view_layer, "lightgroups", ())]


def layers_for(names):
    """The layers of `--aov` that passes need."""
    needed = {"Normal": "normal", "Depth": "depth", "Vector": "motion", "Heat": "instance"}
    needed.update({name: name.lower() for own in OWN.values() for name in own if name not in KINDS})
    needed.update({f"{name}00": layer for name, (_, layer) in mattes.LAYERS.items()})
    return [needed[name] for name in needed if name in names]


def light_groups(view_layer, world, exported):
    """The groups of a view layer as `--light-groups` wants them, "" without any; and {pass: layer}.

    `exported`: the names of nodes. A letter that separates patterns is one that any letter matches."""
    text, layers = [], {}
    for number, group in enumerate(getattr(view_layer, "lightgroups", ())):
        members = [shown.name for shown in view_layer.objects if shown.lightgroup == group.name]
        patterns = ["".join("?" if letter in ",;*" else letter for letter in name)
                    for name in members if name in exported]
        if world is not None and world.lightgroup == group.name:
            patterns.append("environment")
        if patterns:
            text.append(f"g{number}=" + ",".join(patterns))
            layers[GROUP + group.name] = f"light_g{number}"
    return ";".join(text), layers


def stacked(channels, *names):
    """Channels side by side: height × width × n, None if one is missing."""
    if any(name not in channels for name in names):
        return None
    return numpy.stack([channels[name] for name in names], axis=-1)


def axial_depth(depth, view, border, size):
    """Depth along the camera's axis of distances from the eye."""
    nothing = depth <= 0
    if not view.is_orthographic:
        width, height = size
        x0, x1, y0, y1 = border or (0, width, 0, height)
        s = ((numpy.arange(x0, x1) + 0.5) / width * 2 - 1 + 2 * view.shift_x) * view.half_width
        t = (1 - (numpy.arange(y0, y1) + 0.5) / height * 2 + 2 * view.shift_y) * view.half_height
        depth = depth / numpy.sqrt(1 + s[None, :] ** 2 + t[:, None] ** 2)
    return numpy.where(nothing, NOTHING, depth)


def heat_pixels(channels, instance_meshes, figures):
    """The share of the time that went into the mesh that a pixel shows; None if instances do not match."""
    numbers = [channels[name] for name in channels if name.startswith("instance.")]
    if not numbers or figures["scene"]["instances"] != len(instance_meshes):
        return None
    shares = {}
    for row in figures["heat"]["meshes"]:
        shares[row["name"]] = shares.get(row["name"], 0.0) + row["share"]
    by_instance = numpy.array([shares.get(name, 0.0) for name in instance_meshes] + [0.0], numpy.float32)
    shown = numpy.where(numbers[0] >= 0, numbers[0], len(instance_meshes))
    shown = numpy.clip(numpy.nan_to_num(shown, nan=len(instance_meshes)), 0, len(instance_meshes))
    return by_instance[shown.astype(numpy.int64)][..., None]


def pass_pixels(name, channels, view, border, size, heat, groups):
    """The pixels of one pass, top row first; None if the picture has none of it. `groups`: {pass: layer}."""
    if name == "Combined":
        return stacked(channels, "R", "G", "B", "A")
    if name == "Noisy":
        noisy = stacked(channels, "noisy.R", "noisy.G", "noisy.B", "noisy.A")
        return stacked(channels, "R", "G", "B", "A") if noisy is None else noisy
    if name == "Normal":
        normal = stacked(channels, "normal.X", "normal.Z", "normal.Y")
        return None if normal is None else normal * numpy.array([1, -1, 1], numpy.float32)
    if name == "Depth":
        depth = stacked(channels, "depth.Z")
        return None if depth is None else axial_depth(depth[..., 0], view, border, size)[..., None]
    if name == "Vector":
        return stacked(channels, "motion.X", "motion.Y", "motion.Z", "motion.W")
    if name == "Heat":
        return heat
    part = mattes.part_of(name)
    if part is not None:
        return stacked(channels, *(f"{part}.{letter}" for letter in "RGBA"))
    layer = groups.get(name, name.lower())
    return stacked(channels, f"{layer}.R", f"{layer}.G", f"{layer}.B")


def fill(render_pass, pixels):
    """Puts pixels into a pass of the render result."""
    bottom_up = numpy.ascontiguousarray(pixels[::-1].reshape(-1, pixels.shape[-1]), numpy.float32)
    render_pass.rect.foreach_set(bottom_up)
