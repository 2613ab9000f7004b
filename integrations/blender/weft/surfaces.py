"""From the shader nodes of a material to one principled surface.

`Surface` holds what Weft's material has, in Blender's words. Mixtures of shaders become a mixture of
their parameters (mixtures.py), which is exact for transparency, emission, and diffuse with glossy of one colour.
"""

import math
from dataclasses import dataclass, field

from .fields import BLACK, WHITE, Field, mean_of, product, times
from .mixtures import mixed, summed

# The least index with a reflection that the program can scale up to any other.
LEAST_INDEX = 1.0203


@dataclass
class NormalMap:
    """A tangent space normal map."""

    picture: object
    strength: float = 1.0


@dataclass
class Surface:
    """The parameters of a surface; a diffuse one by default."""

    base: Field = field(default_factory=lambda: Field((0.8, 0.8, 0.8)))
    alpha: Field = field(default_factory=lambda: Field(1.0))
    is_clear: bool = False  # it has an alpha of 0, and shines nevertheless
    metallic: Field = field(default_factory=lambda: Field(0.0))
    roughness: Field = field(default_factory=lambda: Field(1.0))
    specular: tuple = BLACK  # reflectance of the dielectric along its normal, over that of its index
    has_specular: bool = False
    ior: float = 1.5
    transmission: Field = field(default_factory=lambda: Field(0.0))
    absorption: tuple = BLACK  # of the inside, per metre
    emission: Field = field(default_factory=lambda: Field(BLACK))
    normal: object = None
    coat: float = 0.0
    coat_roughness: float = 0.0
    coat_normal: object = None
    sheen: tuple = BLACK
    sheen_roughness: float = 0.3
    anisotropy: float = 0.0  # Blender's
    rotation: float = 0.0  # of the anisotropy, in turns
    film_ior: float = 1.33
    film_nm: float = 0.0
    is_burley: bool = False  # Blender 3's diffuse lobe, which adds to the specular one
    loses_light: bool = False  # rough reflections without what bounces between facets


def socket_of(node, *names):
    """The first input with one of these names: names differ between versions of Blender."""
    for name in names:
        if name in node.inputs:
            return node.inputs[name]
    return None


class SurfaceReader:
    """Reads shaders through a `nodes.Reader`."""

    def __init__(self, reader):
        self.reader = reader

    def of_socket(self, socket, groups=()):
        """The surface behind a shader input; a black one without a link."""
        node, _, groups = self.reader.follow(socket, groups)
        if node is None:
            return Surface(base=Field(BLACK))
        make = getattr(self, "read_" + node.type.lower(), None)
        if make is None:
            self.reader.note(f"the shader {node.bl_label} shows as diffuse")
            return self.diffuse(node, groups)
        return make(node, groups)

    def fixed(self, socket, groups, stand_in):
        """A number input that Weft has no picture for; a version of Blender may lack it."""
        if socket is None:
            return stand_in
        return self.reader.fixed_number(socket, groups)

    def normal_of(self, node, groups, name="Normal"):
        """The normal map of an input; None without one."""
        if name not in node.inputs:
            return None
        source, _, inner = self.reader.follow(node.inputs[name], groups)
        if source is None or source.type in ("NEW_GEOMETRY", "TEX_COORD"):
            return None
        if source.type == "BUMP":
            self.reader.note("bump is left out")
            return self.normal_of(source, inner)
        if source.type == "NORMAL_MAP" and source.space == "TANGENT":
            color = self.reader.color(source.inputs["Color"], inner)
            if color.picture is not None and color.picture.channel == "rgb":
                strength = self.fixed(source.inputs["Strength"], inner, 1.0)
                return NormalMap(color.picture, strength)
        self.reader.note(f"the node {source.bl_label} that drives {name.lower()} is left out")
        return None

    def diffuse(self, node, groups):
        """A diffuse surface with the colour of a shader, if it has one."""
        color = socket_of(node, "Color", "Base Color")
        surface = Surface(normal=self.normal_of(node, groups))
        if color is not None:
            surface.base = self.reader.color(color, groups)
        return surface

    def read_bsdf_diffuse(self, node, groups):
        return self.diffuse(node, groups)

    def read_emission(self, node, groups):
        return Surface(base=Field(BLACK), emission=self.emission(node.inputs["Color"], node.inputs["Strength"], groups))

    def emission(self, color_socket, strength_socket, groups):
        """A colour times a strength, of which one may be a picture."""
        color = self.reader.color(color_socket, groups)
        if strength_socket is None:
            return color
        strength = self.reader.number(strength_socket, groups, keeps_colors=True)
        shining = product(color, strength)
        if shining is None:
            shining = color.times(self.reader.fixed(strength_socket, strength))
        if min(shining.factor) < 0:
            self.reader.note("light below 0 is left out")
            shining.factor = tuple(max(channel, 0.0) for channel in shining.factor)
        return shining

    def read_bsdf_transparent(self, node, groups):
        color = self.reader.color(node.inputs["Color"], groups)
        if not color.is_constant() or min(color.factor) < 0.999:
            self.reader.note("coloured transparency is colourless")
        return Surface(base=Field(BLACK), alpha=Field(0.0))

    def read_holdout(self, node, groups):
        self.reader.note("the holdout is transparent")
        return Surface(base=Field(BLACK), alpha=Field(0.0))

    def read_bsdf_glossy(self, node, groups):
        roughness = self.reader.number(node.inputs["Roughness"], groups)
        if getattr(node, "distribution", "") == "SHARP":
            roughness = Field(0.0)
        return Surface(base=self.reader.color(node.inputs["Color"], groups), metallic=Field(1.0),
                       roughness=roughness, normal=self.normal_of(node, groups),
                       loses_light=getattr(node, "distribution", "") != "MULTI_GGX")

    def read_bsdf_glass(self, node, groups):
        surface = self.read_bsdf_glossy(node, groups)
        surface.metallic, surface.loses_light = Field(0.0), False
        surface.transmission = Field(1.0)
        surface.has_specular, surface.specular = True, WHITE
        surface.ior = self.fixed(node.inputs["IOR"], groups, 1.45)
        return surface

    def read_bsdf_refraction(self, node, groups):
        self.reader.note("the refraction reflects, too, as glass does")
        return self.read_bsdf_glass(node, groups)

    def read_bsdf_principled(self, node, groups):
        """The principled shader of Blender 3 or 4."""
        reader = self.reader
        is_old = "Specular" in node.inputs
        surface = Surface(
            base=reader.color(node.inputs["Base Color"], groups),
            metallic=reader.number(node.inputs["Metallic"], groups),
            roughness=reader.number(node.inputs["Roughness"], groups),
            alpha=reader.number(node.inputs["Alpha"], groups, keeps_colors=True),
            transmission=reader.number(socket_of(node, "Transmission", "Transmission Weight"), groups),
            ior=self.fixed(node.inputs["IOR"], groups, 1.45),
            normal=self.normal_of(node, groups),
            coat_normal=self.normal_of(node, groups, "Clearcoat Normal" if is_old else "Coat Normal"),
        )
        surface.emission = self.emission(
            socket_of(node, "Emission", "Emission Color"), socket_of(node, "Emission Strength"), groups)
        surface.anisotropy = self.fixed(socket_of(node, "Anisotropic"), groups, 0.0)
        surface.rotation = self.fixed(socket_of(node, "Anisotropic Rotation"), groups, 0.0)
        surface.coat = self.fixed(socket_of(node, "Clearcoat", "Coat Weight"), groups, 0.0)
        surface.coat_roughness = self.fixed(socket_of(node, "Clearcoat Roughness", "Coat Roughness"), groups, 0.0)
        if self.fixed(socket_of(node, "Subsurface", "Subsurface Weight"), groups, 0.0) > 0:
            reader.note("subsurface scattering shows as diffuse")
        if is_old:
            self.set_specular_of_3(surface, node, groups)
        else:
            self.set_specular_of_4(surface, node, groups)
        return surface

    def set_specular_of_3(self, surface, node, groups):
        """Specular, sheen and coat of Blender 3: F0 is 0.08 times the socket, whatever the index."""
        tint = self.fixed(node.inputs["Specular Tint"], groups, 0.0)
        level = self.fixed(node.inputs["Specular"], groups, 0.5)
        is_glass = surface.transmission.is_constant() and surface.transmission.factor >= 1
        if not is_glass and surface.ior < LEAST_INDEX:
            if not surface.transmission.is_zero():
                self.reader.note(f"its index of refraction is {LEAST_INDEX:.2f}")
            surface.ior = LEAST_INDEX
        own_f0 = ((surface.ior - 1) / (surface.ior + 1)) ** 2
        base = mean_tint(surface.base.factor)
        color = tuple(1 + (channel - 1) * tint for channel in base)
        if is_glass:
            # The socket has no effect on glass.
            surface.has_specular, surface.specular = True, WHITE
        else:
            surface.has_specular = level > 0
            surface.specular = times(color, 0.08 * level / own_f0)
        # A lobe of Burley's sheen; Charlie's is brighter towards the edge.
        sheen = self.fixed(node.inputs["Sheen"], groups, 0.0)
        sheen_tint = self.fixed(node.inputs["Sheen Tint"], groups, 0.5)
        surface.sheen = tuple(min(0.5 * sheen * (1 + (channel - 1) * sheen_tint), 1) for channel in base)
        surface.sheen_roughness = 0.5
        surface.coat *= 0.25
        surface.is_burley = True
        surface.loses_light = node.distribution == "GGX"
        if self.fixed(socket_of(node, "Transmission Roughness"), groups, 0.0) > 0:
            self.reader.note("the transmission has the roughness of the surface")

    def set_specular_of_4(self, surface, node, groups):
        """Specular, sheen, coat and film of Blender 4, by index and level."""
        level = self.fixed(node.inputs["Specular IOR Level"], groups, 0.5)
        tint = self.reader.fixed_color(node.inputs["Specular Tint"], groups)
        surface.has_specular = level > 0
        surface.specular = times(tint, 2 * level)
        weight = self.fixed(socket_of(node, "Sheen Weight"), groups, 0.0)
        surface.sheen = times(self.reader.fixed_color(node.inputs["Sheen Tint"], groups), weight)
        surface.sheen_roughness = self.fixed(socket_of(node, "Sheen Roughness"), groups, 0.5)
        surface.film_nm = self.fixed(socket_of(node, "Thin Film Thickness"), groups, 0.0)
        surface.film_ior = self.fixed(socket_of(node, "Thin Film IOR"), groups, 1.33)
        if self.fixed(socket_of(node, "Diffuse Roughness"), groups, 0.0) > 0:
            self.reader.note("the diffuse roughness is left out")
        if surface.coat > 0:
            tint = self.reader.fixed_color(node.inputs["Coat Tint"], groups)
            if min(tint) < 0.999 or abs(self.fixed(node.inputs["Coat IOR"], groups, 1.5) - 1.5) > 1e-3:
                self.reader.note("the coat is colourless with an index of 1.5")

    def read_mix_shader(self, node, groups):
        share = self.reader.number(node.inputs[0], groups, keeps_colors=True)
        return mixed(self.of_socket(node.inputs[1], groups), self.of_socket(node.inputs[2], groups), share,
                     self.reader.note)

    def read_add_shader(self, node, groups):
        return summed(self.of_socket(node.inputs[0], groups), self.of_socket(node.inputs[1], groups),
                      self.reader.note)


def mean_tint(color):
    """A colour at brightness 1, as the tints of Blender 3 have it."""
    brightness = mean_of(color)
    return tuple(channel / brightness for channel in color) if brightness > 0 else WHITE


def absorption_of(reader, socket):
    """Absorption per metre of a volume socket: that of a Volume Absorption node."""
    node, _, groups = reader.follow(socket)
    if node is None:
        return BLACK
    if node.type == "VOLUME_ABSORPTION":
        color = reader.color(node.inputs["Color"], groups)
        density = reader.number(node.inputs["Density"], groups)
        if color.is_constant() and density.is_constant():
            return tuple(max(1 - channel, 0) * density.factor for channel in color.factor)
    reader.note("its volume is left out")
    return BLACK


def anisotropic(roughness, anisotropy):
    """(roughness, anisotropy) of glTF for those of Blender: the same widths of the highlight."""
    alpha = max(roughness * roughness, 1e-3)
    aspect = math.sqrt(1 - 0.9 * min(max(anisotropy, 0), 1))
    wide, narrow = min(alpha / aspect, 1), alpha * aspect
    return math.sqrt(narrow), math.sqrt(max(wide - narrow, 0) / max(1 - narrow, 1e-6))
