"""Reading node trees: what drives a socket, as a constant, a picture or a colour attribute.

`Field` is a factor times an optional `Picture` or the colours of vertices. `Reader` follows links
through reroutes and groups; a node that it does not know is replaced by the mean of what it may give,
with a note.
"""

from dataclasses import dataclass
from typing import Optional

GREY = (0.2126, 0.7152, 0.0722)


@dataclass(frozen=True)
class Picture:
    """An image as a node shows it."""

    image: object
    channel: str = "rgb"  # rgb, grey, r, g, b, a
    uv_map: str = ""  # empty: the one that renders
    offset: tuple = (0.0, 0.0)  # of Blender's uv, after scale and rotation
    rotation: float = 0.0
    scale: tuple = (1.0, 1.0)
    interpolation: str = "Linear"
    extension: str = "REPEAT"

    def placement(self):
        """All but image and channel."""
        return (self.uv_map, self.offset, self.rotation, self.scale, self.interpolation, self.extension)


@dataclass
class Field:
    """factor × picture, or × the colours of vertices. The factor is a number or a tuple of three."""

    factor: object
    picture: Optional[Picture] = None
    attribute: Optional[str] = None  # "" is the colour attribute that renders

    def is_constant(self):
        return self.picture is None and self.attribute is None


def times(a, b):
    """The product of two factors."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        a = a if isinstance(a, tuple) else (a,) * 3
        b = b if isinstance(b, tuple) else (b,) * 3
        return tuple(x * y for x, y in zip(a, b))
    return a * b


def mean_of(factor):
    """A factor as a number."""
    return sum(w * x for w, x in zip(GREY, factor)) if isinstance(factor, tuple) else factor


def constant(socket):
    """The value of a socket without a link."""
    value = socket.default_value
    try:
        return tuple(float(x) for x in value[:3])
    except TypeError:
        return float(value)


class Reader:
    """Reads the sockets of one material or world."""

    def __init__(self, subject, notes):
        self.subject = subject
        self.notes = notes

    def note(self, sentence):
        self.notes.add(self.subject, sentence)

    def follow(self, socket, groups=()):
        """The node output that drives an input: (node, output, groups), or (None, input, groups)."""
        while socket.is_linked and socket.links and socket.links[0].is_valid:
            node, output = socket.links[0].from_node, socket.links[0].from_socket
            if node.mute and node.type != "REROUTE":
                through = [link for link in node.internal_links if link.to_socket == output]
                if not through:
                    return None, socket, groups
                socket = through[0].from_socket
            elif node.type == "REROUTE":
                socket = node.inputs[0]
            elif node.type == "GROUP" and node.node_tree is not None:
                ends = [end for end in node.node_tree.nodes if end.type == "GROUP_OUTPUT"]
                ends = [end for end in ends if end.is_active_output] or ends
                inputs = [end for end in (ends[0].inputs if ends else []) if end.identifier == output.identifier]
                if not inputs:
                    return node, output, groups
                socket, groups = inputs[0], groups + (node,)
            elif node.type == "GROUP_INPUT" and groups:
                inputs = [end for end in groups[-1].inputs if end.identifier == output.identifier]
                socket, groups = inputs[0], groups[:-1]
            else:
                return node, output, groups
        return None, socket, groups

    def color(self, socket, groups=()):
        """A colour input as a Field."""
        field = self.read(socket, groups)
        if not isinstance(field.factor, tuple):
            field.factor = (field.factor,) * 3
        return field

    def number(self, socket, groups=()):
        """A number input as a Field; colours count by their brightness."""
        field = self.read(socket, groups)
        field.factor = mean_of(field.factor)
        if field.attribute is not None:
            self.note(f"its {socket.name.lower()} ignores colours of vertices")
            field.attribute = None
        if field.picture is not None and field.picture.channel == "rgb":
            field.picture = Picture(field.picture.image, "grey", *field.picture.placement())
        return field

    def read(self, socket, groups=()):
        """Any value input as a Field."""
        node, output, groups = self.follow(socket, groups)
        if node is None:
            return Field(constant(output) if hasattr(output, "default_value") else 0.0)
        if node.type == "VALUE":
            return Field(float(node.outputs[0].default_value))
        if node.type == "RGB":
            return Field(tuple(node.outputs[0].default_value[:3]))
        if node.type == "TEX_IMAGE" and node.image is not None:
            return Field(1.0, self.picture(node, "a" if output.name == "Alpha" else "rgb", groups))
        if node.type in ("SEPRGB", "SEPARATE_COLOR") and getattr(node, "mode", "RGB") == "RGB":
            inner = self.read(node.inputs[0], groups)
            index = list(node.outputs).index(output)
            if inner.picture is not None and inner.picture.channel == "rgb":
                picture = Picture(inner.picture.image, "rgb"[index], *inner.picture.placement())
                return Field(inner.factor[index] if isinstance(inner.factor, tuple) else inner.factor, picture)
            if inner.is_constant():
                return Field(inner.factor[index] if isinstance(inner.factor, tuple) else inner.factor)
        if node.type in ("VERTEX_COLOR", "ATTRIBUTE"):
            name = node.layer_name if node.type == "VERTEX_COLOR" else node.attribute_name
            if getattr(node, "attribute_type", "GEOMETRY") == "GEOMETRY":
                return Field(1.0, None, name)
        product = self.product(node, groups)
        if product is not None:
            return product
        return Field(self.stand_in(node, output, groups, socket))

    def product(self, node, groups):
        """A multiplication in which at most one side is no constant; None for other nodes."""
        if node.type == "MATH" and node.operation == "MULTIPLY" and not node.use_clamp:
            sides = [self.read(node.inputs[0], groups), self.read(node.inputs[1], groups)]
        elif node.type in ("MIX_RGB", "MIX") and node.blend_type == "MULTIPLY":
            inputs = [end for end in node.inputs if end.enabled]
            amount = self.read(inputs[0], groups)
            if not amount.is_constant() or abs(mean_of(amount.factor) - 1) > 1e-6:
                return None
            sides = [self.read(inputs[-2], groups), self.read(inputs[-1], groups)]
        else:
            return None
        fixed = [side for side in sides if side.is_constant()]
        if not fixed:
            return None
        other = sides[1] if fixed[0] is sides[0] else sides[0]
        return Field(times(fixed[0].factor, other.factor), other.picture, other.attribute)

    def stand_in(self, node, output, groups, socket):
        """A constant for a node that does not go over, with a note."""
        value = self.mean(node, output, groups)
        self.note(f"the node {node.bl_label} that drives {socket.name.lower()} is replaced by its mean")
        return value

    def mean(self, node, output, groups, depth=0):
        """About the mean of what a node gives."""
        def input_mean(socket):
            inner, end, inner_groups = self.follow(socket, groups)
            if inner is None:
                return constant(end) if hasattr(end, "default_value") else 0.5
            return self.mean(inner, end, inner_groups, depth + 1) if depth < 8 else 0.5

        if node.type == "VALTORGB":
            steps = [node.color_ramp.evaluate((k + 0.5) / 16) for k in range(16)]
            return tuple(sum(step[c] for step in steps) / 16 for c in range(3))
        if node.type in ("MIX_RGB", "MIX"):
            inputs = [end for end in node.inputs if end.enabled]
            share = min(max(mean_of(input_mean(inputs[0])), 0), 1)
            a, b = (times(input_mean(end), (1.0,) * 3) for end in inputs[-2:])
            return tuple(x + (y - x) * share for x, y in zip(a, b))
        if node.type in ("TEX_CHECKER", "TEX_BRICK"):
            a, b = (times(input_mean(node.inputs[name]), (1.0,) * 3) for name in ("Color1", "Color2"))
            return tuple((x + y) / 2 for x, y in zip(a, b))
        if node.type in ("GAMMA", "BRIGHTCONTRAST", "HUE_SAT", "CURVE_RGB", "INVERT", "CLAMP", "MAP_RANGE"):
            names = [end for end in node.inputs if end.name in ("Color", "Value")]
            return input_mean(names[0]) if names else 0.5
        if node.type == "VALUE" or node.type == "RGB":
            return constant(node.outputs[0])
        return 0.5 if output.type == "VALUE" else (0.5, 0.5, 0.5)

    def picture(self, node, channel, groups):
        """An image texture node as a Picture."""
        uv_map, offset, rotation, scale = self.coordinates(node, groups)
        if node.projection != "FLAT":
            self.note(f"the picture {node.image.name} lies flat by its UV map, not projected")
        if node.extension == "CLIP":
            self.note(f"the picture {node.image.name} goes on with its edge outside")
        return Picture(node.image, channel, uv_map, offset, rotation, scale, node.interpolation, node.extension)

    def coordinates(self, node, groups):
        """(uv_map, offset, rotation, scale) of an image texture node."""
        plain = ("", (0.0, 0.0), 0.0, (1.0, 1.0))
        if not node.inputs["Vector"].is_linked:
            return plain
        source, output, groups = self.follow(node.inputs["Vector"], groups)
        offset, rotation, scale = plain[1:]
        if source is not None and source.type == "MAPPING":
            parts = [self.read(source.inputs[name], groups)
                     for name in ("Location", "Rotation", "Scale") if name in source.inputs]
            is_flat = len(parts) == 3 and all(part.is_constant() for part in parts)
            if source.vector_type == "POINT" and is_flat:
                offset = tuple(parts[0].factor[:2])
                rotation = parts[1].factor[2]
                scale = tuple(parts[2].factor[:2])
            else:
                self.note(f"the mapping of the picture {node.image.name} is left out")
            source, output, groups = self.follow(source.inputs["Vector"], groups)
        if source is not None and source.type == "UVMAP":
            return source.uv_map, offset, rotation, scale
        if source is not None and not (source.type == "TEX_COORD" and output.name == "UV"):
            self.note(f"the picture {node.image.name} lies by the UV map instead of {output.name.lower()} "
                      "coordinates")
        return "", offset, rotation, scale
