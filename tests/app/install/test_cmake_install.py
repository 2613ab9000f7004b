"""test_cmake_install.py — the program runs from where `cmake --install` puts it, without checkout and build folder.

Arguments: cmake, the build folder, the checkout.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from places import check, hidden, namespace_words, run, skip

# The module finds the scenes, maps and parts of its own installation.
SCRIPT = """
import sys, weft
assert weft.__file__.startswith(sys.argv[1]), weft.__file__
weft.render("cornell", spp=4, width=32, environment="studio").save(sys.argv[3])
print(weft.load(sys.argv[2]).figures["triangles"])
"""

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def main():
    cmake, build, source = sys.argv[1:]
    if namespace_words() is None:
        skip("the system allows no mount namespace, so the checkout cannot be hidden")
    with tempfile.TemporaryDirectory(prefix="weft-install-") as place:
        prefix = Path(place) / "usr"
        check(run([cmake, "--install", build, "--prefix", prefix]).returncode == 0, "cmake --install ends with 0")
        for name in ("bin/weft", "lib/weft/weft-import", "lib/weft/weft-images.so", "share/weft/scenes/cornell.gltf"):
            check((prefix / name).is_file(), f"{name} is installed")
        check(not list(prefix.glob("share/weft/scenes/*.py")), "no script is installed")
        guide = prefix / "share" / "weft" / "docs"
        shown = [guide / path for page in guide.glob("*.md")
                 for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))]
        absent = [str(path) for path in shown if not path.is_file()]
        check(len(shown) > 5 and not absent, f"the guide's {len(shown)} pictures are installed {absent or ''}")
        if (prefix / "share" / "applications" / "weft.desktop").exists():
            check((prefix / "share/weft/assets/fonts/DejaVuSans.ttf").is_file(), "so is the viewer's font")
        (Path(place) / "triangle.obj").write_text(TRIANGLE, encoding="utf-8")

        def weft(*words):
            environment = {**os.environ, "HOME": place, "XDG_CACHE_HOME": str(Path(place) / "cache")}
            return run(hidden([source, build], [prefix / "bin" / "weft", *words]), env=environment)

        check(weft("--version").stdout.startswith("weft "), "weft --version")
        picture = Path(place) / "cornell.png"
        small = ("--spp", "4", "--width", "32")
        check(weft("render", "cornell", "-o", picture, *small).returncode == 0, "an example scene renders")
        check(picture.read_bytes().startswith(b"\x89PNG"), "its picture is a PNG")
        check("triangles    1 (" in weft("info", Path(place) / "triangle.obj").stdout, "weft-import reads an OBJ")
        kernel = weft("render", "cornell", "--jit", "auto", "-o", Path(place) / "kernel.png", *small)
        check(kernel.returncode == 0, "a render with --jit auto ends with 0")
        same = weft("compare", picture, Path(place) / "kernel.png", "--metric", "rmse")
        check(same.stdout == "rmse 0\n", "and has the same picture")
        for folder in prefix.glob("lib/python3*/dist-packages"):
            module = Path(place) / "module.png"
            words = ["/usr/bin/python3", "-B", "-c", SCRIPT, place, Path(place) / "triangle.obj", module]
            ran = run(hidden([source, build], words), env={**os.environ, "PYTHONPATH": str(folder)})
            check(ran.returncode == 0 and ran.stdout == "1\n", "the installed module of Python renders and reads an OBJ")
            check(weft("render", "cornell", "--environment", "studio", "-o", picture, *small).returncode == 0, "and the program")
            check(weft("compare", picture, module, "--metric", "rmse").stdout == "rmse 0\n", "has the same picture")


if __name__ == "__main__":
    main()
