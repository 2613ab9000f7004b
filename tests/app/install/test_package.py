"""test_package.py — the Debian package is installed into a clean root, used there and removed without a trace.

The root is this machine's files below an overlay in memory, in a mount namespace of its own: it has the libraries that
the package needs, and neither checkout nor build folder. Arguments: cpack, the build folder, the checkout. Skipped
(77) without root, overlays or the programs that make packages.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from places import check, run, skip

# $1: an empty folder, $2: the package, $3 and on: folders to hide. The root's /tmp is outside of the overlay.
SCRIPT = r"""
set -e
space=$1 package=$2
shift 2
mount --make-rprivate /
mount -t tmpfs none "$space"
mkdir "$space/upper" "$space/work" "$space/root"
root=$space/root
mount -t overlay none -o "lowerdir=/,upperdir=$space/upper,workdir=$space/work" "$root" || exit 77
mount -t proc none "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs none "$root/tmp"
for folder; do
    if [ -d "$root$folder" ]; then mount -t tmpfs none "$root$folder"; fi
done
cp "$package" "$root/tmp/weft.deb"
files() { (cd "$root" && find usr etc opt srv var/lib -xdev ! -path 'var/lib/dpkg/*' ! -name '*.cache' | sort); }
inside() { HOME=/tmp XDG_CACHE_HOME=/tmp/cache chroot "$root" "$@"; }
small='--spp 4 --width 64'
files >"$space/before"
inside dpkg -i /tmp/weft.deb
files >"$space/installed"
inside weft --version
inside weft render cornell -o /tmp/x.png $small
inside weft render cornell --jit auto -o /tmp/kernel.png $small
[ "$(inside weft compare /tmp/x.png /tmp/kernel.png --metric rmse)" = 'rmse 0' ]
if [ -d "$root/usr/lib/python3/dist-packages/weft" ]; then
    inside env -u PYTHONDONTWRITEBYTECODE /usr/bin/python3 -c 'import weft; weft.render("cornell", spp=4, width=64).save("/tmp/module.png")'
    [ "$(inside weft compare /tmp/x.png /tmp/module.png --metric rmse)" = 'rmse 0' ]
    [ -d "$root/usr/lib/python3/dist-packages/weft/__pycache__" ]
fi
inside man --warnings -E UTF-8 -l /usr/share/man/man1/weft-render.1.gz >"$space/page" 2>"$space/warnings"
cat "$space/warnings"
[ ! -s "$space/warnings" ]
grep -q 'samples per pixel' "$space/page"
inside dpkg -P weft
files >"$space/after"
echo "files of the package: $(comm -13 "$space/before" "$space/installed" | wc -l)"
[ "$(comm -13 "$space/before" "$space/installed" | wc -l)" -gt 20 ]
diff "$space/before" "$space/after"
"""


def main():
    cpack, build, source = sys.argv[1:]
    if os.geteuid() != 0:
        skip("installing a package needs root")
    for program in ("dpkg", "dpkg-deb", "dpkg-shlibdeps", "file", "man", "unshare"):
        if shutil.which(program) is None:
            skip(f"{program} is missing")
    with tempfile.TemporaryDirectory(prefix="weft-package-") as place:
        config = Path(build) / "CPackConfig.cmake"
        made = run([cpack, "--config", config, "-B", place], cwd=place)
        check(made.returncode == 0, "cpack makes a package")
        packages = list(Path(place).glob("weft_*.deb"))
        check(len(packages) == 1, "of one file")
        fields = run(["dpkg-deb", "--field", packages[0]]).stdout
        for field in ("Section: graphics", "Depends: ", "libembree3", "libc6"):
            check(field in fields, f"its fields have {field}")
        space = Path(place) / "space"
        space.mkdir()
        used = subprocess.run(["unshare", "--mount", "sh", "-c", SCRIPT, "package", space, packages[0], source, build],
                              check=False)
        if used.returncode == 77:
            skip("the system allows no overlay")
        check(used.returncode == 0, "the package is installed, used and removed")


if __name__ == "__main__":
    main()
