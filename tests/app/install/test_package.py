"""test_package.py — the Debian package is installed into a clean root, used there and removed without a trace.

The root is this machine's files below an overlay in memory, in a mount namespace of its own: it has the libraries that
the package needs, and neither checkout nor build folder. A second, bare root lacks the libraries of all packages that
the package's dependencies do not lead to. Arguments: cpack, the build folder, the checkout. Skipped (77) without root,
overlays or the programs that make packages.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from needed_packages import foreign_libraries
from places import check, run, skip

# $1: an empty folder, $2: the package, $3: a list of foreign libraries, $4 and on: folders to hide. The roots' /tmp is
# outside of the overlays.
SCRIPT = r"""
set -e
space=$1 package=$2 foreign=$3
shift 3
mount --make-rprivate /
mount -t tmpfs none "$space"
# $1: the root's folder, $2: what lies below it, $3 and on: folders to hide.
make_root() {
    made=$space/$1
    mkdir "$made" "$made.upper" "$made.work"
    mount -t overlay none -o "lowerdir=$2,upperdir=$made.upper,workdir=$made.work" "$made" || exit 77
    mount -t proc none "$made/proc"
    mount --rbind /dev "$made/dev"
    mount -t tmpfs none "$made/tmp"
    shift 2
    for folder; do
        if [ -d "$made$folder" ]; then mount -t tmpfs none "$made$folder"; fi
    done
}
make_root root / "$@"
root=$space/root
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

make_root bare "$root.upper:/" "$@" /usr/local
bare=$space/bare
echo "libraries that the package may not use: $(wc -l <"$foreign")"
(cd "$bare" && sed 's,^/,,' "$foreign" | xargs -d '\n' rm -f --)
alone() { HOME=/tmp XDG_CACHE_HOME=/tmp/cache chroot "$bare" "$@"; }
cp "$root/tmp/x.png" "$bare/tmp/x.png"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$bare/tmp/triangle.obj"
alone weft render cornell -o /tmp/alone.png $small
[ "$(alone weft compare /tmp/x.png /tmp/alone.png --metric rmse)" = 'rmse 0' ]
alone weft render /tmp/triangle.obj --environment studio -o /tmp/triangle.exr $small
alone weft info cornell >"$space/info"
alone weft help files >"$space/help"
umount -R "$bare"

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
        # gzip, because xz takes some ten times as long and what is packed is the same.
        quick = ["-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"]
        made = run([cpack, "--config", config, *quick, "-B", place], cwd=place)
        check(made.returncode == 0, "cpack makes a package")
        packages = list(Path(place).glob("weft_*.deb"))
        check(len(packages) == 1, "of one file")
        fields = run(["dpkg-deb", "--field", packages[0]]).stdout
        for field in ("Section: graphics", "Depends: ", "libembree3", "libc6"):
            check(field in fields, f"its fields have {field}")
        foreign = foreign_libraries(run(["dpkg-deb", "--field", packages[0], "Depends"]).stdout)
        check(len(foreign) > 0, "packages are installed that the package does not need")
        listed = Path(place) / "foreign"
        listed.write_text("".join(path + "\n" for path in foreign), encoding="utf-8")
        space = Path(place) / "space"
        space.mkdir()
        words = ["package", space, packages[0], listed, source, build]
        used = subprocess.run(["unshare", "--mount", "sh", "-c", SCRIPT, *words], check=False)
        if used.returncode == 77:
            skip("the system allows no overlay")
        check(used.returncode == 0, "the package is installed, used and removed")


if __name__ == "__main__":
    main()
