"""needed_packages.py — which of this machine's libraries belong to no package that another package needs.

Follows Depends and Pre-Depends from a list of dependencies, and from the essential packages, through what is installed.
"""

import os
import re
from pathlib import Path

from places import run

FIELDS = ("Package", "Architecture", "Essential", "Provides", "Pre-Depends", "Depends")
LISTS = Path("/var/lib/dpkg/info")


def installed():
    """The fields of all installed packages by name, and by what they provide."""
    form = "\t".join(f"${{{field}}}" for field in FIELDS) + "\n"
    packages, provided = {}, {}
    for line in run(["dpkg-query", "-W", "-f", form]).stdout.splitlines():
        fields = dict(zip(FIELDS, line.split("\t")))
        packages[fields["Package"]] = fields
        for name in names(fields["Provides"]):
            provided.setdefault(name, fields["Package"])
    return packages, provided


def names(relations):
    """The names in a list of packages, without versions and architectures."""
    return [re.sub(r"[ (:].*", "", relation.strip()) for relation in re.split(r"[,|]", relations) if relation.strip()]


def needed(depends):
    """The names of all installed packages that these dependencies lead to."""
    packages, provided = installed()
    found = set()
    wanted = names(depends) + [name for name, fields in packages.items() if fields["Essential"] == "yes"]
    while wanted:
        name = wanted.pop()
        name = name if name in packages else provided.get(name)
        if name is not None and name not in found:
            found.add(name)
            wanted += names(packages[name]["Depends"]) + names(packages[name]["Pre-Depends"])
    return found


def libraries_of(path):
    """The shared libraries in dpkg's list of a package's files, each by its real folder."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.search(r"\.so(\.[0-9.]+)?$", line):
            yield os.path.join(os.path.realpath(os.path.dirname(line)), os.path.basename(line))


def foreign_libraries(depends):
    """The shared libraries of all packages but those that the dependencies lead to, sorted."""
    kept, foreign = set(), set()
    own = needed(depends)
    for path in LISTS.glob("*.list"):
        (kept if path.stem.split(":")[0] in own else foreign).update(libraries_of(path))
    return sorted(foreign - kept)
