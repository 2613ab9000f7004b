"""Materials: principled surfaces as glTF materials with their extensions."""

import math

from .nodes import Field, Reader, mean_of, times
from .surfaces import BLACK, WHITE, Surface, SurfaceReader, absorption_of, anisotropic


class Materials:
    """The materials of one glTF file, each once."""

    def __init__(self, file, textures, notes):
        self.file = file
        self.textures = textures
        self.notes = notes
        self.surfaces = {}
        self.indices = {}

    def surface_of(self, material):
        """The surface of a material, read once; None has Blender's default grey."""
        name = material.name_full if material else ""
        if name not in self.surfaces:
            self.surfaces[name] = self.read(material)
        return self.surfaces[name]

    def read(self, material):
        if material is None:
            return Surface()
        if not material.use_nodes or material.node_tree is None:
            return Surface(base=Field(tuple(material.diffuse_color[:3])))
        reader = Reader(f"Material {material.name_full}", self.notes)
        output = material.node_tree.get_output_node("CYCLES") or material.node_tree.get_output_node("ALL")
        if output is None:
            return Surface(base=Field(BLACK))
        surface = SurfaceReader(reader).of_socket(output.inputs["Surface"])
        surface.absorption = absorption_of(reader, output.inputs["Volume"])
        if output.inputs["Displacement"].is_linked:
            reader.note("displacement is left out")
        return surface

    def color_attribute(self, material):
        """The name of the colour attribute that colours a material; None without one."""
        return self.surface_of(material).base.attribute

    def index_of(self, material, uv_names):
        """The index of a material on a mesh with these UV maps."""
        surface = self.surface_of(material)
        name = material.name_full if material else "Blender's default"
        second = uv_names[1] if len(uv_names) > 1 else None
        key = (name, second if second and self.names_map(surface, second) else None)
        if key not in self.indices:
            writer = MaterialWriter(self, f"Material {name}", key[1])
            self.indices[key] = self.file.add("materials", writer.written(name, surface))
        return self.indices[key]

    def names_map(self, surface, uv_name):
        """Whether a picture of the surface asks for a UV map by name."""
        pictures = [getattr(value, "picture", None) for value in vars(surface).values()]
        return any(picture is not None and picture.uv_map == uv_name for picture in pictures)


class MaterialWriter:
    """Writes one surface."""

    def __init__(self, owner, subject, second_map):
        self.owner = owner
        self.textures = owner.textures
        self.subject = subject
        self.second_map = second_map

    def info(self, info, picture):
        """A textureInfo with its UV map."""
        if info is not None and self.second_map and picture.uv_map == self.second_map:
            info["texCoord"] = 1
        return info

    def extend(self, material, name, value):
        self.owner.file.extensions.add(name)
        material.setdefault("extensions", {})[name] = value

    def written(self, name, surface):
        """The glTF material of a surface."""
        roughness, anisotropy = mean_of(surface.roughness.factor), 0.0
        if surface.anisotropy > 0:
            roughness, anisotropy = anisotropic(roughness, surface.anisotropy)
        pbr = {"metallicFactor": clamp(surface.metallic.factor), "roughnessFactor": clamp(roughness)}
        material = {"name": name, "doubleSided": True, "pbrMetallicRoughness": pbr}
        self.write_base(material, pbr, surface)
        self.write_metal(pbr, surface)
        if surface.normal is not None:
            info = self.textures.normal(surface.normal.picture, self.subject)
            if info is not None:
                info["scale"] = surface.normal.strength
                material["normalTexture"] = self.info(info, surface.normal.picture)
        self.write_emission(material, surface)
        self.write_specular(material, surface)
        self.write_transmission(material, surface)
        self.write_layers(material, surface)
        if anisotropy > 0:
            self.extend(material, "KHR_materials_anisotropy", {
                "anisotropyStrength": anisotropy, "anisotropyRotation": 2 * math.pi * surface.rotation})
        return material

    def write_base(self, material, pbr, surface):
        """Base colour and alpha."""
        color = self.balanced(surface)
        alpha = clamp(surface.alpha.factor)
        alpha_picture = surface.alpha.picture
        info = None
        if surface.base.picture is not None:
            # A factor above 1 goes into the picture.
            gain = tuple(round(max(channel, 1.0), 3) for channel in color)
            color = tuple(channel / more for channel, more in zip(color, gain))
            info = self.textures.color(surface.base.picture, alpha_picture, self.subject, gain)
            self.info(info, surface.base.picture)
        elif alpha_picture is not None:
            info = self.info(self.textures.alpha_alone(alpha_picture, self.subject), alpha_picture)
        if info is not None:
            pbr["baseColorTexture"] = info
        pbr["baseColorFactor"] = [*(clamp(channel) for channel in color), alpha]
        if alpha < 1 or alpha_picture is not None:
            material["alphaMode"] = "BLEND"

    def balanced(self, surface):
        """The base colour with which Weft's lobes reflect as much as Blender's."""
        color = surface.base.factor
        metallic = mean_of(surface.metallic.factor) if surface.metallic.picture is None else 0.0
        roughness = mean_of(surface.roughness.factor) if surface.roughness.picture is None else 0.5
        transmission = mean_of(surface.transmission.factor)
        diffuse = metal = color
        if surface.is_burley:
            f0 = mean_of(surface.specular) * ((surface.ior - 1) / (surface.ior + 1)) ** 2
            taken = reflected(f0, roughness) if surface.has_specular else 0.0
            gain = burley_albedo(roughness) / (1 - taken)
            diffuse = times(color, 1 + (gain - 1) * (1 - transmission))
        if surface.loses_light:
            metal = tuple(channel * single_scatter_gain(channel if surface.base.is_constant() else 0.5, roughness)
                          for channel in color)
        return tuple(a + (b - a) * metallic for a, b in zip(diffuse, metal))

    def write_metal(self, pbr, surface):
        """Pictures of metallic and roughness in one texture."""
        pictures = {}
        if surface.roughness.picture is not None:
            pictures["g"] = surface.roughness.picture
        if surface.metallic.picture is not None:
            pictures["b"] = surface.metallic.picture
        if not pictures:
            return
        if len(pictures) == 1 and "g" in pictures and surface.metallic.factor > 0:
            pictures["b"] = None
        if len(pictures) == 1 and "b" in pictures and surface.roughness.factor > 0:
            pictures["g"] = None
        if None in pictures.values():
            # The other channel has to be 1: a file of our own.
            first = next(picture for picture in pictures.values() if picture is not None)
            kept = {channel: picture for channel, picture in pictures.items() if picture is not None}
            info = self.textures.data(kept, self.subject, is_written_anew=True)
        else:
            first = next(iter(pictures.values()))
            if len({picture.placement() for picture in pictures.values()}) > 1:
                self.owner.notes.add(self.subject, "metallic and roughness lie as the roughness does")
            info = self.textures.data(pictures, self.subject)
        if info is not None:
            pbr["metallicRoughnessTexture"] = self.info(info, first)

    def write_emission(self, material, surface):
        emission = surface.emission
        strength = max(emission.factor)
        if strength <= 0:
            return
        material["emissiveFactor"] = [clamp(x / strength) for x in emission.factor]
        self.extend(material, "KHR_materials_emissive_strength", {"emissiveStrength": strength})
        if emission.picture is not None:
            info = self.textures.color(emission.picture, None, self.subject)
            if info is not None:
                material["emissiveTexture"] = self.info(info, emission.picture)

    def write_specular(self, material, surface):
        """Index and strength of the dielectric's reflection."""
        self.extend(material, "KHR_materials_ior", {"ior": max(surface.ior, 1.0)})
        if not surface.has_specular:
            self.extend(material, "KHR_materials_specular", {"specularFactor": 0.0})
        elif surface.specular != WHITE:
            self.extend(material, "KHR_materials_specular", {"specularColorFactor": list(surface.specular)})

    def write_transmission(self, material, surface):
        """Transmission through a solid, with the absorption of its inside."""
        transmission = surface.transmission
        if transmission.factor <= 0:
            return
        value = {"transmissionFactor": clamp(transmission.factor)}
        if transmission.picture is not None:
            info = self.textures.data({"r": transmission.picture}, self.subject)
            if info is not None:
                value["transmissionTexture"] = self.info(info, transmission.picture)
        self.extend(material, "KHR_materials_transmission", value)
        volume = {"thicknessFactor": 1.0}
        if max(surface.absorption) > 0:
            volume["attenuationDistance"] = 1.0
            volume["attenuationColor"] = [math.exp(-x) for x in surface.absorption]
        self.extend(material, "KHR_materials_volume", volume)

    def write_layers(self, material, surface):
        """Coat, sheen and film."""
        if surface.coat > 0:
            coat = {"clearcoatFactor": clamp(surface.coat),
                    "clearcoatRoughnessFactor": clamp(surface.coat_roughness)}
            if surface.coat_normal is not None:
                info = self.textures.normal(surface.coat_normal.picture, self.subject)
                if info is not None:
                    info["scale"] = surface.coat_normal.strength
                    coat["clearcoatNormalTexture"] = self.info(info, surface.coat_normal.picture)
            self.extend(material, "KHR_materials_clearcoat", coat)
        if max(surface.sheen) > 0:
            self.extend(material, "KHR_materials_sheen", {
                "sheenColorFactor": [clamp(x) for x in surface.sheen],
                "sheenRoughnessFactor": clamp(surface.sheen_roughness)})
        if surface.film_nm > 0:
            self.extend(material, "KHR_materials_iridescence", {
                "iridescenceFactor": 1.0, "iridescenceIor": surface.film_ior,
                "iridescenceThicknessMaximum": surface.film_nm})


def clamp(value):
    """A number or colour's brightness within [0, 1]."""
    return min(max(float(mean_of(value)), 0.0), 1.0)


# The three fits below are to furnaces of Cycles 3.4: a ball in uniform light, mean over its disk.


def reflected(f0, roughness):
    """The share of light that the specular lobe of a dielectric reflects, and that the diffuse one lacks."""
    return (f0 + (1 - f0) / 21) / (1 + 2.6 * roughness ** 2.5)


def burley_albedo(roughness):
    """What the diffuse lobe of Blender 3 reflects, where Lambert's reflects 1."""
    # Rough surfaces reflect more only at grazing angles: there less than the furnace's 1.066 fits more pictures.
    return min(0.956 + 0.1135 * roughness, 0.983 + 0.045 * roughness)


def single_scatter_gain(color, roughness):
    """The factor for a metal's colour that loses what facets lose without bounces between them."""
    kept = 1 / (1 + 1.65 * roughness ** 3.6)
    lost = 1 - kept
    if lost < 1e-4 or color <= 0:
        return 1.0
    # Weft reflects c (kept + c lost) at colour c; Blender reflects color · kept.
    return (math.sqrt(kept * kept + 4 * lost * kept * color) - kept) / (2 * lost * color)
