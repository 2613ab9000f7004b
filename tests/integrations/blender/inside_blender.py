"""Checks that run inside Blender with the add-on: blender -b --addons weft -P inside_blender.py -- FOLDER.

Passes, regions, notes, errors and cancel, each by Blender's own render operator. $WEFT is the program.
Prints a line for each check; the exit code is 1 if one fails.
"""

import json
import math
import os
import stat
import sys
import tempfile
import time
import types

import bpy
import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import inside_shaders
import make_scenes
import weft.engine
import weft.passes
from weft import command, exr, mattes
from weft.export import export_scene

SIDE = 48
faults = []


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        faults.append(sentence)


def new_scene():
    """A floor at height 0, seen from 5 m above, below a light."""
    for made in list(bpy.data.objects):
        bpy.data.objects.remove(made)
    scene = bpy.context.scene
    render = scene.render
    render.engine = "WEFT"
    render.resolution_x = render.resolution_y = SIDE
    render.use_border = render.use_crop_to_border = render.film_transparent = False
    render.image_settings.file_format = "OPEN_EXR_MULTILAYER"
    render.image_settings.color_depth = "32"
    render.image_settings.exr_codec = "NONE"
    scene.weft.samples = 4
    for name in weft.passes.OWN:
        setattr(scene.weft, name, False)
    layer = bpy.context.view_layer
    while layer.lightgroups:
        bpy.ops.scene.view_layer_remove_lightgroup()
    scene.weft.denoise = "off"
    make_scenes.set_world(scene, (0.2, 0.3, 0.4))
    floor = make_scenes.principled("Floor", Base_Color=(0.5, 0.25, 0.125, 1), Specular=0.0, Roughness=0.4)
    make_scenes.add_plane(scene, "Floor", (-1, -1, 0), (2, 0, 0), (0, 2, 0), floor)
    camera = make_scenes.add_camera(scene, (0, 0, 5), (0, 0, 0), 36)
    camera.rotation_euler = (0, 0, 0)
    make_scenes.add_light(scene, "Sun", "SUN", 2, (0, 0, 3))
    return scene


def rendered(scene, folder, name):
    """The passes of a render: {pass.channel: pixels}."""
    scene.render.filepath = os.path.join(folder, name + ".exr")
    bpy.ops.render.render(write_still=True)
    layers = exr.read_exr(scene.render.filepath)
    return {key.split(".", 1)[-1]: pixels for key, pixels in layers.items()}


def check_passes(folder):
    scene = new_scene()
    layer = bpy.context.view_layer
    layer.use_pass_z = layer.use_pass_normal = True
    scene.weft.pass_noisy = scene.weft.pass_albedo = scene.weft.pass_heat = True
    scene.weft.denoise = "quality"
    found = rendered(scene, folder, "passes")
    middle = (SIDE // 2, SIDE // 2)
    check(abs(found["Depth.Z"][middle] - 5) < 1e-3, "the depth of the middle is 5")
    inside = found["Depth.Z"][SIDE // 2 - 8:SIDE // 2 + 8, SIDE // 2 - 8:SIDE // 2 + 8]
    check(abs(inside - 5).max() < 1e-2, "depth is along the camera's axis")
    check(found["Depth.Z"][0, 0] > 1e9, "nothing is far away")
    normal = [found[f"Normal.{axis}"][middle] for axis in "XYZ"]
    check(numpy.allclose(normal, [0, 0, 1], atol=1e-4), "the normal of the floor points up in Blender's world")
    albedo = [found[f"Albedo.{channel}"][middle] for channel in "RGB"]
    check(numpy.allclose(numpy.array(albedo) / albedo[2], [4, 2, 1], rtol=1e-3), "the albedo has the floor's colour")
    check("Noisy.R" in found and (found["Noisy.R"] != found["Combined.R"]).any(), "the noisy picture is another one")
    world = [found[f"Combined.{channel}"][0, 0] for channel in "RGB"]
    check(numpy.allclose(world, [0.2, 0.3, 0.4], rtol=1e-3), "the world has its colour")
    expected = numpy.array([0.5, 0.25, 0.125]) * (2 / math.pi + numpy.array([0.2, 0.3, 0.4]))
    lit = [found[f"Noisy.{channel}"][middle] for channel in "RGB"]
    check(numpy.allclose(lit, expected, rtol=0.03), "a sun of 2 W/m² and the world light the floor")
    heat = found["Heat.X"]
    check(heat[middle] > 0 and heat[0, 0] == 0, "the floor has heat and the world none")


def keyed(shown, path, values, index=-1):
    """Keys of a property at frames 1, 2 and 3, with lines between them."""
    for frame, value in enumerate(values, 1):
        if index >= 0:
            getattr(shown, path)[index] = value
        else:
            setattr(shown, path, value)
        shown.keyframe_insert(path, index=index, frame=frame)


def check_vectors(folder):
    """A plate moves and turns, a cloth changes its shape, an instance and the camera move, a stone stands."""
    scene = new_scene()
    material = bpy.data.materials["Floor"]

    def plate(name, corner):
        return make_scenes.add_plane(scene, name, (*corner, 0.1), (0.6, 0, 0), (0, 0.6, 0), material)
    moved, cloth, _ = plate("Moved", (-0.9, -0.9)), plate("Cloth", (0.2, 0.2)), plate("Stone", (-0.9, 0.2))
    keyed(moved, "location", (0, 0.1, 0.4), 0)
    keyed(moved, "rotation_euler", (0, 0.02, 0.05), 2)
    cloth.shape_key_add(name="flat")
    blown = cloth.shape_key_add(name="blown")
    for point in blown.data:
        point.co.x += 0.3
    keyed(blown, "value", (0, 0.2, 1))
    grass = bpy.data.collections.new("Grass")
    blade = plate("Blade", (0.2, -0.9))
    scene.collection.objects.unlink(blade)
    grass.objects.link(blade)
    meadow = bpy.data.objects.new("Meadow", None)
    meadow.instance_type, meadow.instance_collection = "COLLECTION", grass
    scene.collection.objects.link(meadow)
    keyed(meadow, "location", (0, -0.1, -0.15), 1)
    keyed(scene.camera, "location", (-0.05, 0, 0.1), 0)
    scene.frame_set(2)
    layer = bpy.context.view_layer
    layer.use_pass_vector = True
    found = {}
    for engine in ("WEFT", "CYCLES"):
        scene.render.engine = engine
        scene.cycles.samples, scene.cycles.use_denoising = 4, False
        found[engine] = rendered(scene, folder, f"vectors_{engine}")
    layer.use_pass_vector = False
    check(scene.frame_current == 2, "the frame is as it was")
    own, other = (numpy.stack([found[engine][f"Vector.{axis}"] for axis in "XYZW"], -1) for engine in ("WEFT", "CYCLES"))
    metre = SIDE / 5
    for name, x, y in (("Moved", -0.6, -0.6), ("Cloth", 0.6, 0.5), ("Stone", -0.6, 0.5), ("Meadow", 0.5, -0.7),
                       ("Floor", 0, 0)):
        place = (int(SIDE / 2 - y * metre), int(SIDE / 2 + x * metre))
        check(numpy.allclose(own[place], other[place], atol=0.02),
              f"the vector of {name} is that of Cycles: {own[place].round(2)}, {other[place].round(2)}")
    still = (int(SIDE / 2 - 0.5 * metre), int(SIDE / 2 - 0.6 * metre))
    check(numpy.allclose(own[still], [0.05 * SIDE / 4.9, 0, 0.1 * SIDE / 4.9, 0], atol=0.01),
          "what stands goes against the camera")


def sum_of(found, names):
    """The sum of RGB passes."""
    return sum(numpy.stack([found[f"{name}.{channel}"] for channel in "RGB"]) for name in names)


def check_parts(folder):
    scene = new_scene()
    make_scenes.add_light(scene, "Lamp; old", "POINT", 30, (0.5, 0.5, 1))
    layer = bpy.context.view_layer
    for name in ("Sky", "Key", "Nobody"):
        bpy.ops.scene.view_layer_add_lightgroup(name=name)
    scene.world.lightgroup = "Sky"
    bpy.data.objects["Lamp; old"].lightgroup = "Key"
    scene.weft.pass_direct = scene.weft.pass_lobes = True
    found = rendered(scene, folder, "parts")
    whole = sum_of(found, ["Combined"])
    for names in (["Direct", "Indirect"], ["Emission", "Diffuse", "Specular", "Transmission"]):
        check(numpy.allclose(sum_of(found, names), whole, rtol=1e-5, atol=1e-6), f"{names} add up to the picture")
    sky, key = sum_of(found, ["Combined_Sky"]), sum_of(found, ["Combined_Key"])
    middle = (slice(None), SIDE // 2, SIDE // 2)
    check((sky + key <= whole * (1 + 1e-5) + 1e-6).all(), "light groups leave the sun's light out")
    check((key[middle] > 0.05).all() and (key[:, 0, 0] == 0).all(), "a lamp's group is its light on the floor")
    check(numpy.allclose(sky[:, 0, 0], [0.2, 0.3, 0.4], rtol=1e-3), "the world is in its group")
    check((sum_of(found, ["Combined_Nobody"]) == 0).all(), "a group without members is black")


def covered(corner, size):
    """The share of each pixel that a rectangle covers, below an orthographic camera that sees 3 m."""
    edges = 3 * (numpy.arange(SIDE + 1) / SIDE - 0.5)

    def along(begin, length):
        inside = numpy.clip(edges, begin, begin + length)
        return (inside[1:] - inside[:-1]) * SIDE / 3
    return numpy.outer(along(corner[1], size[1])[::-1], along(corner[0], size[0]))


def matte_scene():
    """Below an orthographic camera a floor, a plate, and a lid that hangs on the plate; their coverages."""
    scene = new_scene()
    scene.camera.data.type, scene.camera.data.ortho_scale = "ORTHO", 3
    scene.weft.samples, scene.weft.filter = 64, "box"
    scene.render.image_settings.file_format = "OPEN_EXR"
    steel = make_scenes.principled("Steel", Metallic=1.0)
    rectangles = {"Floor": ((-1, -1), (2, 2)), "Plate": ((-0.83, -0.61), (0.7, 1.1)), "Lid": ((0.21, 0.13), (0.5, 0.4))}
    for name in ("Plate", "Lid"):
        corner, size = rectangles[name]
        make_scenes.add_plane(scene, name, (*corner, 1), (size[0], 0, 0), (0, size[1], 0), steel)
    bpy.data.objects["Lid"].parent = bpy.data.objects["Plate"]
    truth = {name: covered(*rectangle) for name, rectangle in rectangles.items()}
    truth["Floor"] -= truth["Plate"] + truth["Lid"]
    return scene, truth


def picked(scene, folder, layer, names, image=None):
    """The matte that Blender's Cryptomatte node picks: of a render, or of an image file."""
    scene.use_nodes = True
    nodes = scene.node_tree.nodes
    nodes.clear()
    node = nodes.new("CompositorNodeCryptomatteV2")
    if image is not None:
        node.source, node.image = "IMAGE", bpy.data.images.load(image)
    else:
        nodes.new("CompositorNodeRLayers")  # Blender 3.4 renders nothing for a tree without one
    node.layer_name = layer
    node.matte_id = names
    composite = nodes.new("CompositorNodeComposite")
    scene.node_tree.links.new(composite.inputs["Image"], node.outputs["Matte"])
    scene.render.filepath = os.path.join(folder, "matte.exr")
    bpy.ops.render.render(write_still=True)
    scene.use_nodes = False
    return exr.read_exr(scene.render.filepath)["R"]


def check_mattes(folder):
    scene, truth = matte_scene()
    layer = bpy.context.view_layer
    layer.use_pass_cryptomatte_object = layer.use_pass_cryptomatte_material = layer.use_pass_cryptomatte_asset = True
    both = truth["Plate"] + truth["Lid"]
    cases = [("CryptoObject", "Plate", truth["Plate"]), ("CryptoObject", "Floor,Lid", truth["Floor"] + truth["Lid"]),
             ("CryptoMaterial", "Steel", both), ("CryptoAsset", "Plate", both)]
    for kind, names, true in cases:
        matte = picked(scene, folder, f"{layer.name}.{kind}", names)
        worst = abs(matte - true).max()
        check(matte.shape == true.shape and worst < 0.04, f"{kind} of {names} has its coverage, {worst:.3f} off at most")
    # The manifest, in a file that Blender writes.
    scene.render.image_settings.file_format = "OPEN_EXR_MULTILAYER"
    rendered(scene, folder, "manifest")
    texts = exr.read_picture(os.path.join(folder, "manifest.exr"))[1]
    key = mattes.key_of(f"{layer.name}.CryptoObject")
    check(texts.get(key + "name") == f"{layer.name}.CryptoObject", "the metadata name the layer")
    expected = {name: f"{mattes.murmur3(name):08x}" for name in truth}
    check(json.loads(texts.get(key + "manifest", "{}")) == expected, "and the hashes of all objects")
    scene.render.image_settings.file_format = "OPEN_EXR"
    # A file of weft render.
    exported = export_scene(bpy.context.evaluated_depsgraph_get(), folder)
    path = os.path.join(folder, "layers.exr")
    command.run([os.environ["WEFT"], "render", exported.path, "-o", path, "--width", str(SIDE), "--height", str(SIDE),
                 "--spp", "64", "--filter", "box", "--aov", "crypto_object", "--progress", "json"],
                lambda event: None, lambda: False)
    worst = abs(picked(scene, folder, "crypto_object", "Plate", path) - truth["Plate"]).max()
    check(worst < 0.04, f"so has a matte of a file of weft render, {worst:.3f} off at most")
    layer.use_pass_cryptomatte_object = layer.use_pass_cryptomatte_material = layer.use_pass_cryptomatte_asset = False


def check_region(folder):
    scene = new_scene()
    whole = rendered(scene, folder, "whole")["Combined.R"]
    render = scene.render
    render.use_border, render.use_crop_to_border = True, True
    render.border_min_x, render.border_max_x, render.border_min_y, render.border_max_y = 0.25, 0.75, 0.5, 0.75
    part = rendered(scene, folder, "part")["Combined.R"]
    check(part.shape == (SIDE // 4, SIDE // 2), "a cropped region has its size")
    same = whole[SIDE // 4:SIDE // 2, SIDE // 4:3 * SIDE // 4]
    check(part.shape == same.shape and (part == same).all(), "a region has the bits of the whole picture")
    render.use_crop_to_border = False
    framed = rendered(scene, folder, "framed")["Combined.R"]
    check(framed.shape == whole.shape, "a region in its frame has the size of the frame")
    check((framed[SIDE // 4:SIDE // 2, SIDE // 4:3 * SIDE // 4] == same).all(), "and lies at its place")
    check((framed[:SIDE // 4] == 0).all() and (framed[SIDE // 2:] == 0).all(), "with nothing around it")
    render.use_border = False


def check_film(folder):
    scene = new_scene()
    scene.render.film_transparent = True
    found = rendered(scene, folder, "film")
    check(found["Combined.A"][0, 0] == 0 and found["Combined.A"][SIDE // 2, SIDE // 2] == 1, "the world is transparent")
    check(found["Combined.R"][0, 0] == 0, "and has no colour")


class Told:
    """Catches what the engine tells: its lines and its errors. (Blender's own functions cannot be replaced.)"""

    def __init__(self):
        self.lines = []
        self.errors = []

    def __enter__(self):
        engine = weft.engine.WeftEngine
        self.kept = engine.tell, engine.fail
        engine.tell = lambda _, line: self.lines.append(line)
        engine.fail = lambda _, sentence: self.errors.append(sentence)
        return self

    def __exit__(self, *_):
        weft.engine.WeftEngine.tell, weft.engine.WeftEngine.fail = self.kept


def check_notes(folder):
    scene = new_scene()
    material = bpy.data.objects["Floor"].data.materials[0]
    nodes, links = material.node_tree.nodes, material.node_tree.links
    noise = nodes.new("ShaderNodeTexNoise")
    bump = nodes.new("ShaderNodeBump")
    links.new(bump.inputs["Height"], noise.outputs["Fac"])
    links.new(nodes["Principled BSDF"].inputs["Normal"], bump.outputs["Normal"])
    links.new(nodes["Principled BSDF"].inputs["Roughness"], noise.outputs["Fac"])
    with Told() as told:
        rendered(scene, folder, "notes")
    lines = told.lines
    check(len(lines) == 1 and material.name in lines[0], "a material that does not go over has one line")
    check("bump is left out" in lines[0] and "Noise Texture" in lines[0], "which names its nodes")


def check_far(folder):
    scene = new_scene()
    with Told() as told:
        scene.camera.data.clip_end = 4
        rendered(scene, folder, "far")
    check(len(told.lines) == 1 and "clip" in told.lines[0], "a floor beyond the clip end has a line")
    with Told() as told:
        scene.camera.data.clip_end = 6
        rendered(scene, folder, "far")
    check(told.lines == [], "and none before it")


def check_errors(folder):
    scene = new_scene()
    program = os.environ["WEFT"]

    def fake(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    failing = 'if [ "$1" = --version ]; then echo weft 0.1.0; exit; fi\n' \
              'echo \'{"level":"error","message":"the disk is full"}\' >&2\nexit 4\n'
    cases = [
        ("missing", "/nowhere/weft", "Weft is missing: $WEFT names /nowhere/weft, which is no program"),
        ("another version", fake("old", "echo weft 9.9.9\n"), "is Weft 9.9.9, this add-on needs Weft 0.1"),
        ("not Weft", fake("other", "echo hello\n"), "is not Weft"),
        ("failing", fake("failing", failing), "the disk is full"),
        ("killed", fake("killed", failing.split("echo '{")[0] + "kill -9 $$\n"), "Weft was ended by SIGKILL"),
    ]
    for name, path, sentence in cases:
        os.environ["WEFT"] = path
        with Told() as told:
            bpy.ops.render.render()
        errors = told.errors
        check(len(errors) == 1 and sentence in errors[0], f"a program that is {name} is told in one sentence: {errors}")
    os.environ["WEFT"] = program
    scene.camera.data.type = "PANO"
    with Told() as told:
        bpy.ops.render.render()
    check(len(told.errors) == 1, "a panoramic camera is told in one sentence")
    # A fault that the add-on does not foresee: options of the render are no list.
    settings = sys.modules["weft.settings"]
    options, settings.options = settings.options, lambda scene: None
    scene = new_scene()
    with Told() as told:
        bpy.ops.render.render()
    settings.options = options
    check(len(told.errors) == 1 and "The add-on failed (" in told.errors[0],
          f"a fault of the add-on is told in one sentence: {told.errors}")


def check_cancel(folder):
    scene = new_scene()
    scene.weft.samples = 1 << 20
    began = []

    def is_cancelled(_):
        began.append(time.monotonic())
        return began[-1] - began[0] > 1

    started = []
    popen = command.subprocess.Popen

    def note_process(*arguments, **options):
        started.append(popen(*arguments, **options))
        return started[-1]

    kept = weft.engine.WeftEngine.is_cancelled
    weft.engine.WeftEngine.is_cancelled = is_cancelled
    command.subprocess.Popen = note_process
    with Told() as told:
        bpy.ops.render.render()
    command.subprocess.Popen = popen
    weft.engine.WeftEngine.is_cancelled = kept
    check(started[-1].poll() == -9, "cancel kills the program")
    check(not told.errors, "and is no error")


def main():
    folder = sys.argv[sys.argv.index("--") + 1]
    for part in (check_passes, check_vectors, check_parts, check_mattes, check_region, check_film, check_notes, check_far, check_errors, check_cancel):
        part(folder)
    inside_shaders.run(types.SimpleNamespace(check=check, new_scene=new_scene, rendered=rendered), folder)
    left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("weft-blender-")]
    check(not left, f"no folder is left behind: {left}")
    sys.stdout.flush()
    os._exit(1 if faults else 0)


main()
