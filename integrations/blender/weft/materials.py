"""Materials: principled surfaces as glTF materials with their extensions."""

import math
from dataclasses import replace

from .fields import BLACK, WHITE, Field, mean_of, times
from .nodes import Reader
from .surfaces import Surface, SurfaceReader, absorption_of, anisotropic

# UV maps of a mesh that the program takes.
MOST_MAPS = 2


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
        reader = Reader(f"Material {material.name_full}", self.notes, self.textures.mean)
        output = material.node_tree.get_output_node("CYCLES") or material.node_tree.get_output_node("ALL")
        if output is None:
            return Surface(base=Field(BLACK))
        surface = SurfaceReader(reader).of_socket(output.inputs["Surface"])
        surface.absorption = absorption_of(reader, output.inputs["Volume"])
        if output.inputs["Displacement"].is_linked:
            reader.note("displacement is left out")
        return surface

    def attributes(self, material):
        """What a material asks a mesh for: names of UV maps, and attributes for colour, alpha and light."""
        surface = self.surface_of(material)
        fields = [value for value in vars(surface).values() if getattr(value, "picture", None) is not None]
        maps = dict.fromkeys(part.uv_map for value in fields for part in value.picture.parts())
        return tuple(maps), surface.base.colors, surface.alpha.colors, surface.emission.colors

    def maps_of(self, material, mesh_maps, rendered):
        """The UV maps of a mesh that a material shows, the one that renders first; `rendered` is that one's name."""
        asked = [name or rendered for name in self.attributes(material)[0]]
        found = [name for name in dict.fromkeys(asked) if name in mesh_maps]
        if rendered and (rendered in found or len(found) < MOST_MAPS):
            found = [rendered] + [name for name in found if name != rendered]
        if len(found) > MOST_MAPS:
            self.notes.add(f"Material {material.name_full}", f"its pictures lie by {MOST_MAPS} UV maps at most")
        return found[:MOST_MAPS]

    def key_of(self, material, maps, rendered, light):
        """What tells the glTF material on a mesh from others: places of UV maps, and the mean colour of its light."""
        name = material.name_full if material else "Blender's default"
        places = {asked: maps.index(asked or rendered) if (asked or rendered) in maps else None
                  for asked in self.attributes(material)[0]}
        return name, tuple(places.items()), light

    def index_of(self, material, key):
        """The index of a material with a key of key_of()."""
        if key not in self.indices:
            name, places, light = key
            surface = self.surface_of(material)
            if light is not None:
                emission = surface.emission
                surface = replace(surface, emission=Field(times(emission.factor, light), emission.picture))
            writer = MaterialWriter(self, f"Material {name}", dict(places))
            self.indices[key] = self.file.add("materials", writer.written(name, surface))
        return self.indices[key]


class MaterialWriter:
    """Writes one surface."""

    def __init__(self, owner, subject, places):
        self.owner = owner
        self.textures = owner.textures
        self.subject = subject
        self.places = places  # of UV maps on the mesh; None where it has no such map

    def info(self, info, picture):
        """A textureInfo with its UV map."""
        place = picture.parts()[0]
        index = self.places.get(place.uv_map)
        if info is None or index == 0:
            return info
        if index is not None:
            info["texCoord"] = index
            return info
        # All of the mesh is at the origin of a map that it lacks.
        self.owner.file.extensions.add("KHR_texture_transform")
        info["extensions"] = {"KHR_texture_transform": {
            "offset": [place.offset[0], 1 - place.offset[1]], "scale": [0.0, 0.0]}}
        return info

    def note(self, sentence):
        self.owner.notes.add(self.subject, sentence)

    def extend(self, material, name, value):
        self.owner.file.extensions.add(name)
        material.setdefault("extensions", {})[name] = value

    def written(self, name, surface):
        """The glTF material of a surface."""
        if surface.is_clear:
            return self.written_clear(name, surface)
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

    def written_clear(self, name, surface):
        """A surface that lets all rays through and shines: thin, and of index 1."""
        material = {"name": name, "doubleSided": True,
                    "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.0}}
        self.write_emission(material, surface)
        self.extend(material, "KHR_materials_ior", {"ior": 1.0})
        self.extend(material, "KHR_materials_specular", {"specularFactor": 0.0})
        self.extend(material, "KHR_materials_transmission", {"transmissionFactor": 1.0})
        return material

    def write_base(self, material, pbr, surface):
        """Base colour and alpha."""
        if max(surface.base.factor) > 1.001 or min(surface.base.factor) < 0:
            self.note("its colour is clipped to 0 and 1")
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
        if alpha < 1 or alpha_picture is not None or surface.alpha.colors is not None:
            material["alphaMode"] = "BLEND"

    def balanced(self, surface):
        """The base colour with which Weft's lobes reflect as much as Blender's."""
        color = surface.base.factor
        metallic, roughness = (
            mean_of(field.factor) * (self.textures.mean(field.picture) if field.picture is not None else 1)
            for field in (surface.metallic, surface.roughness))
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
                self.note("metallic and roughness lie as the roughness does")
            info = self.textures.data(pictures, self.subject)
        if info is not None:
            pbr["metallicRoughnessTexture"] = self.info(info, first)

    def write_emission(self, material, surface):
        emission = surface.emission
        strength = max(emission.factor)
        if strength <= 0:
            return
        material["emissiveFactor"] = [clamp(x / strength) for x in emission.factor]
        if emission.picture is not None:
            # The brightest number of a picture beyond 1 becomes 1.
            peak = self.textures.peak(emission.picture)
            info = self.textures.color(emission.picture, None, self.subject, (1 / peak,) * 3)
            if info is not None:
                material["emissiveTexture"] = self.info(info, emission.picture)
                strength *= peak
        self.extend(material, "KHR_materials_emissive_strength", {"emissiveStrength": strength})

    def write_specular(self, material, surface):
        """Index and strength of the dielectric's reflection."""
        if surface.ior < 1:
            self.note("its index of refraction is 1")
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
