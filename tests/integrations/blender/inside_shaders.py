"""Checks of shader nodes, pictures, attributes and notes inside Blender, called by inside_blender.py.

Every case is a square below an orthographic camera and a world of 1, so that one render shows them all. A square
reflects its colour, lets alpha's rest of the world through, and adds its light: all sums have a closed form.
"""

import math
import os

import bpy
import numpy

import make_scenes
from weft import cameras
from weft.export import export_scene

CELL = 6  # pixels of a square's side
COLUMNS = 10
SPP = 256


def shader_material(make):
    """A material with the shader output that `make(new, link)` returns."""
    material = bpy.data.materials.new("Case")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()

    def new(kind, inputs=(), **properties):
        node = tree.nodes.new(kind)
        for name, value in properties.items():
            setattr(node, name, value)
        for name, value in dict(inputs).items():
            if isinstance(value, bpy.types.NodeSocket):
                tree.links.new(node.inputs[name], value)
            else:
                node.inputs[name].default_value = value
        return node

    tree.links.new(new("ShaderNodeOutputMaterial").inputs["Surface"], make(new))
    return material


def picture(folder, name, color, space="sRGB", **properties):
    """An image of one colour (bytes), in a file."""
    image = bpy.data.images.new(name, 4, 4, alpha=True)
    image.colorspace_settings.name = space
    image.pixels.foreach_set(numpy.tile(numpy.array(color, numpy.float32), 16))
    image.filepath_raw, image.file_format = os.path.join(folder, name + ".png"), "PNG"
    image.save()
    bpy.data.images.remove(image)
    image = bpy.data.images.load(os.path.join(folder, name + ".png"))
    image.colorspace_settings.name = space
    for key, value in properties.items():
        setattr(image, key, value)
    return image


def diffuse(new, grey=0.0):
    return new("ShaderNodeBsdfDiffuse", {"Color": (grey, grey, grey, 1)}).outputs[0]


def principled(new, grey=0.0, alpha=1.0, **inputs):
    inputs = {name.replace("_", " "): value for name, value in inputs.items()}
    return new("ShaderNodeBsdfPrincipled", {
        "Base Color": (grey, grey, grey, 1), "Alpha": alpha, "Specular": 0.0, **inputs}).outputs[0]


def emission(new, strength, color=(1, 1, 1, 1)):
    return new("ShaderNodeEmission", {"Strength": strength, "Color": color}).outputs[0]


def clear(new):
    return new("ShaderNodeBsdfTransparent").outputs[0]


def mix(new, share, first, second):
    return new("ShaderNodeMixShader", {0: share, 1: first, 2: second}).outputs[0]


def plus(new, first, second):
    return new("ShaderNodeAddShader", {0: first, 1: second}).outputs[0]


def image_node(new, image, **inputs):
    return new("ShaderNodeTexImage", inputs, image=image, interpolation="Closest")


def attribute(new, name, output, kind="Attribute"):
    field = {"Attribute": "attribute_name", "VertexColor": "layer_name"}[kind]
    return new(f"ShaderNode{kind}", **{field: name}).outputs[output]


def colored(new, socket):
    """A diffuse shader with a colour from a socket."""
    return new("ShaderNodeBsdfDiffuse", {"Color": socket}).outputs[0]


def mixture_cases():
    """(what, shader, colour below a world of 1)"""
    return [
        ("black at alpha 1 and at 0.2", lambda n: mix(n, 0.5, diffuse(n), principled(n, 0, 0.2)), 0.4),
        ("grey at alpha 1 and at 0.2", lambda n: mix(n, 0.5, diffuse(n, 0.5), principled(n, 0.5, 0.2)), 0.7),
        ("emission and black at alpha 0.5", lambda n: mix(n, 0.5, emission(n, 2), principled(n, 0, 0.5)), 1.25),
        ("a mixture in a mixture",
         lambda n: mix(n, 0.5, mix(n, 0.5, clear(n), emission(n, 2)), diffuse(n)), 0.75),
        ("a sum of transparent and emission", lambda n: plus(n, clear(n), emission(n, 0.5)), 1.5),
        ("a mixture of such a sum", lambda n: mix(n, 0.5, plus(n, clear(n), emission(n, 1)), diffuse(n)), 1.0),
        ("a sum of alpha 0.5 and emission", lambda n: plus(n, principled(n, 0, 0.5), emission(n, 2)), 2.5),
        ("a sum of diffuse and glossy", lambda n: plus(n, diffuse(n, 0.3), n(
            "ShaderNodeBsdfGlossy", {"Color": (0.2, 0.2, 0.2, 1), "Roughness": 0.0}).outputs[0]), 0.5),
        ("a sum of transparent and diffuse, as far as a surface goes",
         lambda n: plus(n, clear(n), diffuse(n, 0.3)), 1.0),
        ("an index of 1 with specular 0.5", lambda n: principled(n, Specular=0.5, IOR=1.0, Roughness=0.0), 0.04),
    ]


def picture_cases(folder):
    quarter = picture(folder, "quarter", (0.25, 0.25, 0.25, 1), "Non-Color")
    red, green = (picture(folder, name, color) for name, color in (("red", (1, 0, 0, 1)), ("green", (0, 1, 0, 1))))
    veil = picture(folder, "veil", (0, 0, 0, 0.5))
    packed = picture(folder, "packed", (1, 1, 1, 0.5), alpha_mode="NONE")
    gone = picture(folder, "gone", (0.5, 0.5, 1, 1), "Non-Color")
    gone.filepath = os.path.join(folder, "nowhere.png")
    gone.reload()
    bright = bpy.data.images.new("bright", 4, 4, float_buffer=True)
    bright.colorspace_settings.name = "Linear"
    bright.pixels.foreach_set([4, 2, 0.5, 1] * 16)

    def grey(new):
        return image_node(new, quarter).outputs["Color"]

    def both(new, image):
        node = image_node(new, image)
        return principled(new, Base_Color=node.outputs["Color"], Alpha=node.outputs["Alpha"])

    def normal(new):
        bump = new("ShaderNodeNormalMap", {"Color": image_node(new, gone).outputs["Color"]})
        return new("ShaderNodeBsdfDiffuse", {"Color": (0.5, 0.5, 0.5, 1), "Normal": bump.outputs[0]}).outputs[0]

    def inverted(new):
        return new("ShaderNodeInvert", {"Color": grey(new)}).outputs[0]

    def placed(new, uv_map):
        return new("ShaderNodeUVMap", uv_map=uv_map).outputs[0]

    edges = bpy.data.images.new("edges", 2, 1)
    edges.pixels.foreach_set([1, 0, 0, 1, 0, 0, 1, 1])

    def by_map(new, uv_map):
        return colored(new, image_node(new, edges, Vector=placed(new, uv_map)).outputs["Color"])

    def by_own_mapping(new):
        node = image_node(new, edges, Vector=placed(new, "Left"))
        node.texture_mapping.translation = (0.5, 0, 0)
        return colored(new, node.outputs["Color"])

    def by_turn(new):
        turned = new("ShaderNodeMapping", {"Vector": placed(new, "Left"), "Rotation": (0, math.pi, 0)})
        return colored(new, image_node(new, edges, Vector=turned.outputs[0]).outputs["Color"])

    def at_point(new):
        point = new("ShaderNodeMapping", {"Location": (0.75, 0.5, 0)})
        return colored(new, image_node(new, edges, Vector=point.outputs[0]).outputs["Color"])

    return [
        ("emission that a picture makes transparent", lambda n: mix(n, grey(n), emission(n, 4), clear(n)), 3.25),
        ("two colours by a picture", lambda n: mix(n, grey(n), diffuse(n, 1.0), diffuse(n, 0.2)), 0.8),
        ("two pictures of light", lambda n: mix(
            n, 0.5, *(emission(n, 1, image_node(n, image).outputs[0]) for image in (red, green))), (0.5, 0.5, 0)),
        ("an inverted picture", lambda n: colored(n, inverted(n)), 0.75),
        ("a black picture whose alpha goes nowhere", lambda n: mix(
            n, 0.5, clear(n), colored(n, image_node(n, veil).outputs["Color"])), 0.5),
        ("a picture with its alpha", lambda n: both(n, veil), 0.5),
        ("alpha that is switched off", lambda n: both(n, packed), 1.0),
        ("the same at alpha 0.5", lambda n: principled(
            n, Base_Color=image_node(n, packed).outputs["Color"], Alpha=0.5), 1.0),
        ("a black picture at alpha 0.5", lambda n: principled(
            n, Base_Color=image_node(n, veil).outputs["Color"], Alpha=0.5), 0.5),
        ("light of a float picture", lambda n: emission(n, 1, image_node(n, bright).outputs[0]), (4, 2, 0.5)),
        ("a normal map that is missing", normal, 0.5),
        ("the second UV map by its name", lambda n: by_map(n, "Left"), (1, 0, 0)),
        ("the third UV map by its name", lambda n: by_map(n, "Right"), (0, 0, 1)),
        ("a UV map that the mesh lacks", lambda n: by_map(n, "None"), (1, 0, 0)),
        ("the node's own mapping", by_own_mapping, (0, 0, 1)),
        ("a mapping about y", by_turn, (0, 0, 1)),
        ("a mapping of one point", at_point, (0, 0, 1)),
    ]


def attribute_cases():
    return [
        ("light of vertex colours", lambda n: emission(n, 2, attribute(n, "Color", "Color", "VertexColor")),
         (1.2, 0.4, 0.2)),
        ("vertex colours, whose alpha goes nowhere", lambda n: colored(n, attribute(n, "Color", "Color")),
         (0.6, 0.2, 0.1)),
        ("alpha of vertex colours", lambda n: principled(n, Alpha=attribute(n, "Color", "Alpha")), 0.75),
        ("an attribute that is missing", lambda n: colored(n, attribute(n, "None", "Color")), 0.0),
        ("numbers of faces", lambda n: colored(n, attribute(n, "Number", "Fac")), 0.3),
        ("transparency by numbers", lambda n: mix(n, attribute(n, "Number", "Fac"), diffuse(n), clear(n)), 0.3),
    ]


def add_square(scene, number, material):
    """A square in the grid, with three UV maps and two attributes."""
    row, column = divmod(number, COLUMNS)
    made = make_scenes.add_plane(scene, f"Square{number}", (column, -row - 1, 0), (1, 0, 0), (0, 1, 0), material)
    for name, u in (("Left", 0.25), ("Right", 0.75)):
        layer = made.data.uv_layers.new(name=name)
        for corner in layer.data:
            corner.uv = (u, 0.5)
    colors = made.data.attributes.new("Color", "FLOAT_COLOR", "CORNER")
    for corner in colors.data:
        corner.color = (0.6, 0.2, 0.1, 0.25)
    made.data.attributes.new("Number", "FLOAT", "FACE").data[0].value = 0.3


def grid_scene(tools, materials, side, spp):
    """The squares of materials below a world of 1, `side` pixels each."""
    scene = tools.new_scene()
    for name in ("Floor", "Sun"):
        bpy.data.objects.remove(bpy.data.objects[name])
    make_scenes.set_world(scene, (1, 1, 1))
    rows = -(-len(materials) // COLUMNS)
    for number, material in enumerate(materials):
        add_square(scene, number, material)
    scene.camera.data.type, scene.camera.data.ortho_scale = "ORTHO", max(COLUMNS, rows)
    scene.camera.location = (COLUMNS / 2, -rows / 2, 5)
    scene.render.resolution_x, scene.render.resolution_y = side * COLUMNS, side * rows
    scene.weft.samples, scene.weft.filter = spp, "box"
    return scene


def colors_of(found):
    return numpy.stack([found[f"Combined.{channel}"] for channel in "RGB"], -1)


def check_shaders(tools, folder):
    cases = mixture_cases() + picture_cases(folder) + attribute_cases()
    scene = grid_scene(tools, [shader_material(make) for _, make, _ in cases], CELL, SPP)
    pixels = colors_of(tools.rendered(scene, folder, "shaders"))
    for number, (what, _, expected) in enumerate(cases):
        row, column = divmod(number, COLUMNS)
        seen = pixels[row * CELL:(row + 1) * CELL, column * CELL:(column + 1) * CELL].mean(axis=(0, 1))
        expected = numpy.broadcast_to(expected, 3)
        tools.check(abs(seen - expected).max() < 0.03 * max(1, expected.max()), f"{what}: {seen.round(3)}, {expected}")


def value_materials():
    """(what, material) with the value of a node of constants as light."""
    first, second = (0.2, 0.6, 0.9, 1), (0.7, 0.3, 0.5, 1)
    cases = []

    def add(kind, inputs, output=0, **properties):
        def make(new):
            node = new("ShaderNode" + kind, **properties)
            for socket, value in zip([socket for socket in node.inputs if socket.enabled], inputs):
                socket.default_value = value
            outputs = [socket for socket in node.outputs if socket.enabled]
            return new("ShaderNodeEmission", {"Color": outputs[output]}).outputs[0]
        cases.append((f"{kind} {properties} {inputs if kind == 'Blackbody' else ''}", shader_material(make)))

    for operation in bpy.types.ShaderNodeMath.bl_rna.properties["operation"].enum_items.keys():
        add("Math", (0.7, 0.4, 0.3), operation=operation)
    for blend in bpy.types.ShaderNodeMix.bl_rna.properties["blend_type"].enum_items.keys():
        add("Mix", (0.3, first, second), data_type="RGBA", blend_type=blend)
    add("Mix", (0.3, 0.5, 0.9), data_type="FLOAT", blend_type="MULTIPLY")
    for temperature in (500, 900, 1100, 1300, 1600, 3000, 5000, 9000, 15000):
        add("Blackbody", (temperature,))
    for mode in ("RGB", "HSV", "HSL"):
        add("CombineColor", (0.3, 0.6, 0.8), mode=mode)
        add("SeparateColor", (first,), 1, mode=mode)
    add("Gamma", (first, 2.2))
    add("BrightContrast", (first, 0.2, 0.3))
    add("Invert", (0.7, first))
    add("HueSaturation", (0.7, 1.2, 0.9, 0.8, first))
    add("RGBToBW", (first,))
    add("Clamp", (1.7, 0.2, 0.9))
    add("MapRange", (0.3, 0.1, 0.8, 0.2, 2.0))
    add("ValToRGB", (0.3,))
    return cases


def check_values(tools, folder):
    """Nodes of constants give what Cycles makes of them."""
    cases = value_materials()
    scene = grid_scene(tools, [material for _, material in cases], 1, 1)
    found = {}
    for engine in ("WEFT", "CYCLES"):
        scene.render.engine = engine
        scene.cycles.samples, scene.cycles.use_denoising, scene.cycles.pixel_filter_type = 1, False, "BOX"
        pixels = colors_of(tools.rendered(scene, folder, f"values_{engine}"))
        found[engine] = pixels.reshape(-1, 3)[:len(cases)]
    scene.render.engine = "WEFT"
    differs = [f"{what}: {own}, {other}" for (what, _), own, other in zip(cases, found["WEFT"], found["CYCLES"])
               if not numpy.allclose(own, numpy.maximum(other, 0), rtol=2e-3, atol=2e-3)]
    tools.check(not differs, f"{len(cases)} nodes of constants have the values of Cycles {differs}")


def notes_of(folder):
    """What an export of the scene notes, in one text."""
    return "\n".join(export_scene(bpy.context.evaluated_depsgraph_get(), folder).notes.lines())


def check_note_lines(tools, folder):
    """Settings that do not go over have a line."""
    scene = tools.new_scene()
    tools.check(notes_of(folder) == "", "a plain scene has no notes")
    floor, sun, layer = bpy.data.objects["Floor"], bpy.data.objects["Sun"], bpy.context.view_layer
    cases = [
        (floor, "visible_camera", False, "Object Floor: the camera sees it"),
        (floor, "visible_shadow", False, "Object Floor: it casts shadows"),
        (floor, "is_holdout", True, "Object Floor: it is no holdout"),
        (layer, "use_sky", False, "the world is there"),
        (layer, "material_override", bpy.data.materials["Floor"], "its material override is left out"),
        (scene.world.cycles_visibility, "camera", False, "the camera sees it"),
        (sun.data.cycles, "cast_shadow", False, "it casts shadows"),
        (sun.data, "energy", -1.0, "light below 0 is left out"),
        (sun.data, "angle", 1.0, "so wide a sun keeps its strength"),
        (scene.camera, "scale", (-1, 1, 1), "its mirroring is left out"),
    ]
    for holder, name, value, sentence in cases:
        kept = getattr(holder, name)
        kept = tuple(kept) if name == "scale" else kept
        setattr(holder, name, value)
        holder.id_data.update_tag()
        lines = notes_of(folder)
        setattr(holder, name, kept)
        tools.check(sentence in lines, f"{name} {value} has a line: {lines}")
    check_material_notes(tools, folder, floor)


def check_material_notes(tools, folder, floor):
    """What a material's pictures and sums lack has a line."""
    quarter = picture(folder, "corner", (0.25, 0.25, 0.25, 1), "Filmic Log")
    tiled = picture(folder, "tiled.1001", (1, 0, 0, 1))
    tiled.source = "TILED"

    def elsewhere(new):
        far = new("ShaderNodeMapping", {"Vector": new("ShaderNodeUVMap").outputs[0], "Location": (0.5, 0, 0)})
        return principled(new, Base_Color=image_node(new, tiled).outputs[0],
                          Alpha=image_node(new, tiled, Vector=far.outputs[0]).outputs[0])

    cases = [
        (lambda n: colored(n, image_node(n, quarter).outputs[0]), "the colour space Filmic Log"),
        (lambda n: colored(n, image_node(n, tiled).outputs[0]), "the first tile shows everywhere"),
        (elsewhere, "its transparency lies as its colour does"),
        (lambda n: colored(n, n("ShaderNodeTexNoise").outputs[0]), "that drives color is replaced by 0.5"),
        (lambda n: plus(n, clear(n), diffuse(n, 0.3)), "a sum with a transparent shader lets less light through"),
        (lambda n: emission(n, -1), "light below 0 is left out"),
        (lambda n: diffuse(n, 2), "its colour is clipped to 0 and 1"),
    ]
    for make, sentence in cases:
        floor.data.materials[0] = shader_material(make)
        lines = notes_of(folder)
        tools.check(sentence in lines, f"a material's note: {lines}")


def check_sizes(tools):
    """Sizes and regions are divided as Blender does it."""
    render = tools.new_scene().render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 100, 100, 29
    tools.check(cameras.resolution(render) == (29, 29), "29 percent of 100 pixels are 29")
    render.resolution_percentage, render.use_border = 100, True
    render.border_min_x, render.border_max_x, render.border_min_y, render.border_max_y = 0.1, 0.7, 0.14, 0.28
    border = cameras.border_of(render)
    render.use_border = False
    tools.check(border == (10, 70, 72, 86), f"so is a region: {border}")


def check_mirrored_light(tools, folder):
    scene = tools.new_scene()
    bpy.data.objects.remove(bpy.data.objects["Sun"])
    make_scenes.set_world(scene, (0, 0, 0))
    lamp = make_scenes.add_light(scene, "Panel", "AREA", 50, (0, 0, 2), size=1)
    lit = []
    for scale in ((1, 1, 1), (-1, 1, 1), (1, 1, -1)):
        lamp.scale = scale
        lit.append(float(tools.rendered(scene, folder, "mirrored")["Combined.R"].mean()))
    tools.check(lit[0] > 0.01 and abs(lit[1] / lit[0] - 1) < 0.05 and lit[2] == 0,
                f"a mirrored area light shines to the side of Blender's: {lit}")


def run(tools, folder):
    check_sizes(tools)
    check_shaders(tools, folder)
    check_values(tools, folder)
    check_note_lines(tools, folder)
    check_mirrored_light(tools, folder)
