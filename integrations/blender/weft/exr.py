"""OpenEXR files without compression: reads the parts that `weft render` writes, writes panoramas.

Weft writes float channels in scan lines, one part per layer (`--exr-type float --exr-compression none`).
Blender's own reader gives no access to the layers of such a file.
"""

import struct

import numpy

MAGIC = 20000630
MULTI_PART = 0x1000
PIXEL_TYPES = {0: numpy.dtype("<u4"), 1: numpy.dtype("<f2"), 2: numpy.dtype("<f4")}


class ExrFault(Exception):
    """A file that is not what Weft writes; the text is a sentence."""


def text_at(data, at):
    """A text that ends with a zero byte, and where the next one begins."""
    end = data.index(b"\0", at)
    return data[at:end].decode("utf-8", "replace"), end + 1


def read_header(data, at):
    """The attributes of a part: {name: bytes, texts as such}, and where the next part begins."""
    attributes = {}
    while data[at] != 0:
        name, at = text_at(data, at)
        kind, at = text_at(data, at)
        size = struct.unpack_from("<i", data, at)[0]
        value = data[at + 4:at + 4 + size]
        attributes[name] = value.decode("utf-8", "replace") if kind == "string" else value
        at += 4 + size
    return attributes, at + 1


def read_channels(listed):
    """[(name, dtype)] of a channel list."""
    channels, at = [], 0
    while listed[at] != 0:
        name, at = text_at(listed, at)
        channels.append((name, PIXEL_TYPES[struct.unpack_from("<i", listed, at)[0]]))
        at += 16
    return channels


class Part:
    """One part of a file: where its pixels lie."""

    def __init__(self, attributes, path):
        if attributes["compression"][0] != 0:
            raise ExrFault(f"{path} is compressed, a file without compression is expected")
        x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"])
        self.top = y0
        self.width, self.height = x1 - x0 + 1, y1 - y0 + 1
        self.row = numpy.dtype([(name, kind, (self.width,)) for name, kind in read_channels(attributes["channels"])])
        self.rows = numpy.zeros(self.height, self.row)
        self.texts = {name: value for name, value in attributes.items() if isinstance(value, str)}


def read_exr(path):
    """{channel name: height × width floats, top row first} of all parts of a file."""
    return read_picture(path)[0]


def read_picture(path):
    """The same, and {name: text} of the first part's header."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        return read_parts(data, path)
    except (IndexError, KeyError, ValueError, struct.error) as fault:
        raise ExrFault(f"{path} is no EXR file that Weft writes ({fault})") from fault


def read_parts(data, path):
    magic, version = struct.unpack_from("<ii", data, 0)
    if magic != MAGIC:
        raise ExrFault(f"{path} is no EXR file")
    has_parts = version & MULTI_PART != 0
    # Read the headers: an empty one ends those of several parts.
    parts, at = [], 8
    while True:
        attributes, at = read_header(data, at)
        parts.append(Part(attributes, path))
        if not has_parts or data[at] == 0:
            at += 1 if has_parts else 0
            break
    # Skip the tables of offsets: the rows follow one another.
    at += 8 * sum(part.height for part in parts)
    for _ in range(sum(part.height for part in parts)):
        part = parts[struct.unpack_from("<i", data, at)[0]] if has_parts else parts[0]
        at += 4 if has_parts else 0
        y, size = struct.unpack_from("<ii", data, at)
        part.rows[y - part.top] = numpy.frombuffer(data, part.row, 1, at + 8)[0]
        at += 8 + size
    channels = {}
    for part in parts:
        for name in part.row.names:
            channels[name] = part.rows[name].astype(numpy.float32)
    return channels, parts[0].texts


def write_exr(path, pixels):
    """Writes height × width × 3 floats, top row first."""
    height, width = pixels.shape[:2]

    def attribute(name, kind, value):
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value

    channels = b"".join(name + b"\0" + struct.pack("<iBxxxii", 2, 0, 1, 1) for name in (b"B", b"G", b"R")) + b"\0"
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    header = struct.pack("<ii", MAGIC, 2) + b"".join([
        attribute("channels", "chlist", channels),
        attribute("compression", "compression", b"\0"),
        attribute("dataWindow", "box2i", window),
        attribute("displayWindow", "box2i", window),
        attribute("lineOrder", "lineOrder", b"\0"),
        attribute("pixelAspectRatio", "float", struct.pack("<f", 1)),
        attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
        attribute("screenWindowWidth", "float", struct.pack("<f", 1)),
    ]) + b"\0"
    line = 8 + 12 * width
    first = len(header) + 8 * height
    with open(path, "wb") as file:
        file.write(header)
        file.write((first + line * numpy.arange(height, dtype="<u8")).tobytes())
        for y in range(height):
            row = numpy.ascontiguousarray(pixels[y, :, ::-1].T, "<f4")
            file.write(struct.pack("<ii", y, 12 * width) + row.tobytes())
