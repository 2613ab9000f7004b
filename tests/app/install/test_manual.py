"""test_manual.py — the man pages name all that the help names, and shells complete from the written files.

Arguments: the program weft. What needs groff or zsh is left out with a word where these are missing.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from places import check, run

COMMANDS = ("render", "view", "serve", "bench", "info", "merge", "compare", "denoise", "verify", "help")

BASH = r"""
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_weft
printf '%s\n' "${COMPREPLY[@]}"
"""


def completions(script, place, *words):
    result = subprocess.run(["bash", "-c", BASH, "bash", script, *words], cwd=place, text=True, check=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(result.stderr == "", f"bash completes {words} without a message {result.stderr}")
    return set(result.stdout.split())


def check_pages(weft, folder):
    for command in ("", *COMMANDS):
        page = (folder / "man1" / ("weft.1" if command == "" else f"weft-{command}.1")).read_text(encoding="utf-8")
        text = run([weft, *([command] if command else []), "--help"]).stdout
        options = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, flags=re.MULTILINE))
        check("--help" in options, f"the help of '{command}' lists options")
        absent = {name for name in options if name.replace("-", r"\-") not in page}
        check(not absent, f"the page of '{command}' has all {len(options)} options of its help {absent or ''}")
        for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"):
            check(f".SH {heading}\n" in page, f"and the heading {heading}")
        check("WEFT_SCENE_PATH" in page and r"\fB33\fR" in page, "and tells of variables and exit codes")
        if shutil.which("groff"):
            shown = run(["groff", "-man", "-ww", "-k", "-Tutf8"], input=page)
            check(shown.returncode == 0 and shown.stderr == "", f"groff sets it without a warning {shown.stderr}")


def check_bash(folder, place):
    script = folder / "bash" / "weft"
    for name in ("sky.hdr", "sky.exr", "scene.glb", "notes.txt"):
        (place / name).write_text("", encoding="utf-8")
    (place / "scenes").mkdir()
    (place / "scenes" / "attic.gltf").write_text("", encoding="utf-8")
    check({*COMMANDS, "--version"} <= completions(script, place, "weft", ""), "bash offers the commands")
    check(completions(script, place, "weft", "re") == {"render"}, "and completes one")
    check(completions(script, place, "weft", "render", "--filt") == {"--filter"}, "bash completes an option")
    check(completions(script, place, "weft", "render", "--filter", "b") == {"box", "blackman-harris"}, "and its choices")
    check(completions(script, place, "weft", "render", "--filter", "=", "b") == {"box", "blackman-harris"},
          "and those after an equals sign")
    check(completions(script, place, "weft", "render", "--spp", "") == set(), "and offers nothing for a number")
    maps = completions(script, place, "weft", "render", "--environment", "sk")
    check(maps == {"sky.hdr", "sky.exr"}, f"and maps for --environment, not {maps}")
    check("notes.txt" not in completions(script, place, "weft", "render", ""), "and no text file as a scene")
    check(completions(script, place, "weft", "render", "sce") == {"scene.glb", "scenes"}, "but a scene file")
    check("attic" in completions(script, place, "weft", "info", "at"), "and the name of a scene")


def check_zsh(folder):
    if shutil.which("zsh") is None:
        print("zsh is missing: its completion is not parsed")
        return
    script = folder / "zsh" / "_weft"
    check(run(["zsh", "-n", script]).returncode == 0, "zsh parses its completion")


def main():
    weft = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="weft-manual-") as place:
        folder = Path(place) / "manual"
        check(run([weft, "--write-manual", folder]).returncode == 0, "weft --write-manual ends with 0")
        check_pages(weft, folder)
        check_bash(folder, Path(place))
        check_zsh(folder)
        blocked = run([weft, "--write-manual", "/proc/nowhere"])
        check(blocked.returncode == 4 and len(blocked.stderr.splitlines()) == 1, "a folder that cannot be made: 4")


if __name__ == "__main__":
    main()
