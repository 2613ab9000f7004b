"""slices.py — the command lines that render one picture in slices and join them.

weft-slurm and weft-opencue hand these to their queues. The slices of OUTPUT lie in the folder
OUTPUT.slices: part-0001.exr, its checkpoint, and part-0001.json, the figures of a slice that ended.
"""

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

# Options that the farm sets for each slice.
RESERVED = ("-o", "--output", "--slice", "--checkpoint", "--resume", "--stats", "-u", "--no-clobber", "-n", "--dry-run")


class UsageError(Exception):
    """A sentence for the user."""


@dataclass(frozen=True)
class SlicedPicture:
    scenes: tuple  # files or names of scenes
    output: str
    count: int  # of slices
    arguments: tuple = ()  # more arguments of weft render
    merge_arguments: tuple = ()
    weft: str = "weft"

    def __post_init__(self):
        for word in self.arguments:
            if word.split("=")[0] in RESERVED or re.match(r"-[oun].", word):
                raise UsageError(f"{word}: the farm sets this option itself; expected other options of weft render")
        for word in (*self.scenes, self.output, *self.arguments, *self.merge_arguments, self.weft):
            if re.search(r"[\x00-\x1f\x7f]", word):
                raise UsageError(f"{word!r}: has a control character; expected none in names and options")

    @property
    def folder(self):
        return Path(self.output + ".slices")

    def part(self, number):
        """The file of a slice; `number` counts from 1, or is a word that the farm replaces by four digits."""
        digits = f"{number:04}" if isinstance(number, int) else number
        return str(self.folder / f"part-{digits}.exr")

    def figures(self, number):
        return self.part(number).removesuffix(".exr") + ".json"

    def render_words(self, number, digits=None):
        """Renders a slice, or continues it where its last attempt was killed."""
        digits = number if digits is None else digits
        return [self.weft, "render", *self.scenes, *self.arguments, "-o", self.part(digits),
                "--slice", f"{number}/{self.count}", "--checkpoint", "--resume", "--stats", self.figures(digits)]

    def merge_words(self, parts):
        return [self.weft, "merge", self.output, *parts, *self.merge_arguments]

    def parts(self):
        return [self.part(number) for number in range(1, self.count + 1)]

    def is_finished(self, number):
        """Whether a slice has all of its samples, or those that its --time-limit allowed."""
        try:
            stopped_by = json.loads(Path(self.figures(number)).read_text())["samples"]["stopped_by"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return stopped_by in ("samples", "time_limit") and Path(self.part(number)).exists()


def frame_names(word, frame):
    """`word` with each run of # replaced by the frame number, in as many digits."""
    return re.sub("#+", lambda run: str(frame).zfill(len(run.group())), word)


def line_of(words):
    """The words as one line for a shell."""
    return shlex.join(words)
