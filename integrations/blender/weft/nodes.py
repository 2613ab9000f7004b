"""Reading node trees: what drives a socket, as a constant, a picture or a colour attribute.

`Reader` follows links through reroutes and groups. Arithmetic of constants is done, sums and products of pictures
with constants are pictures; any other node is replaced by a number or colour, with a note that says which.
"""

from dataclasses import replace

import numpy

from .fields import WHITE, Colors, Field, Picture, blend, color_of, mean_of, plus, product, times, total
from .node_values import NODES
from .placements import PLAIN, constant_place, flat, mapping_matrix, own_mapping

# Colour spaces in which pixels of bytes are read as Blender reads them.
KNOWN_SPACES = {"sRGB", "Linear", "Linear Rec.709", "Linear BT.709", "Non-Color", "Raw", ""}


def constant(socket):
    """The value of a socket without a link."""
    value = socket.default_value
    try:
        return tuple(float(x) for x in value[:3])
    except TypeError:
        return float(value)


def shown(factor):
    """A constant in a note."""
    if isinstance(factor, tuple) and max(factor) - min(factor) > 5e-4:
        return "(" + ", ".join(f"{channel:.3g}" for channel in factor) + ")"
    return f"{color_of(factor)[0]:.3g}"


class Reader:
    """Reads the sockets of one material or world. `mean_of_picture` tells the mean of a picture's channel."""

    def __init__(self, subject, notes, mean_of_picture=None):
        self.subject = subject
        self.notes = notes
        self.mean_of_picture = mean_of_picture

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
        return replace(field, factor=color_of(field.factor))

    def number(self, socket, groups=(), keeps_colors=False):
        """A number input as a Field; colours count by their brightness."""
        field = self.read(socket, groups).of_channel("grey")
        if field.colors is not None and not keeps_colors:
            return Field(self.fixed(socket, field))
        return field

    def fixed_number(self, socket, groups=()):
        """A number input that Weft has no picture for."""
        return self.fixed(socket, self.number(socket, groups))

    def fixed_color(self, socket, groups=()):
        """A colour input that Weft has no picture for."""
        return color_of(self.fixed(socket, self.color(socket, groups)))

    def fixed(self, socket, field):
        """A constant for a field, with a note where it is none."""
        if field.is_constant():
            return field.factor
        value = self.mean(field)
        what = "picture" if field.picture is not None else "attribute"
        self.note(f"the {what} of {socket.name.lower()} is replaced by {shown(value)}")
        return value

    def mean(self, field):
        """About the mean of a field."""
        value = field.factor
        if field.picture is not None:
            value = times(value, self.mean_of_picture(field.picture) if self.mean_of_picture else 0.5)
        return times(value, 0.5) if field.colors is not None else value

    def read(self, socket, groups=()):
        """Any value input as a Field."""
        node, output, groups = self.follow(socket, groups)
        if node is None:
            return Field(constant(output) if hasattr(output, "default_value") else 0.0)
        if node.type in ("VALUE", "RGB"):
            return Field(constant(node.outputs[0]))
        if node.type == "TEX_IMAGE" and node.image is not None:
            return Field(1.0, self.picture(node, "a" if output.name == "Alpha" else "rgb", groups))
        if node.type in ("VERTEX_COLOR", "ATTRIBUTE") and getattr(node, "attribute_type", "GEOMETRY") == "GEOMETRY":
            name = node.layer_name if node.type == "VERTEX_COLOR" else node.attribute_name
            return Field(1.0, None, Colors(name, {"Fac": "mean", "Alpha": "a"}.get(output.name, "rgb")))
        if node.type not in NODES:
            return self.stand_in(node, output, groups, socket)
        fields = [self.read(end, groups) for end in node.inputs if end.enabled]
        known = self.arithmetic(node, output, fields)
        return known if known is not None else self.evaluated(node, output, fields, socket)

    def arithmetic(self, node, output, fields):
        """Sums, products and channels of pictures; None for other nodes, and for constants alone."""
        if all(field.is_constant() for field in fields):
            return None
        if node.type in ("SEPRGB", "SEPARATE_COLOR") and getattr(node, "mode", "RGB") == "RGB":
            return fields[0].of_channel("rgb"[list(node.outputs).index(output)])
        if node.type == "RGBTOBW":
            return fields[0].of_channel("grey")
        if node.type == "INVERT" and fields[0].is_constant():
            share = mean_of(fields[0].factor)
            return total((colored(fields[1]), 1 - 2 * share), (Field(WHITE), share))
        if node.type == "MATH" and not node.use_clamp:
            numbers = [field.of_channel("grey") for field in fields]
            if node.operation in ("ADD", "SUBTRACT"):
                return total((numbers[0], 1), (numbers[1], 1 if node.operation == "ADD" else -1))
            return product(*numbers) if node.operation == "MULTIPLY" else None
        if node.type in ("MIX", "MIX_RGB"):
            return self.mixture(node, fields)
        return None

    @staticmethod
    def mixture(node, fields):
        """The node Mix where it is a sum or product; else None."""
        kind = getattr(node, "data_type", "RGBA")
        if getattr(node, "clamp_result", False) or getattr(node, "use_clamp", False) or kind == "VECTOR":
            return None
        share = fields[0].of_channel("grey")
        if share.is_constant() and getattr(node, "clamp_factor", True):
            share.factor = min(max(share.factor, 0), 1)
        if kind == "FLOAT":
            return blend(fields[1].of_channel("grey"), fields[2].of_channel("grey"), share)
        a, b = colored(fields[1]), colored(fields[2])
        if node.blend_type == "MIX":
            return blend(a, b, share)
        if node.blend_type == "ADD" and share.is_constant():
            return total((a, 1), (b, share.factor))
        # a × ((1 - share) + share × b)
        if node.blend_type == "MULTIPLY" and share.is_constant():
            other = total((Field(WHITE), 1 - share.factor), (b, share.factor))
            return product(a, other) if other is not None else None
        return None

    def evaluated(self, node, output, fields, socket):
        """What a node gives for constants, or for about the mean of its inputs."""
        is_exact = all(field.is_constant() for field in fields)
        is_guess = not is_exact or any(field.is_guess for field in fields)
        value = ramp_mean(node) if node.type == "VALTORGB" and is_guess else NODES[node.type](
            node, output, [self.mean(field) for field in fields])
        if value is None:
            is_exact, is_guess, value = False, True, middle(output)
        if not is_exact:
            self.tell(node, socket, value)
        return Field(value, is_guess=is_guess)

    def stand_in(self, node, output, groups, socket):
        """A constant for a node that does not go over, with a note."""
        value = middle(output)
        if node.type in ("TEX_CHECKER", "TEX_BRICK"):
            both = [self.mean(self.color(node.inputs[name], groups)) for name in ("Color1", "Color2")]
            value = times(plus(*both), 0.5)
        self.tell(node, socket, value)
        return Field(value, is_guess=True)

    def tell(self, node, socket, value):
        self.note(f"the node {node.bl_label} that drives {socket.name.lower()} is replaced by {shown(value)}")

    def picture(self, node, channel, groups):
        """An image texture node as a Picture."""
        image = node.image
        uv_map, offset, rotation, scale = self.coordinates(node, groups)
        if node.projection != "FLAT":
            self.note(f"the picture {image.name} lies flat by its UV map, not projected")
        if node.extension == "CLIP":
            self.note(f"the picture {image.name} goes on with its edge outside")
        if image.source == "TILED":
            self.note(f"of the picture {image.name} the first tile shows everywhere")
        space = image.colorspace_settings
        if not image.is_float and not space.is_data and space.name not in KNOWN_SPACES:
            self.note(f"the colour space {space.name} of the picture {image.name} is taken for linear")
        # Cycles has colours times alpha, but for a node whose alpha goes somewhere.
        is_straight = (node.outputs["Alpha"].is_linked or space.is_data
                       or image.alpha_mode in ("CHANNEL_PACKED", "NONE"))
        return Picture(image, channel, uv_map, offset, rotation, scale, node.interpolation, node.extension,
                       is_straight)

    def coordinates(self, node, groups):
        """(uv_map, offset, rotation, scale) of an image texture node."""
        matrix = self.known_matrix(own_mapping(node.texture_mapping), node)
        is_plain = numpy.array_equal(matrix, numpy.eye(4))
        place, socket = None, node.inputs["Vector"]
        if not socket.is_linked:
            return ("", *self.flat_place(matrix, node))
        source, output, groups = self.follow(socket, groups)
        while source is not None and source.type == "MAPPING":
            parts = [self.read(source.inputs[name], groups)
                     for name in ("Location", "Rotation", "Scale") if name in source.inputs]
            if len(parts) == 3 and all(part.is_constant() and not part.is_guess for part in parts):
                factors = [color_of(part.factor) for part in parts]
                found = mapping_matrix(source.vector_type, *factors)
                # The numbers of a flat mapping go over as they are.
                is_flat = is_plain and source.vector_type == "POINT" and factors[1][:2] == (0, 0)
                place = (factors[0][:2], factors[1][2], factors[2][:2]) if is_flat else None
                matrix, is_plain = matrix @ self.known_matrix(found, node), False
            else:
                self.note(f"the mapping of the picture {node.image.name} is left out")
            source, output, groups = self.follow(source.inputs["Vector"], groups)
        if source is None:
            return ("", *constant_place(matrix, color_of(constant(output))))
        uv_map = source.uv_map if source.type == "UVMAP" else ""
        if source.type != "UVMAP" and not (source.type == "TEX_COORD" and output.name == "UV"):
            self.note(f"the picture {node.image.name} lies by the UV map instead of {output.name.lower()} "
                      "coordinates")
        return (uv_map, *(place or self.flat_place(matrix, node)))

    def known_matrix(self, matrix, node):
        """A mapping's matrix, that of none where it has none."""
        if matrix is None:
            self.note(f"a mapping of the picture {node.image.name} is left out")
            return numpy.eye(4)
        return matrix

    def flat_place(self, matrix, node):
        """The offset, rotation and scale of a mapping."""
        if numpy.array_equal(matrix, numpy.eye(4)):
            return PLAIN
        place, is_exact = flat(matrix)
        if not is_exact:
            self.note(f"the mapping of the picture {node.image.name} has no shear")
        return place


def colored(field):
    """A field with a colour as its factor, for sums."""
    return replace(field, factor=color_of(field.factor))


def middle(output):
    """A value for an output that nothing is known of."""
    return 0.5 if output.type == "VALUE" else (0.5, 0.5, 0.5)


def ramp_mean(node):
    """The mean of a colour ramp."""
    steps = [node.color_ramp.evaluate((k + 0.5) / 16) for k in range(16)]
    return tuple(sum(step[channel] for step in steps) / 16 for channel in range(3))
