"""Checks of what a render amounts to in Blender's own numbers, called by inside_blender.py."""

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


def run(tools, folder):
    check_sizes(tools)
