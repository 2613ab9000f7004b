"""Weft as a render engine of Blender."""

from . import engine, panels, settings

bl_info = {
    "name": "Weft",
    "description": "Renders with the path tracer Weft",
    "author": "The authors of Weft",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Render > Render Engine",
    "category": "Render",
}

MODULES = (settings, panels, engine)


def register():
    for module in MODULES:
        module.register()


def unregister():
    for module in reversed(MODULES):
        module.unregister()
