"""test_addon.py — the add-on for Blender in the real Blender, without a display.

    test_addon.py addon WEFT      passes, regions, errors, cancel, an animation on the command line
    test_addon.py viewport WEFT [PNG]   the rendered viewport, in a window of Xvfb; its screenshot
    test_addon.py pictures WEFT   five scenes by Weft and by Cycles: FLIP at most 0.05 each
    test_addon.py times WEFT [SCENE…]   no test: both in turn at 512×512 and 64 samples, from start to picture

The add-on is installed from a zip file as its users do it. Skipped (77) where Blender is not installed.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

HERE = Path(__file__).resolve().parent
ADDON = HERE.parents[2] / "integrations" / "blender"
SKIPPED = 77
MOST_FLIP = 0.05
REPEATS = 5

# The frames of scenes that are compared, and their samples.
FRAMES = {"materials": 1, "lights": 1, "instances": 1, "animated_camera": 3, "depth_of_field": 1}
SAMPLES = 256


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        raise SystemExit(1)


class Blender:
    """Blender with the add-on installed in a folder of its own."""

    def __init__(self, folder, weft):
        self.folder = Path(folder)
        self.weft = weft
        addons = self.folder / "scripts" / "addons"
        addons.mkdir(parents=True)
        archive = shutil.make_archive(str(self.folder / "weft"), "zip", ADDON, "weft")
        shutil.unpack_archive(archive, addons)
        scratch = self.folder / "scratch"
        scratch.mkdir()
        # Blender's Python looks for its library beside the python3 of PATH, which may be another one.
        self.program = shutil.which("blender")
        path = os.pathsep.join([os.path.dirname(self.program), "/usr/bin", "/bin"])
        self.environment = dict(os.environ, PATH=path, WEFT=weft, BLENDER_USER_SCRIPTS=str(self.folder / "scripts"),
                                TMPDIR=str(scratch), PYTHONDONTWRITEBYTECODE="1")

    def run(self, *words):
        """Runs Blender; returns its exit code and what it printed."""
        line = [self.program, "-b", "--factory-startup", "--addons", "weft", *map(str, words)]
        result = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace", env=self.environment, cwd=self.folder, check=False)
        return result.returncode, result.stdout

    def make_scenes(self, *names):
        code, printed = self.run("-P", HERE / "make_scenes.py", "--", self.folder, *names)
        made = all((self.folder / f"{name}.blend").exists() for name in names)
        check(code == 0 and made, "the scenes are made" if made else printed)

    def render(self, name, engine, frame, samples, also="pass"):
        """Renders a frame of a scene; returns the picture."""
        setting = "weft" if engine == "WEFT" else "cycles"
        _, printed = self.run(self.folder / f"{name}.blend", "--python-expr",
                              f"import bpy; bpy.context.scene.{setting}.samples = {samples}; {also}", "-E", engine,
                              "-o", f"//{engine.lower()}_{name}_####", "-f", frame)
        picture = self.folder / f"{engine.lower()}_{name}_{frame:04}.exr"
        check(picture.exists(), f"{engine} renders {name}" if picture.exists() else printed)
        return picture

    def flip(self, first, second):
        result = subprocess.run([self.weft, "compare", first, second, "--metric", "flip"], stdout=subprocess.PIPE,
                                text=True, check=True)
        return float(re.search(r"flip ([0-9.e+-]+)", result.stdout).group(1))


def test_pictures(blender):
    blender.make_scenes(*FRAMES)
    differences = {}
    for name, frame in FRAMES.items():
        ours = blender.render(name, "WEFT", frame, SAMPLES)
        theirs = blender.render(name, "CYCLES", frame, SAMPLES)
        differences[name] = blender.flip(ours, theirs)
        print(f"{name}: FLIP {differences[name]:.4f}", flush=True)
    check(max(differences.values()) <= MOST_FLIP, f"FLIP is at most {MOST_FLIP} in every scene")


def measure_times(blender, *names):
    """Whole runs of Blender, in turn: seconds of the clock, and of all processes together."""
    names = names or FRAMES
    blender.make_scenes(*names)
    for name in names:
        frame = FRAMES[name]
        seconds = {"WEFT": [], "CYCLES": []}
        for _ in range(REPEATS):
            for engine, rows in seconds.items():
                begin, used = time.monotonic(), os.times()
                blender.render(name, engine, frame, 64, "bpy.context.scene.render.resolution_percentage = 200")
                after = os.times()
                rows.append((time.monotonic() - begin, after.children_user + after.children_system
                             - used.children_user - used.children_system))
        for engine, rows in seconds.items():
            for kind, values in zip(("clock", "processor"), zip(*rows)):
                print(f"{name} {engine} {kind}: {statistics.median(values):.1f} s "
                      f"({min(values):.1f} to {max(values):.1f})", flush=True)


def test_viewport(blender, screenshot=None):
    """A Blender with a window."""
    if shutil.which("xvfb-run") is None:
        print("skipped: xvfb-run is not installed (apt-get install xvfb xauth)")
        raise SystemExit(SKIPPED)
    line = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", blender.program, "--factory-startup", "--addons", "weft",
            "-P", HERE / "inside_viewport.py", "--", blender.folder]
    result = subprocess.run([str(word) for word in line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace", env=blender.environment,
                            cwd=blender.folder, check=False)
    print(re.sub(r"(?m)^(?!ok:|FAILED:|first picture|Traceback|  File|\w*Error|Weft).*\n", "", result.stdout))
    check(result.returncode == 0, "all checks of the viewport pass" if result.returncode == 0 else result.stdout[-3000:])
    check((blender.folder / "viewport.png").stat().st_size > 0, "the window was drawn")
    if screenshot:
        shutil.copy(blender.folder / "viewport.png", screenshot)
    left = list((blender.folder / "scratch").glob("weft-viewport-*"))
    check(not left, f"no folder is left behind {left}")


def test_addon(blender):
    code, printed = blender.run("-P", HERE / "inside_blender.py", "--", blender.folder)
    print(re.sub(r"(?m)^(?!ok:|FAILED:|Traceback|  File|\w*Error).*\n", "", printed))
    check(code == 0 and "ok:" in printed, "all checks inside Blender pass")
    # Render an animation on the command line.
    blender.make_scenes("animated_camera")
    code, printed = blender.run(blender.folder / "animated_camera.blend", "--python-expr",
                                "import bpy; s = bpy.context.scene; s.weft.samples = 1; "
                                "s.render.resolution_percentage = 25", "-E", "WEFT", "-o", "//walk_####", "-a")
    frames = sorted(path.name for path in blender.folder.glob("walk_*.exr"))
    check(frames == [f"walk_{frame:04}.exr" for frame in (1, 2, 3)], f"-a renders every frame: {frames}")
    check(blender.flip(blender.folder / frames[0], blender.folder / frames[2]) > 0.1, "frames differ")
    # A Python without numpy: registered anew with the package hidden.
    hidden = ("import sys, addon_utils, bpy; addon_utils.disable('weft'); "
              "[sys.modules.pop(name) for name in list(sys.modules) if name.split('.')[0] == 'weft']; "
              "sys.modules['numpy'] = None; addon_utils.enable('weft'); "
              "bpy.context.scene.render.engine = 'WEFT'; bpy.ops.render.render()")
    _, printed = blender.run("--python-expr", hidden)
    sentences = [line for line in printed.splitlines() if "numpy is missing from Blender's Python" in line]
    check(len(sentences) > 0, "a Python without numpy is told in a sentence" if sentences else printed)
    left = list((blender.folder / "scratch").glob("weft-blender-*"))
    check(not left, "no folder is left behind")


def main():
    part, weft, *names = sys.argv[1:]
    if shutil.which("blender") is None:
        print("skipped: Blender is not installed (apt-get install blender)")
        raise SystemExit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="weft-test-") as folder:
        run = {"addon": test_addon, "viewport": test_viewport, "pictures": test_pictures, "times": measure_times}[part]
        run(Blender(folder, os.path.abspath(weft)), *names)


if __name__ == "__main__":
    main()
