"""Draws a linear picture over a region of Blender's window."""

import gpu
import numpy
from gpu_extras.presets import draw_texture_2d


class Drawing:
    """The texture of the picture that is shown."""

    def __init__(self):
        self.texture = None

    def take(self, picture):
        """Makes a texture of a picture."""
        pixels = numpy.frombuffer(picture.pixels, numpy.float32)
        size = (picture.width, picture.height)
        buffer = gpu.types.Buffer("FLOAT", len(pixels), pixels)
        self.texture = gpu.types.GPUTexture(size, format="RGBA16F", data=buffer)

    def draw(self, engine, scene, region):
        """Draws the texture over the whole region; rows of the picture come from the top."""
        if self.texture is None:
            return
        gpu.state.blend_set("ALPHA_PREMULT")
        engine.bind_display_space_shader(scene)
        draw_texture_2d(self.texture, (0, region.height), region.width, -region.height)
        engine.unbind_display_space_shader()
        gpu.state.blend_set("NONE")
