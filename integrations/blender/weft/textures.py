"""Pictures of materials: files that go over as they are, and PNG files composed of channels.

glTF wants colours with the sRGB curve and numbers without, metallic in blue and roughness in green of
one picture, and alpha beside the colour. A file that already lies so is copied; others are written anew.
"""

import math
import os
import struct
import zlib

import numpy

from .fields import AS_IT_IS, GREY, Sum

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


def has_premultiplied_alpha(image):
    """Whether Cycles has an image's colours times alpha (as its texture node gives them)."""
    return image.alpha_mode in ("STRAIGHT", "PREMUL") and not image.colorspace_settings.is_data


def linear_pixels(image, is_straight=True):
    """All pixels as linear floats, top row first: height × width × 4. None if there are none."""
    width, height = image.size
    if width == 0 or height == 0:
        return None
    pixels = numpy.empty(width * height * 4, numpy.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(height, width, 4)[::-1].copy()
    if image.alpha_mode == "NONE":
        pixels[..., 3] = 1
    # Bytes are straight in Blender's memory and are multiplied as they are encoded; floats are multiplied.
    if has_premultiplied_alpha(image) and is_straight and image.is_float:
        alpha = pixels[..., 3:]
        pixels[..., :3] /= numpy.where(alpha == 0, 1, alpha)
    elif has_premultiplied_alpha(image) and not is_straight and not image.is_float:
        pixels[..., :3] *= pixels[..., 3:]
    if is_srgb(image):
        pixels[..., :3] = to_linear(pixels[..., :3])
    return pixels


def channel_of(pixels, channel):
    """One channel of linear pixels by its letter, or "rgb"; "grey" is the brightness."""
    if channel == "rgb":
        return pixels[..., :3]
    if channel == "grey":
        return pixels[..., :3] @ numpy.array(GREY, numpy.float32)
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
        self.means = {}
        self.peaks = {}

    def linear(self, image, is_straight=True):
        """Cached linear_pixels()."""
        key = (image.name_full, is_straight or not has_premultiplied_alpha(image))
        if key not in self.pixels:
            self.pixels[key] = linear_pixels(image, is_straight)
        return self.pixels[key]

    def values(self, picture):
        """A picture's channel, or its colours; None if it cannot be read."""
        if isinstance(picture, Sum):
            colors = self.summed(picture)
        else:
            colors = self.linear(picture.image, picture.is_straight)
        if colors is None:
            return None
        found = channel_of(colors, picture.channel)
        low, high = picture.levels
        return found if picture.levels == AS_IT_IS else low + (high - low) * found

    def summed(self, picture):
        """The colours of a sum of pictures, in the size of the largest."""
        parts = [(numpy.array(factor, numpy.float32), part and self.values(part)) for factor, part in picture.terms]
        if any(value is None for (_, part), (_, value) in zip(picture.terms, parts) if part is not None):
            return None
        shape = max((value.shape[:2] for _, value in parts if value is not None), key=lambda size: size[0] * size[1])
        colors = numpy.zeros((*shape, 3), numpy.float32)
        for factor, value in parts:
            if value is None:
                colors += factor
            else:
                colors += factor * resized(value if value.ndim == 3 else value[..., None], shape)
        return colors

    def mean(self, picture):
        """The mean of a picture's channel or colours, 1 if it cannot be read."""
        if picture not in self.means:
            found = self.values(picture)
            mean = 1.0 if found is None else found.mean(axis=(0, 1))
            self.means[picture] = tuple(map(float, mean)) if numpy.ndim(mean) else float(mean)
        return self.means[picture]

    def peak(self, picture):
        """The largest number of a picture's colours, 1 where none is larger."""
        is_bounded = not isinstance(picture, Sum) and not picture.image.is_float
        if picture not in self.peaks:
            found = None if is_bounded else self.values(picture)
            self.peaks[picture] = 1.0 if found is None else max(float(numpy.nanmax(found)), 1.0)
        return self.peaks[picture]

    def is_opaque(self, image):
        """Whether all pixels of an image's file have an alpha of 1."""
        if image.depth in (24, 48, 96) or image.alpha_mode == "NONE":
            return image.depth in (24, 48, 96)
        key = ("opaque", image.name_full)
        if key not in self.means:
            pixels = linear_pixels(image)
            self.means[key] = pixels is None or bool((pixels[..., 3] >= 1).all())
        return self.means[key]

    def color(self, picture, alpha, subject, gain=(1.0, 1.0, 1.0)):
        """The texture of a colour picture times a gain, with alpha from another one or None."""
        if alpha is not None and alpha.placement() != picture.placement():
            self.notes.add(subject, "its transparency lies as its colour does")
        index = None
        if gain == (1.0, 1.0, 1.0) and self.is_file_of(picture, alpha):
            index = self.copied(picture.image)
        if index is None:
            index = self.composed((picture, alpha, gain), lambda: self.color_pixels(picture, alpha, gain))
        return self.texture(index, picture, subject)

    def is_file_of(self, picture, alpha):
        """Whether an image's file has a picture's colours, and alpha or 1."""
        if isinstance(picture, Sum) or (picture.channel, picture.levels) != ("rgb", AS_IT_IS):
            return False
        image = picture.image
        if not is_srgb(image):
            return False
        if alpha is None:
            return self.is_opaque(image)
        has_own = not isinstance(alpha, Sum) and alpha.image == image and alpha.channel == "a"
        return has_own and alpha.levels == AS_IT_IS and image.alpha_mode in ("STRAIGHT", "CHANNEL_PACKED")

    def color_pixels(self, picture, alpha, gain):
        colors = self.values(picture)
        other = None if alpha is None else self.values(alpha)
        if colors is None:
            return None
        colors = colors if colors.ndim == 3 else colors[..., None]
        pixels = numpy.ones((*colors.shape[:2], 4), numpy.float32)
        pixels[..., :3] = to_srgb(numpy.nan_to_num(colors) * numpy.array(gain, numpy.float32))
        if other is not None:
            pixels[..., 3] = resized(other, pixels.shape)
        return pixels

    def alpha_alone(self, alpha, subject):
        """A white texture with alpha from a picture."""
        def pixels():
            source = self.values(alpha)
            if source is None:
                return None
            white = numpy.ones((*source.shape, 4), numpy.float32)
            white[..., 3] = source
            return white

        return self.texture(self.composed(("alpha", alpha), pixels), alpha, subject)

    def data(self, by_channel, subject, is_written_anew=False):
        """The texture with pictures in its channels r, g, b; other channels are 1 if it is written anew."""
        pictures = list(by_channel.values())
        first = pictures[0]
        lies_right = all(
            not isinstance(p, Sum) and p.image == pictures[0].image and p.levels == AS_IT_IS and p.is_straight
            and (p.channel == c or (p.channel == "grey" and self.is_grey(p.image)))
            for c, p in by_channel.items())
        is_file = lies_right and not is_written_anew and not is_srgb(first.image)
        index = self.copied(first.image) if is_file else None
        if index is None:
            def pixels():
                sources = {c: self.values(p) for c, p in by_channel.items()}
                if any(source is None for source in sources.values()):
                    return None
                packed = numpy.ones(next(iter(sources.values())).shape + (3,), numpy.float32)
                for c, source in sources.items():
                    packed[..., "rgb".index(c)] = resized(source, packed.shape)
                return packed

            index = self.composed(tuple(sorted(by_channel.items())), pixels)
        return self.texture(index, first, subject)

    def normal(self, picture, subject):
        """The texture of a normal map."""
        is_file = not isinstance(picture, Sum) and not is_srgb(picture.image) and picture.levels == AS_IT_IS
        index = self.copied(picture.image) if is_file else None
        if index is None:
            index = self.composed(("normal", picture), lambda: self.values(picture))
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
        place = picture.parts()[0]
        if image_index is None:
            names = ", ".join(dict.fromkeys(part.image.name for part in picture.parts()))
            self.notes.add(subject, f"the picture {names} cannot be read and is left out")
            return None
        wrap = WRAPS.get(place.extension, WRAPS["REPEAT"])
        is_nearest = place.interpolation == "Closest"
        sampler = {"wrapS": wrap, "wrapT": wrap, "magFilter": NEAREST if is_nearest else LINEAR,
                   "minFilter": NEAREST if is_nearest else TRILINEAR}
        samplers = self.file.lists["samplers"]
        sampler_index = samplers.index(sampler) if sampler in samplers else self.file.add("samplers", sampler)
        texture = {"source": image_index, "sampler": sampler_index}
        textures = self.file.lists["textures"]
        info = {"index": textures.index(texture) if texture in textures else self.file.add("textures", texture)}
        if (place.offset, place.rotation, place.scale) != ((0.0, 0.0), 0.0, (1.0, 1.0)):
            self.file.extensions.add("KHR_texture_transform")
            info["extensions"] = {"KHR_texture_transform": transform(place)}
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
