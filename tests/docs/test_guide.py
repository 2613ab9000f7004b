"""test_guide.py — runs every command of the user's guide, page by page and line by line, as a reader would.

A command is a line of docs/*.md that is indented by four spaces and begins with `weft` or `./app/`. It runs in a shell, in
a folder of the page's own, where a script named `weft` adds options that keep it short: a small picture, few samples.
The last of several options counts, so what a line asks for is still parsed. Links of the pages must lead to files.

Arguments: the program weft, the root of the checkout, a page's name. Viewer commands need Xvfb; they are left out with a
word where it is missing, and so are farm commands.
"""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from base64 import b64encode
from pathlib import Path

sys.dont_write_bytecode = True
SKIPPED = 77
# What each command gets beside its own words.
SHORT = {
    "render": "--width 40 --height 24 --spp 4",
    "bench": "--width 40 --height 24 --spp 1 --rays 2048 --repeats 1 --image-repeats 1 --policy-repeats 1",
    "view": "--width 40 --height 24 --spp 2 --script quit.txt",
}
# Lines whose samples are what they show.
KEEPS_SAMPLES = re.compile(r"--resume|--slice")

WRAPPER = """#!/bin/sh
{cases}
exec "{weft}" "$@"
"""


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        raise SystemExit(1)


def commands_of(text):
    lines = [line[4:] for line in text.splitlines() if re.match(r"    (weft|\./app/)", line)]
    return [line for line in lines if line.strip()]


def check_links(page, text):
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    absent = [link for link in links if not (page.parent / link).exists()]
    check(not absent, f"{page.name}: its {len(links)} links lead to files {absent or ''}")


def write_walk(path):
    """A triangle that moves: what a reader calls walk.gltf."""
    data = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<2f", 0, 1) + struct.pack("<6f", 0, 0, 0, 1, 0, 0)
    views = [(0, 36), (36, 8), (44, 24)]
    scene = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "walker"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": begin, "byteLength": size} for begin, size in views],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "animations": [{"samplers": [{"input": 1, "output": 2}],
                        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
    }
    path.write_text(json.dumps(scene), encoding="utf-8")


# What a reader calls studio.ocio.
STUDIO = """ocio_profile_version: 2
roles: {scene_linear: working}
file_rules: [!<Rule> {name: Default, colorspace: working}]
displays:
  screen: [!<View> {name: plain, colorspace: gamma2}]
  projector: [!<View> {name: mirrored, colorspace: gamma2}]
looks:
  - !<Look> {name: dim, process_space: working, transform: !<ExponentTransform> {value: 1.1}}
colorspaces:
  - !<ColorSpace> {name: working}
  - !<ColorSpace> {name: gamma2, from_scene_reference: !<ExponentTransform> {value: 2, direction: inverse}}
"""


def edits_of(text):
    """The file of edits that a page shows, if it shows one."""
    found = re.search(r'^    (\{"weft_edits".*?\n)\n', text + "\n", flags=re.MULTILINE | re.DOTALL)
    return found.group(1) if found else None


def prepare(folder, weft, root):
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    cases = "\n".join(f'[ "$1" = {name} ] && set -- "$@" {options}' for name, options in SHORT.items())
    for name, text in (("weft", WRAPPER.format(cases=cases, weft=weft)), ("steady", f'#!/bin/sh\nexec "{weft}" "$@" --width 40 --height 24\n')):
        (bin_folder / name).write_text(text, encoding="utf-8")
        (bin_folder / name).chmod(0o755)
    write_walk(folder / "walk.gltf")
    (folder / "studio.ocio").write_text(STUDIO, encoding="utf-8")
    (folder / "quit.txt").write_text("quit\n", encoding="utf-8")
    # The edits that the page about lighting writes down are used by other pages, too.
    (folder / "evening.json").write_text(edits_of((root / "docs/lighting.md").read_text(encoding="utf-8")), encoding="utf-8")
    return {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data")}


def run_command(command, folder, surroundings):
    words = command
    if command.startswith("./app/farm/"):
        print("skipped:", command, "(needs a farm)", flush=True)
        return
    if command.startswith("weft view"):
        if not shutil.which("xvfb-run"):
            print("skipped:", command, "(needs xvfb-run)", flush=True)
            return
        words = f'xvfb-run -a -s "-screen 0 800x600x24" {command}'
    elif KEEPS_SAMPLES.search(command):
        words = re.sub(r"^weft", "steady", command)
    result = subprocess.run(["sh", "-c", words], cwd=folder, env=surroundings, text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if "no viewer" in result.stderr or "without the viewer" in result.stderr:
        print("skipped:", command, "(a build without the viewer)", flush=True)
        return
    if result.returncode != 0:
        print(result.stderr[-2000:], flush=True)
    check(result.returncode == 0, command)
    # Whatever a line says it writes is there.
    written = re.search(r"(?:-o|>) ([\w.#-]+\.\w+)", command)
    if written and "--dry-run" not in command:
        name = written.group(1)
        pattern = re.sub(r"#+", "*", name)
        files = [path for path in folder.glob(pattern) if path.stat().st_size > 0]
        check(bool(files), f"    which writes {name}")


def main():
    weft, root, name = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    page = root / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    check_links(page, text)
    commands = commands_of(text)
    check(bool(commands), f"{page.name} has commands")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        surroundings = prepare(folder, weft, root)
        for command in commands:
            run_command(command, folder, surroundings)


main()
