"""Weft as a render engine of Blender."""

import importlib.util

# A Blender that was built for another Python may lack numpy. Then the engine says so at the render.
if importlib.util.find_spec("numpy") is None:
    from . import without_numpy
    MODULES = (without_numpy,)
else:
    from . import engine, panels, settings
    MODULES = (settings, panels, engine)

bl_info = {
    "name": "Weft",
    "description": "Renders with the path tracer Weft",
    "author": "The authors of Weft",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Render > Render Engine",
    "category": "Render",
}


def register():
    for module in MODULES:
        module.register()


def unregister():
    for module in reversed(MODULES):
        module.unregister()
