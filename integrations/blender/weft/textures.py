"""Pictures of materials: files that go over as they are, and PNG files composed of channels.

glTF wants colours with the sRGB curve and numbers without, metallic in blue and roughness in green of
one picture, and alpha beside the colour. A file that already lies so is copied; others are written anew.
"""

import math
import os
import struct
import zlib

import numpy

WRAPS = {"REPEAT": 10497, "EXTEND": 33071, "CLIP": 33071, "MIRROR": 33648}
NEAREST = 9728
LINEAR = 9729
TRILINEAR = 9987

PLAIN_FILES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


# The sRGB curve as tables: of every byte, and of linear numbers in steps that no byte is coarser than.
STEPS = 1 << 16


def curve_to_linear(encoded):
    """Through the sRGB curve."""
    return numpy.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def curve_to_srgb(linear):
    """Back through the sRGB curve."""
    return numpy.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


LINEAR_OF_BYTE = curve_to_linear(numpy.arange(256) / 255).astype(numpy.float32)
SRGB_OF_STEP = curve_to_srgb(numpy.arange(STEPS) / (STEPS - 1)).astype(numpy.float32)


def to_linear(encoded):
    """Bytes over 255 through the sRGB curve."""
    return LINEAR_OF_BYTE[numpy.rint(numpy.clip(encoded, 0, 1) * 255).astype(numpy.uint8)]


def to_srgb(linear):
    """Linear numbers back through the sRGB curve, within [0, 1]."""
    return SRGB_OF_STEP[numpy.rint(numpy.clip(linear, 0, 1) * (STEPS - 1)).astype(numpy.uint16)]


def is_srgb(image):
    """Whether Blender decodes the file's colours by the sRGB curve."""
    return image.colorspace_settings.name == "sRGB" and not image.is_float


def linear_pixels(image):
    """All pixels as linear floats, top row first: height × width × 4. None if there are none."""
    width, height = image.size
    if width == 0 or height == 0:
        return None
    pixels = numpy.empty(width * height * 4, numpy.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(height, width, 4)[::-1].copy()
    if is_srgb(image):
        pixels[..., :3] = to_linear(pixels[..., :3])
    return pixels


def channel_of(pixels, channel):
    """One channel of linear pixels by its letter; "grey" is the brightness."""
    if channel == "grey":
        return pixels[..., :3] @ numpy.array([0.2126, 0.7152, 0.0722], numpy.float32)
    return pixels[..., "rgba".index(channel)]


def resized(pixels, shape):
    """Nearest pixels at another size."""
    rows = (numpy.arange(shape[0]) * pixels.shape[0]) // shape[0]
    columns = (numpy.arange(shape[1]) * pixels.shape[1]) // shape[1]
    return pixels[rows][:, columns]


def write_png(path, pixels, has_16_bits):
    """Writes height × width × channels in [0, 1]."""
    depth = 16 if has_16_bits else 8
    whole = numpy.rint(numpy.clip(pixels, 0, 1) * (2 ** depth - 1)).astype(">u2" if has_16_bits else "u1")
    height, width, channels = whole.shape
    rows = whole.reshape(height, -1).view("u1").reshape(height, -1)
    raw = numpy.concatenate([numpy.zeros((height, 1), "u1"), rows], axis=1).tobytes()
    kind = {1: 0, 3: 2, 4: 6}[channels]

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(raw, 1)))
        file.write(chunk(b"IEND", b""))


class Textures:
    """The pictures of one glTF file. Each is written once."""

    def __init__(self, file, folder, notes):
        self.file = file
        self.folder = folder
        self.notes = notes
        self.images = {}  # by what they hold: index, or None where the picture cannot be read
        self.pixels = {}

    def linear(self, image):
        """Cached linear_pixels()."""
        if image.name_full not in self.pixels:
            self.pixels[image.name_full] = linear_pixels(image)
        return self.pixels[image.name_full]

    def mean(self, picture):
        """The mean of a picture's channel, 1 if it cannot be read."""
        pixels = self.linear(picture.image)
        return 1.0 if pixels is None else float(channel_of(pixels, picture.channel).mean())

    def color(self, picture, alpha, subject, gain=(1.0, 1.0, 1.0)):
        """The texture of a colour picture times a gain, with alpha from another one or None."""
        has_own_alpha = alpha is not None and alpha.image == picture.image and alpha.channel == "a"
        is_as_it_is = picture.channel == "rgb" and (alpha is None or has_own_alpha) and max(gain) <= 1.0
        index = self.copied(picture.image) if is_as_it_is and is_srgb(picture.image) else None
        if index is None:
            index = self.composed((picture, alpha, gain), lambda: self.color_pixels(picture, alpha, gain))
        return self.texture(index, picture, subject)

    def color_pixels(self, picture, alpha, gain):
        pixels = self.linear(picture.image)
        if pixels is None:
            return None
        pixels = pixels.copy()
        if picture.channel != "rgb":
            pixels[..., :3] = channel_of(pixels, picture.channel)[..., None]
        pixels[..., :3] = to_srgb(pixels[..., :3] * numpy.array(gain, numpy.float32))
        other = None if alpha is None else self.linear(alpha.image)
        pixels[..., 3] = 1 if other is None else channel_of(resized(other, pixels.shape), alpha.channel)
        return pixels

    def alpha_alone(self, alpha, subject):
        """A white texture with alpha from a picture."""
        def pixels():
            source = self.linear(alpha.image)
            if source is None:
                return None
            white = numpy.ones_like(source)
            white[..., 3] = channel_of(source, alpha.channel)
            return white

        return self.texture(self.composed(("alpha", alpha), pixels), alpha, subject)

    def data(self, by_channel, subject, is_written_anew=False):
        """The texture with pictures in its channels r, g, b; other channels are 1 if it is written anew."""
        pictures = list(by_channel.values())
        first = pictures[0]
        lies_right = all(
            p.image == first.image and (p.channel == c or (p.channel == "grey" and self.is_grey(p.image)))
            for c, p in by_channel.items())
        is_file = lies_right and not is_written_anew and not is_srgb(first.image)
        index = self.copied(first.image) if is_file else None
        if index is None:
            def pixels():
                sources = {c: self.linear(p.image) for c, p in by_channel.items()}
                if any(source is None for source in sources.values()):
                    return None
                packed = numpy.ones(next(iter(sources.values())).shape[:2] + (3,), numpy.float32)
                for c, p in by_channel.items():
                    packed[..., "rgb".index(c)] = channel_of(resized(sources[c], packed.shape), p.channel)
                return packed

            index = self.composed(tuple(sorted(by_channel.items())), pixels)
        return self.texture(index, first, subject)

    def normal(self, picture, subject):
        """The texture of a normal map."""
        index = None if is_srgb(picture.image) else self.copied(picture.image)
        if index is None:
            index = self.composed(("normal", picture), lambda: self.linear(picture.image)[..., :3])
        return self.texture(index, picture, subject)

    def is_grey(self, image):
        """Whether a picture has the same numbers in red, green and blue."""
        pixels = self.linear(image)
        return pixels is not None and bool((pixels[..., 0] == pixels[..., 1]).all()
                                           and (pixels[..., 1] == pixels[..., 2]).all())

    def copied(self, image):
        """The image of a file that goes over as it is; None if it has to be written anew."""
        import bpy  # here, so that tests can read this module without Blender
        path = bpy.path.abspath(image.filepath, library=image.library)
        kind = os.path.splitext(path)[1].lower()
        if image.source != "FILE" or image.is_dirty or kind not in PLAIN_FILES:
            return None
        if ("file", image.name_full) not in self.images:
            try:
                if image.packed_file is not None:
                    content = bytes(image.packed_file.data)
                else:
                    with open(path, "rb") as file:
                        content = file.read()
            except OSError:
                return None
            name = f"picture{len(self.images)}{kind}"
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(content)
            self.images["file", image.name_full] = self.file.add(
                "images", {"uri": name, "mimeType": PLAIN_FILES[kind], "name": image.name})
        return self.images["file", image.name_full]

    def composed(self, key, make_pixels):
        """The image with pixels of our own making; None where there are none."""
        if key not in self.images:
            pixels = make_pixels()
            self.images[key] = None
            if pixels is not None:
                name = f"picture{len(self.images)}.png"
                write_png(os.path.join(self.folder, name), pixels, has_16_bits=False)
                self.images[key] = self.file.add("images", {"uri": name, "mimeType": "image/png"})
        return self.images[key]

    def texture(self, image_index, picture, subject):
        """The textureInfo of an image at a picture's place; None with a note where there is no image."""
        if image_index is None:
            self.notes.add(subject, f"the picture {picture.image.name} cannot be read and is left out")
            return None
        wrap = WRAPS.get(picture.extension, WRAPS["REPEAT"])
        is_nearest = picture.interpolation == "Closest"
        sampler = {"wrapS": wrap, "wrapT": wrap, "magFilter": NEAREST if is_nearest else LINEAR,
                   "minFilter": NEAREST if is_nearest else TRILINEAR}
        samplers = self.file.lists["samplers"]
        sampler_index = samplers.index(sampler) if sampler in samplers else self.file.add("samplers", sampler)
        texture = {"source": image_index, "sampler": sampler_index}
        textures = self.file.lists["textures"]
        info = {"index": textures.index(texture) if texture in textures else self.file.add("textures", texture)}
        if (picture.offset, picture.rotation, picture.scale) != ((0.0, 0.0), 0.0, (1.0, 1.0)):
            self.file.extensions.add("KHR_texture_transform")
            info["extensions"] = {"KHR_texture_transform": transform(picture)}
        return info


def transform(picture):
    """Blender's mapping of (u, v) as glTF's of (u, 1 - v): scale, then rotation, then offset."""
    # Blender: p' = R(a) S p + o with v up. glTF: q' = R(-a) S q + o', where q = (u, 1 - v).
    c, s = math.cos(picture.rotation), math.sin(picture.rotation)
    sx, sy = picture.scale
    ox, oy = picture.offset
    # q' = F p' with F(x, y) = (x, 1 - y); the linear part is D R S D, D = diag(1, -1).
    # The offset is F applied to the image of p = (0, 1), which is q = (0, 0).
    return {
        "offset": [ox - s * sy, 1 - (oy + c * sy)],
        "rotation": picture.rotation,
        "scale": [sx, sy],
    }
