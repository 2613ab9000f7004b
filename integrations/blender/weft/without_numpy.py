"""What stands in Blender's list of engines where Python lacks numpy: a render ends with one sentence."""

import bpy

SENTENCE = ("numpy is missing from Blender's Python; expected the package that comes with it "
            "(Debian: python3-numpy)")


class WeftWithoutNumpy(bpy.types.RenderEngine):
    """An engine that renders nothing and says why."""

    bl_idname = "WEFT"
    bl_label = "Weft"

    def render(self, depsgraph):
        """Ends the render with the sentence."""
        self.report({"ERROR"}, f"Weft: {SENTENCE}")
        self.error_set(SENTENCE)


def register():
    bpy.utils.register_class(WeftWithoutNumpy)


def unregister():
    bpy.utils.unregister_class(WeftWithoutNumpy)
