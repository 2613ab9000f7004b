"""Checks of what a render amounts to in Blender's own numbers, called by inside_blender.py."""

import bpy

import make_scenes
from weft import cameras


def check_sizes(tools):
    """Sizes and regions are divided as Blender does it."""
    render = tools.new_scene().render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 100, 100, 29
    tools.check(cameras.resolution(render) == (29, 29), "29 percent of 100 pixels are 29")
    render.resolution_percentage, render.use_border = 100, True
    render.border_min_x, render.border_max_x, render.border_min_y, render.border_max_y = 0.1, 0.7, 0.14, 0.28
    border = cameras.border_of(render)
    render.use_border = False
    tools.check(border == (10, 70, 72, 86), f"so is a region: {border}")


def check_mirrored_light(tools, folder):
    scene = tools.new_scene()
    bpy.data.objects.remove(bpy.data.objects["Sun"])
    make_scenes.set_world(scene, (0, 0, 0))
    lamp = make_scenes.add_light(scene, "Panel", "AREA", 50, (0, 0, 2), size=1)
    lit = []
    for scale in ((1, 1, 1), (-1, 1, 1), (1, 1, -1)):
        lamp.scale = scale
        lit.append(float(tools.rendered(scene, folder, "mirrored")["Combined.R"].mean()))
    tools.check(lit[0] > 0.01 and abs(lit[1] / lit[0] - 1) < 0.05 and lit[2] == 0,
                f"a mirrored area light shines to the side of Blender's: {lit}")


def run(tools, folder):
    check_sizes(tools)
    check_mirrored_light(tools, folder)
