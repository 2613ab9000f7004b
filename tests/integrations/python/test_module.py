"""test_module.py — the Python module beside the program: the same bits, no copies, no crash.

Arguments: the folder of the package, the program weft, the root of the checkout. A few seconds; no numpy but where arrays are
the matter. Every render is small.
"""

import _thread
import contextlib
import copy
import gc
import importlib.util
import io
import json
import logging
import math
import os
import pickle
import re
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib
from base64 import b64encode
from pathlib import Path

sys.dont_write_bytecode = True
PACKAGE, PROGRAM, ROOT = (Path(word).resolve() for word in sys.argv[1:4])
sys.path.insert(0, str(PACKAGE))

import numpy  # noqa: E402
import weft  # noqa: E402

SMALL = {"width": 48, "height": 32, "spp": 4}
# A small colour config.
STUDIO = """ocio_profile_version: 2
roles: {scene_linear: working}
file_rules: [!<Rule> {name: Default, colorspace: working}]
displays:
  screen: [!<View> {name: plain, colorspace: gamma2}]
  projector: [!<View> {name: mirrored, colorspace: swapped}]
looks:
  - !<Look> {name: dim, process_space: working, transform: !<ExponentTransform> {value: 1.1}}
colorspaces:
  - !<ColorSpace> {name: working}
  - !<ColorSpace> {name: gamma2, from_scene_reference: !<ExponentTransform> {value: 2, direction: inverse}}
  - !<ColorSpace> {name: swapped, from_scene_reference: !<MatrixTransform> {matrix: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]}}
"""
# So many samples that no machine finishes them before it is cancelled.
ENDLESS = {"width": 64, "height": 64, "spp": 1 << 20}


def hash_of_program(folder, *words):
    """The film's hash of a render by the program."""
    stats = Path(folder) / "stats.json"
    subprocess.run([PROGRAM, "render", *words, "-o", Path(folder) / "program.exr", "--stats", stats, "-q"], check=True)
    return re.search(r'"film_hash": "(\w+)"', stats.read_text()).group(1)


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="weft-python-")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def sentence_of(self, kind, code, function, *words, **options):
        """The one sentence of the exception that a call must raise."""
        with self.assertRaises(kind) as caught:
            function(*words, **options)
        self.assertIsInstance(caught.exception, weft.Error)
        self.assertEqual(caught.exception.code, code)
        sentence = str(caught.exception)
        self.assertTrue(sentence and "\n" not in sentence, sentence)
        return sentence


class Pictures(Folder):
    def test_a_render_has_the_hash_of_the_program(self):
        picture = weft.render("cornell", aov=["albedo", "depth"], look_at=(0, 1, 3, 0, 1, 0), seed=7, **SMALL)
        words = "cornell --width 48 --height 32 --spp 4 --aov albedo,depth --look-at 0,1,3,0,1,0 --seed 7"
        self.assertEqual(picture.film_hash, hash_of_program(self.folder, *words.split()))
        self.assertEqual(picture.film_hash, picture.stats["film_hash"])
        self.assertEqual(picture.stats["samples"]["total"], 48 * 32 * 4)

    def test_the_command_line_of_a_file_gives_the_same_file_byte_by_byte(self):
        scene = weft.load("cornell", environment_color=(0.1, 0.2, 0.3))
        scene.edit({path + "/roughness": 0.4 for path in scene.paths("materials")})
        window = {"pixelbounds": (8, 40, 4, 28), **SMALL}
        layers = weft.render(scene, aov="albedo,crypto_material", light_groups={"lamp": "*"}, denoise="fast", **window)
        # A PNG holds no layers, and its command line asks for none.
        for picture, name, options in ((layers, "layers.exr", {"exr_type": "float"}), (layers, "sums.exr", {"keep_film": True}),
                                       (layers, "shown.png", {"exposure": -1, "view_transform": "aces"})):
            self.assertIn(" --set=materials/", self.repeated_line(picture, name, options))

    def test_false_takes_back_what_was_usual_for_the_scene(self):
        scene = weft.load("cornell", denoise=True, film_transparent=True, keep_film=True)
        self.assertIsNotNone(weft.render(scene, **SMALL).denoised)
        picture = weft.render(scene, denoise=False, film_transparent=False, keep_film=False, **SMALL)
        self.assertIsNone(picture.denoised)
        picture.save(self.folder / "a.exr")
        weft.render("cornell", **SMALL).save(self.folder / "b.exr")
        self.assertEqual(picture.layers, [])
        self.assertTrue((weft.read(self.folder / "a.exr") == weft.read(self.folder / "b.exr")).all())
        self.assertLess((self.folder / "a.exr").stat().st_size, 2 * (self.folder / "b.exr").stat().st_size)

    def test_a_colour_config_shows_pictures_as_in_the_program(self):
        config = self.folder / "studio.ocio"
        config.write_text(STUDIO)
        scene = weft.load("cornell", ocio=config)
        picture = weft.render(scene, look="dim", **SMALL)
        line = self.repeated_line(picture, "shown.png", {"display_device": "projector", "view_transform": "mirrored"})
        self.assertIn("studio.ocio", line)
        self.assertEqual(picture.film_hash, weft.render("cornell", **SMALL).film_hash)
        self.assertIn("mirrored", self.sentence_of(weft.UsageError, 2, picture.save, self.folder / "a.png",
                                                   display_device="projector", view_transform="plane"))
        self.sentence_of(weft.SceneError, 3, weft.load, "cornell", ocio=self.folder / "nowhere.ocio")

    def repeated_line(self, picture, name, options):
        """The command line that a saved file tells, which gives the same file."""
        path = self.folder / name
        picture.save(path, **options)
        saved = path.read_bytes()
        line = re.search(rb"weft render [^\0]*?-o \S*" + name.encode(), saved).group(0).decode()
        path.unlink()
        # The program's name is in the line as it was typed, so that it is found by PATH.
        subprocess.run(["sh", "-c", line], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"})
        self.assertTrue(self.without_dates(saved) == self.without_dates(path.read_bytes()), line)
        return line

    def without_dates(self, data):
        return re.sub(rb"\d{4}:\d\d:\d\d \d\d:\d\d:\d\d", b"", data)

    def test_two_renderers_at_once_have_the_bits_of_each_alone(self):
        jobs = [("cornell", {"spp": 16, "width": 64, "height": 64}), ("glass", {"spp": 8, "width": 64, "height": 64})]
        alone = [weft.render(name, **options).film_hash for name, options in jobs]
        together = [None, None]
        ready = threading.Barrier(2)

        def run(k):
            renderer = weft.Renderer(weft.load(jobs[k][0]), **jobs[k][1])
            ready.wait()
            together[k] = renderer.render().film_hash

        threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(together, alone)

    def test_two_renders_of_one_edited_scene_are_apart(self):
        scene = weft.load("cornell")
        before = weft.Renderer(scene, **SMALL)
        scene["materials/white/base_color"] = (1, 0, 0)
        after = weft.Renderer(scene, **SMALL)
        self.assertNotEqual(before.render().film_hash, after.render().film_hash)
        self.assertEqual(before.picture.film_hash, weft.render("cornell", **SMALL).film_hash)

    def test_costs_of_meshes_and_devices_are_in_the_stats(self):
        picture = weft.render("cornell", heat=True, scheduler="unkeyed", **SMALL)
        self.assertIn("heat", picture.stats)
        self.assertEqual(picture.stats["scheduler"]["mode"], "unkeyed")
        both = weft.render("cornell", device="cpu+egpu", egpu_units=1, egpu_memory="256M", **SMALL)
        self.assertEqual(len(both.stats["devices"]), 2)
        self.assertEqual(both.film_hash, weft.render("cornell", device="cpu", **SMALL).film_hash)

    def test_a_denoised_picture_has_both(self):
        picture = weft.render("cornell", denoise=True, **SMALL)
        self.assertEqual(picture.denoised.shape, (32, 48, 3))
        self.assertIsNone(weft.render("cornell", denoise=False, **SMALL).denoised)
        self.assertLess(weft.compare(picture.denoised, picture, metric="rmse")["rmse"], 1)
        self.assertNotEqual(weft.compare(picture, picture.beauty, metric="rmse")["rmse"], 0)


class Arrays(Folder):
    def test_arrays_are_views_of_the_film(self):
        picture = weft.render("cornell", aov="albedo,depth,samples,material,noise,uv", pixelbounds=(8, 40, 4, 28), **SMALL)
        shapes = {"beauty": 4, "albedo": 3, "depth": 1, "samples": 1, "material": 1, "noise": 1, "uv": 2}
        self.assertEqual(set(picture.layers), set(shapes) - {"beauty"})
        for name, channels in shapes.items():
            array = picture[name]
            self.assertEqual(array.shape, (24, 32, channels), name)
            self.assertEqual(array.dtype, numpy.uint32 if name in ("samples", "material") else numpy.float32)
            self.assertFalse(array.flags.owndata or array.flags.writeable, name)
            if name == "material":
                continue  # numbers are made for each call
            address = array.__array_interface__["data"][0]
            self.assertEqual(address, picture[name].__array_interface__["data"][0], "a second view is of the same memory")
        self.assertTrue((picture["samples"] == 4).all())
        with self.assertRaises(ValueError):
            picture.beauty[0, 0, 0] = 1
        self.assertEqual(picture.window, (8, 4, 40, 28))
        self.assertEqual(picture.size, (48, 32))
        self.assertEqual(picture.facts("depth")["unit"], "m")

    def test_arrays_outlive_picture_renderer_and_scene(self):
        scene = weft.load("cornell")
        renderer = weft.Renderer(scene, **SMALL)
        array = renderer.render()["beauty"]
        before = array.copy()
        del scene, renderer
        gc.collect()
        weft.render("glass", **SMALL)  # takes memory that a freed film would give
        self.assertTrue((array == before).all())
        self.assertGreater(array.mean(), 0)

    def test_arrays_hold_what_a_file_holds(self):
        picture = weft.render("cornell", **SMALL)
        picture.save(self.folder / "a.exr", exr_type="float")
        self.assertTrue((weft.read(self.folder / "a.exr") == picture.beauty).all())
        self.assertEqual(weft.compare(self.folder / "a.exr", picture),
                         {"rmse": 0, "relmse": 0, "psnr": math.inf, "flip": 0})

    def test_numbers_are_those_of_an_exr(self):
        spec = importlib.util.spec_from_file_location("exr", ROOT / "integrations" / "blender" / "weft" / "exr.py")
        exr = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(exr)
        # From outside the box, so that some pixels show nothing; and those of a window.
        view = {"look_at": (0, 1, 6, 0, 1, 0), "aov": ["instance", "object", "material"], **SMALL}
        for more in ({}, {"pixelbounds": (8, 40, 4, 28)}):
            picture = weft.render("cornell", **view, **more)
            picture.save(self.folder / "a.exr", exr_type="float", exr_compression="none")
            stored = exr.read_exr(self.folder / "a.exr")
            for name in view["aov"]:
                array = picture[name]
                channel = picture.facts(name)["channels"][0]
                self.assertTrue((array[..., 0].astype(numpy.float32) == stored[channel]).all(), name)
        picture = weft.render("cornell", **view)
        for name, count in (("instance", 9), ("material", 5)):
            self.assertEqual(set(numpy.unique(picture[name])) - set(range(count)), {4294967295}, name)
        self.assertEqual(picture["instance"].min(), 0)

    def test_a_notebook_shows_a_picture(self):
        picture = weft.render("cornell", keep_film=True, exposure=1, **SMALL)
        picture.save(self.folder / "a.png")
        shown = self.folder / "shown.png"
        shown.write_bytes(picture._repr_png_())
        self.assertTrue((weft.read(shown) == weft.read(self.folder / "a.png")).all())

    def test_mattes_cover_a_pixel_once(self):
        picture = weft.render("cornell", aov=["crypto_material"], **SMALL)
        names = picture.facts("crypto_material")["ids"]
        covers = [picture.matte("crypto_material", name) for name in names]
        self.assertEqual(covers[0].shape, (32, 48, 1))
        whole = sum(covers)
        self.assertLessEqual(whole.max(), 1.0001)
        self.assertGreater(whole.mean(), 0.5)

    def test_buffers_need_no_numpy(self):
        view = weft.render("cornell", **SMALL).buffer("beauty")
        self.assertTrue(view.readonly)
        self.assertEqual((view.format, view.shape), ("f", (32, 48, 4)))


class Scenes(Folder):
    def test_a_scene_tells_what_it_contains(self):
        scene = weft.load("cornell")
        info = subprocess.run([PROGRAM, "info", "cornell"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(scene.report, info)
        self.assertIn(f"triangles    {scene.figures['triangles']} ", info)
        self.assertEqual(scene.figures["materials"], len(scene.paths("materials")))

    def test_edits_change_values_and_all_or_none_are_made(self):
        scene = weft.load("cornell")
        path = scene.paths("materials")[0]
        kept = scene.copy()
        scene[path + "/roughness"] = numpy.float32(0.25)
        scene[path + "/base_color"] = numpy.array([0.5, 0.25, 0.125])
        self.assertEqual(scene[path + "/roughness"], 0.25)
        self.assertEqual(scene[path + "/base_color"], [0.5, 0.25, 0.125])
        self.assertNotEqual(kept[path + "/roughness"], 0.25)
        with self.assertRaises(weft.UsageError):
            scene.edit([(path + "/roughness", 0.75), (path + "/no_such_field", 1)])
        self.assertEqual(scene[path + "/roughness"], 0.25)
        self.assertIn(path + "/roughness", [field["path"] for field in scene.fields(path)])

    def test_an_edit_is_a_set_of_the_program(self):
        scene = weft.load("cornell")
        path = "materials/white"
        scene[path + "/base_color"] = [0.9, 0.1, 0.1]
        words = ["cornell", "--width", "48", "--height", "32", "--spp", "4", "--set", path + "/base_color=0.9,0.1,0.1"]
        self.assertEqual(weft.render(scene, **SMALL).film_hash, hash_of_program(self.folder, *words))

    def test_an_edit_takes_the_place_of_the_last_one_of_its_path(self):
        scene = weft.load("cornell")
        for k in range(1, 101):
            scene["materials/white/roughness"] = k / 100
            scene["camera/yfov_deg"] = k
        line = weft.render(scene, **SMALL).command_line
        self.assertIn("--set=materials/white/roughness=1.0 --set=camera/yfov_deg=100", line)
        self.assertEqual(line.count("--set="), 2)
        kept = scene.copy()
        kept["materials/white/roughness"] = 0.5
        self.assertEqual(weft.render(kept, **SMALL).command_line.count("--set="), 2)
        self.assertEqual(weft.render(scene, **SMALL).command_line, line)

    def test_edits_that_others_depend_on_stay(self):
        node, light = "nodes/tall box", "lights/lamp"
        lamp = {"kind": "spot", "position": [0, 1.5, 0], "direction": [0, -1, 0], "intensity": [9, 9, 9]}
        red = "materials/red/base_color"
        for edits in (
                # The copy has the colour that the material had then.
                [(red, [0, 1, 0]), ("materials/lime", {"copy_of": "materials/red"}), (node + "/material", "materials/lime"),
                 (red, [0, 0, 1])],
                # The last edit of several is the one that holds.
                [("environment/color", [1, 0, 0]), ("environment/file", None), ("environment/color", [0, 1, 0]),
                 ("environment/file", None)],
                [("camera/focus_m", 1), ("camera/autofocus", True), ("camera/focus_m", 2), ("camera/lens_radius_m", 0.1)],
                # The outer angle takes the inner one along.
                [(light, lamp), (light + "/inner_deg", 40), (light + "/outer_deg", 20), (light + "/outer_deg", 60)]):
            scene = weft.load("cornell")
            for path, value in edits:
                scene[path] = value
            self.assertEqual(weft.render(scene, **SMALL).command_line.count("--set="),
                             len(edits) - (edits[0][0] == "camera/focus_m"))
            words = ["cornell", "--width", "48", "--height", "32", "--spp", "4"]
            words += [f"--set={path}={json.dumps(value)}" for path, value in edits]
            self.assertEqual(weft.render(scene, **SMALL).film_hash, hash_of_program(self.folder, *words))

    def test_copies_are_apart_and_pickles_are_refused(self):
        scene = weft.load("cornell")
        path = "materials/white/roughness"
        before = scene[path]
        for copied in (copy.copy(scene), copy.deepcopy(scene), copy.deepcopy({"scenes": [scene]})["scenes"][0]):
            copied[path] = 0.125
            self.assertEqual((copied[path], scene[path]), (0.125, before))
        self.assertIn("cannot be pickled", self.sentence_of(weft.UsageError, 2, pickle.dumps, scene))

    def test_an_object_can_be_deleted(self):
        scene = weft.load("cornell")
        node = scene.paths("nodes")[0]
        del scene[node]
        self.assertNotIn(node, scene.paths("nodes"))

    def test_a_procedural_scene_has_as_many_triangles_as_its_name_says(self):
        self.assertAlmostEqual(weft.load("procedural:rubble:20K").figures["triangles"], 20000, delta=2000)


    def test_a_frame_of_an_animation_is_the_frame_of_the_program(self):
        scene = self.folder / "walk.gltf"
        data = struct.pack("<17f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0)
        views = [(0, 36), (36, 8), (44, 24)]
        kinds = [(3, "VEC3", {"min": [0, 0, 0], "max": [1, 1, 0]}), (2, "SCALAR", {"min": [0], "max": [1]}), (2, "VEC3", {})]
        scene.write_text(json.dumps({
            "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "buffers": [{"byteLength": 68, "uri": "data:application/octet-stream;base64," + b64encode(data).decode()}],
            "bufferViews": [{"buffer": 0, "byteOffset": begin, "byteLength": size} for begin, size in views],
            "accessors": [{"bufferView": k, "componentType": 5126, "count": count, "type": kind, **more}
                          for k, (count, kind, more) in enumerate(kinds)],
            "animations": [{"samplers": [{"input": 1, "output": 2}],
                            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]}))
        hashes = [weft.render(weft.load(scene, frames=frame), **SMALL).film_hash for frame in (0, 12)]
        self.assertNotEqual(*hashes)
        words = "--frames 12 --width 48 --height 32 --spp 4"
        self.assertEqual(hashes[1], hash_of_program(self.folder, scene, *words.split()))
        self.sentence_of(weft.UsageError, 2, weft.load, scene, frames="1..2")


class Cancels(Folder):
    def test_a_callback_that_returns_false_ends_the_render_and_keeps_the_samples(self):
        told = []
        picture = weft.render("cornell", progress=lambda now: told.append(now) or now.samples == 0, **ENDLESS)
        self.assertTrue(picture.is_cancelled)
        self.assertGreater(picture.beauty.mean(), 0)
        self.assertEqual(told[0].total, 64 * 64 * (1 << 20))
        self.assertTrue(0 < told[-1].share < 1)
        picture.save(self.folder / "part.exr")
        self.assertEqual(weft.read(self.folder / "part.exr").shape, (64, 64, 4))

    def test_truth_values_of_numpy_count_as_those_of_python(self):
        for refusal in (numpy.bool_(False), numpy.array(False)):
            picture = weft.render("cornell", progress=lambda now: refusal if now.samples > 0 else None, **ENDLESS)
            self.assertTrue(picture.is_cancelled)
        for answer in (None, 0, numpy.int64(0), numpy.bool_(True)):
            self.assertFalse(weft.render("cornell", progress=lambda now: answer, **SMALL).is_cancelled)
        lines = [weft.render("cornell", film_transparent=flag, **SMALL).command_line
                 for flag in (numpy.bool_(True), True, numpy.bool_(False), False)]
        self.assertEqual(lines[0::2], lines[1::2])
        self.assertNotEqual(lines[0], lines[2])

    def test_another_thread_cancels_while_the_interpreter_is_free(self):
        renderer = weft.Renderer(weft.load("cornell"), **ENDLESS)
        counted = []

        def count():
            # Runs Python while the engine renders: only a released lock lets it come so far.
            while len(counted) < 200000 or renderer._frame.progress()[0] == 0:
                counted.append(None)
            renderer.cancel()

        thread = threading.Thread(target=count)
        thread.start()
        picture = renderer.render()
        thread.join()
        self.assertTrue(picture.is_cancelled)
        self.assertGreaterEqual(len(counted), 200000)

    def test_a_render_that_was_cancelled_before_it_began_is_an_exception_of_code_5(self):
        renderer = weft.Renderer(weft.load("cornell"), **SMALL)
        renderer.cancel()
        self.sentence_of(weft.Cancelled, 5, renderer.render)
        self.assertIsNone(renderer.picture)

    def test_an_exception_in_the_callback_comes_through_with_the_picture(self):
        def fail(now):
            if now.samples > 0:
                raise RuntimeError("enough")

        renderer = weft.Renderer(weft.load("cornell"), **ENDLESS)
        with self.assertRaisesRegex(RuntimeError, "enough") as caught:
            renderer.render(fail)
        self.assertIs(caught.exception.picture, renderer.picture)
        self.assertGreater(renderer.picture.beauty.mean(), 0)

    def test_ctrl_c_ends_the_render_and_keeps_the_samples(self):
        renderer = weft.Renderer(weft.load("cornell"), **ENDLESS)
        told = []

        def interrupt(now):
            if now.samples > 0 and not told:
                told.append(now)
                _thread.interrupt_main()

        with self.assertRaises(KeyboardInterrupt):
            renderer.render(interrupt)
        self.assertGreater(renderer.picture.stats["samples"]["total"], 0)

    def test_a_renderer_renders_once(self):
        renderer = weft.Renderer(weft.load("cornell"), **SMALL)
        renderer.render()
        self.assertIn("has rendered", self.sentence_of(weft.UsageError, 2, renderer.render))
        self.assertIsNotNone(renderer.picture)


class Refusals(Folder):
    def test_wrong_options_are_usage_errors(self):
        scene = weft.load("cornell")
        for options in ({"spp": 0}, {"spp": "many"}, {"spp": [1, 2]}, {"spp": True}, {"spp": object()}, {"spp": 1.5},
                        {"aov": "no_such_layer"}, {"look_at": (1, 2)}, {"width": -1}, {"filter": "gauss"},
                        {"camera": "nobody"}, {"traversal": "pages"}, {"pixelbounds": (5, 2, 0, 1)},
                        {"film_transparent": "perhaps"}, {"scheduler": None, "device": "gpu"}, {"hide": ["nobody"]},
                        {"denoise": "well"}, {"spp": ""}, {"spp": []}, {"look_at": ()}, {"hide": [""]}, {"aov": ""}, {"set": ["materials"]}, {"set": "a/b=1"}, {"seed": float("nan")}):
            self.sentence_of(weft.UsageError, 2, weft.Renderer, scene, **options)
        for name in ("output", "stats", "threadz", "texture_memory", "environment", "memory_limit"):
            self.assertIn(name, self.sentence_of(weft.UsageError, 2, weft.Renderer, scene, **{name: "x"}))
        # A list may be empty.
        self.assertEqual(weft.render(scene, aov=[], hide=[], light_groups={}, clip_plane=(), **SMALL).layers, [])
        self.assertIn("perhaps threads", self.sentence_of(weft.UsageError, 2, weft.render, "cornell", threadz=1))

    def test_wrong_arguments_are_usage_errors(self):
        scene = weft.load("cornell")
        picture = weft.render(scene, **SMALL)
        for function, words in ((weft.load, [5]), (weft.Renderer, ["cornell"]), (weft.render, [None]),
                                (weft.bench, [3]), (weft.read, [{}]), (picture.save, [3.5]),
                                (picture.save, [""]), (picture.save, ["-"]), (weft.compare, [object(), picture]),
                                (weft.compare, [picture, numpy.zeros((4, 4, 9), "f")]),
                                (weft.compare, [picture, numpy.zeros((0, 4, 3), "f")]),
                                (weft.options, ["view"]), (weft.memory_limit, ["plenty"]),
                                (scene.paths, ["chairs"]), (scene.edit, [[("a", 1, 2)]]), (scene.edit, [{"a=b": 1}]),
                                (picture.__getitem__, ["depth"]), (picture.__getitem__, [1]), (picture.facts, ["depth"]),
                                (picture.facts, [None]), (scene.paths, [b"\xff"]), (scene.fields, [7]), (scene.edit, [None]),
                                (scene.__setitem__, [["a"], 1]), (weft.load, ["\ud800"]), (weft.memory_limit, [8]),
                                (scene.__getitem__, [1]), (scene.__getitem__, ["materials/nobody/roughness"]),
                                (scene.__setitem__, [scene.paths("materials")[0] + "/roughness", "rough"]),
                                (scene.__setitem__, [scene.paths("materials")[0] + "/roughness", float("nan")]),
                                (scene.__setitem__, [scene.paths("materials")[0] + "/roughness", {1, 2}]),
                                (scene.__setitem__, [scene.paths("materials")[0] + "/roughness", {(1, 2): 3}])):
            self.sentence_of(weft.UsageError, 2, function, *words)
        told = self.sentence_of(weft.UsageError, 2, scene.__setitem__, "materials/white/roughness", {1, 2})
        self.assertEqual(told, "materials/white/roughness: a value of type set is no JSON")
        points = [numpy.zeros(3), numpy.ones(3)]
        self.assertIn("ndarray", self.sentence_of(weft.UsageError, 2, weft.Renderer, scene, look_at=points))
        self.sentence_of(weft.UsageError, 2, weft.render, scene, progress=3)

    def test_scenes_that_cannot_be_used_are_scene_errors(self):
        (self.folder / "broken.gltf").write_text("{")
        (self.folder / "broken.pbrt").write_text("WorldBegin\nShape")
        for path in (self.folder / "broken.gltf", self.folder / "broken.pbrt", self.folder / "absent.gltf", "nobody",
                     self.folder, "\udcff.gltf", self.folder / "a\nb.gltf"):
            self.sentence_of(weft.SceneError, 3, weft.load, path)
        self.sentence_of(weft.SceneError, 3, weft.read, self.folder / "absent.exr")
        for name in ("absent.hdr", "x" * 5000):
            self.sentence_of(weft.SceneError, 3, weft.load, "cornell", environment=name)

    def test_pictures_of_different_sizes_are_scene_errors(self):
        picture = weft.render("cornell", **SMALL)
        self.sentence_of(weft.SceneError, 3, weft.compare, picture, numpy.zeros((8, 8, 3), "f"))

    def test_a_scene_too_large_is_found_before_the_first_sample(self):
        weft.memory_limit("64M")
        try:
            sentence = self.sentence_of(weft.TooLargeError, 3, weft.render, "cornell", width=8192, height=8192, spp=1)
            self.assertIn("memory", sentence)
        finally:
            weft.memory_limit()

    def test_memory_that_runs_out_keeps_the_samples_so_far(self):
        def shrink(now):
            if now.samples > 0:
                weft.memory_limit("1M")

        renderer = weft.Renderer(weft.load("cornell"), **ENDLESS)
        try:
            self.sentence_of(weft.OutOfMemoryError, 33, renderer.render, shrink)
        finally:
            weft.memory_limit()
        self.assertGreater(renderer.picture.beauty.mean(), 0)

    def test_files_that_cannot_be_written_are_output_errors(self):
        picture = weft.render("cornell", **SMALL)
        self.sentence_of(weft.OutputError, 4, picture.save, self.folder / "absent" / "a.exr")
        self.sentence_of(weft.UsageError, 2, picture.save, self.folder / "a.bmp")
        self.sentence_of(weft.UsageError, 2, picture.save, self.folder / "a.png", keep_film=True)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_every_code_has_its_class(self):
        codes = {weft.RenderError: 1, weft.UsageError: 2, weft.SceneError: 3, weft.TooLargeError: 3, weft.OutputError: 4,
                 weft.Cancelled: 5, weft.OutOfMemoryError: 33}
        for kind, code in codes.items():
            self.assertTrue(issubclass(kind, weft.Error))
            self.assertEqual(kind("a sentence").code, code)
        self.assertTrue(issubclass(weft.OutOfMemoryError, MemoryError))
        from weft import errors
        raised = {type(errors.made_of(kind, "x")) for kind in ("render", "usage", "scene", "too_large", "output", "memory")}
        self.assertEqual(raised | {weft.Cancelled}, set(codes))


class Guests(Folder):
    """The module in a process that is not its own."""

    def run_python(self, text, code=0):
        result = subprocess.run([sys.executable, "-B", "-c", text], check=False, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def test_a_part_that_is_missing_is_a_render_error(self):
        self.run_python(
            "import weft\n"
            "weft._core.set_program_folder(b'/nowhere')\n"
            "try:\n"
            "    weft.render('cornell', width=16, height=16, spp=1).save('a.png')\n"
            "except weft.RenderError as error:\n"
            "    assert error.code == 1 and 'weft-images.so' in str(error), error\n"
            "else:\n"
            "    raise SystemExit(1)\n")

    def test_it_prints_nothing_and_leaves_signals_alone(self):
        result = self.run_python(
            "import signal\n"
            "before = [signal.getsignal(k) for k in range(1, 32)]\n"
            "import weft\n"
            "picture = weft.render('glass', width=16, height=16, spp=2, threads=1000, denoise=True)\n"
            "picture.save('a.png')\n"
            "paged = weft.render('procedural:rubble:20K', width=16, height=16, spp=1, geometry_memory='4M', cache_dir='.')\n"
            "assert paged.stats['pages']['count'] > 0\n"
            "lines = open('/proc/self/status').read().split('\\n')\n"
            "caught = [line for line in lines if line.startswith('SigCgt')][0].split()[1]\n"
            "assert int(caught, 16) & 0x7ffffffe & ~(1 << 1) == 0, caught\n"
            "assert before == [signal.getsignal(k) for k in range(1, 32)]\n")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def write_large_picture(self):
        """A square with a picture of 43 MiB of texels, beyond the least texture_memory."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        side = (numpy.arange(2896) % 256).astype(numpy.uint8)
        row = numpy.stack([side, side[::-1], side // 2], axis=-1).tobytes()
        rows = b"".join(b"\0" + row[3 * k:] + row[:3 * k] for k in range(len(side)))
        (self.folder / "large.png").write_bytes(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(side), len(side), 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
        points = struct.pack("<20f", -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0)
        points += struct.pack("<6I", 0, 1, 2, 0, 2, 3)
        (self.folder / "points.bin").write_bytes(points)
        views = [(0, 48), (48, 32), (80, 24)]
        kinds = [(5126, 4, "VEC3"), (5126, 4, "VEC2"), (5125, 6, "SCALAR")]
        (self.folder / "large.gltf").write_text(json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "buffers": [{"uri": "points.bin", "byteLength": len(points)}],
            "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
            "accessors": [{"bufferView": k, "componentType": part, "count": count, "type": kind,
                           **({"min": [-1, -1, 0], "max": [1, 1, 0]} if kind == "VEC3" else {})}
                          for k, (part, count, kind) in enumerate(kinds)],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
            "images": [{"uri": "large.png"}], "textures": [{"source": 0}],
            "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]}))

    def test_texels_beyond_their_memory_come_from_a_file_with_the_same_bits(self):
        self.write_large_picture()
        result = self.run_python(
            "import faulthandler, weft\n"
            "def is_caught():\n"
            "    lines = open('/proc/self/status').read().split('SigCgt:')[1].split()[0]\n"
            "    return int(lines, 16) >> 10 & 1 == 1\n"
            "small = {'width': 32, 'height': 32, 'spp': 4}\n"
            "plain = weft.render('large.gltf', **small)\n"
            "assert not is_caught()\n"
            "scene = weft.load('large.gltf', texture_memory='16M', cache_dir='.')\n"
            "assert is_caught()\n"
            "first = weft.render(scene, **small)\n"
            "faulthandler.enable()\n"  # its handler comes after ours
            "second = weft.render(scene, **small)\n"
            "assert plain.film_hash == first.film_hash == second.film_hash\n"
            "assert first.stats['texels']['bytes'] > 40 << 20, first.stats['texels']\n"
            "assert 0 < first.stats['texels']['resident_bytes'] <= 16 << 20, first.stats['texels']\n"
            "assert '--texture-memory=16M' in first.command_line, first.command_line\n")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_faults_of_others_go_where_they_went(self):
        self.write_large_picture()
        fault = ("import ctypes, faulthandler, os, signal, weft\n"
                 "scene = weft.load('large.gltf', texture_memory='16M')\n"
                 "faulthandler.enable()\n"
                 "weft.Renderer(scene, width=8, height=8, spp=1)\n")
        for cause in ("ctypes.string_at(8)", "os.kill(os.getpid(), signal.SIGSEGV)"):
            told = self.run_python(fault + cause, code=-signal.SIGSEGV).stderr
            self.assertIn("Fatal Python error: Segmentation fault", told)

    def test_signals_reach_the_threads_of_python_alone(self):
        self.run_python(
            "import os, signal, threading, weft\n"
            "free = set()\n"
            "def look(now):\n"
            "    for task in os.listdir('/proc/self/task'):\n"
            "        try: status = open(f'/proc/self/task/{task}/status').read()\n"
            "        except OSError: continue\n"  # the thread has ended since
            "        if not int(status.split('SigBlk:')[1].split()[0], 16) & 1 << (signal.SIGUSR1 - 1):\n"
            "            free.add(int(task))\n"
            "    os.kill(os.getpid(), signal.SIGUSR1)\n"
            "    return now.samples == 0\n"
            "caught = []\n"
            "signal.signal(signal.SIGUSR1, lambda *_: caught.append(threading.current_thread()))\n"
            "weft.render('cornell', width=64, height=64, spp=1 << 20, progress=look)\n"
            "assert free == {os.getpid()}, free\n"
            "assert caught and set(caught) == {threading.main_thread()}, caught\n")

    def test_an_interpreter_that_ends_cancels_a_render_of_a_daemon(self):
        self.run_python(
            "import threading, weft\n"
            "renderer = weft.Renderer(weft.load('cornell'), width=64, height=64, spp=1 << 20)\n"
            "threading.Thread(target=renderer.render, daemon=True).start()\n"
            "while renderer._frame.progress()[0] == 0: pass\n")

    def test_a_forked_process_is_refused_with_a_sentence(self):
        self.run_python(
            "import os, weft\n"
            "weft.load('cornell')\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try:\n"
            "        weft.load('cornell')\n"
            "    except weft.UsageError as error:\n"
            "        os._exit(0 if 'forked' in str(error) else 1)\n"
            "    os._exit(2)\n"
            "assert os.waitpid(child, 0)[1] == 0\n")

    def test_notes_go_to_the_logger(self):
        with self.assertLogs("weft", logging.INFO) as logs:
            weft.render(weft.load("cornell"), threads=1000, **SMALL)
        self.assertIn("--threads 1000", logs.output[0])


class Benches(Folder):
    def test_rows_of_a_measurement_are_those_of_the_json(self):
        told = []
        figures = weft.bench("cornell", progress=told.append, rays=512, repeats=1, classes=["primary"], spp=1, width=32,
                             height=24, images=False)
        self.assertTrue(figures["rays"] and not figures["images"])
        self.assertTrue({"class", "arm", "mrays_per_s_median", "hits_hash"} <= set(figures["rays"][0]))
        self.assertIn("recording rays", told)
        self.assertTrue(figures["command_line"].startswith("weft bench cornell --rays=512"), figures["command_line"])

    def test_a_measurement_that_is_cancelled_has_the_rows_so_far(self):
        figures = weft.bench("cornell", progress=lambda line: False, rays=512, repeats=1, spp=1, width=32, height=24,
                             no_images=True)
        self.assertLess(len(figures["rays"]), 40)


class Guide(Folder):
    def test_the_python_of_the_guide_runs(self):
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
        self.assertTrue(blocks)
        small = "".join(blocks).replace("spp=64", "spp=2").replace("spp=1024", "spp=4").replace("width=640", "width=64")
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(small, "docs/python.md", "exec"), {"__name__": "guide"})
        finally:
            os.chdir(here)


    def test_the_example_runs(self):
        text = (ROOT / "integrations" / "python" / "examples" / "keyed_unkeyed.py").read_text(encoding="utf-8")
        script = self.folder / "example.py"
        script.write_text(text.replace("1 << 16", "512").replace("=256", "=32").replace("repeats=3", "repeats=1"))
        ran = subprocess.run([sys.executable, "-B", script, "drawn.png", "1K"], check=False, text=True, cwd=self.folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertIn("unkeyed", ran.stdout, ran.stderr)
        if "matplotlib is missing" not in ran.stderr:
            self.assertTrue((self.folder / "drawn.png").is_file(), ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
