"""The program: where it is, its arguments, and one run of it with progress and cancel.

The program is that of the add-on's preferences, of $WEFT, or the first `weft` of PATH. It is started
without a shell. This module knows nothing of Blender.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass, field

# The version of Weft that this add-on is made for: the extras of scenes belong to it.
VERSION = "0.1"

# How long to wait for the program's next line before asking whether the render is cancelled.
PATIENCE_S = 0.1

# How long a program may take to say its version.
VERSION_TIMEOUT_S = 20


class ProgramFault(Exception):
    """A program that is missing, of another version, or that failed; the text is a sentence."""


class Cancelled(Exception):
    """The person who renders has cancelled."""


def find_program(preferred):
    """The path of the program."""
    for source, path in (("the add-on's preferences name", preferred), ("$WEFT names", os.environ.get("WEFT"))):
        if path:
            found = shutil.which(os.path.expanduser(path))
            if found is None:
                raise ProgramFault(f"Weft is missing: {source} {path}, which is no program")
            return os.path.abspath(found)
    found = shutil.which("weft")
    if found is None:
        raise ProgramFault("Weft is missing: set its program in the add-on's preferences or in $WEFT, "
                           "or put weft into a folder of PATH")
    return os.path.abspath(found)


def check_version(program):
    """Refuses a program of another version."""
    try:
        said = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              text=True, errors="replace", timeout=VERSION_TIMEOUT_S).stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise ProgramFault(f"{program} cannot be started ({fault})") from fault
    words = said.split()
    if len(words) != 2 or words[0] != "weft":
        raise ProgramFault(f"{program} is not Weft")
    if words[1].split(".")[:2] != VERSION.split("."):
        raise ProgramFault(f"{program} is Weft {words[1]}, this add-on needs Weft {VERSION}")


@dataclass
class Job:
    """What one run renders."""

    scene: str
    output: str
    width: int
    height: int
    border: tuple = None  # x0, x1, y0, y1 from the top left corner
    environment: list = field(default_factory=list)  # options of the world
    options: list = field(default_factory=list)  # of the settings
    layers: list = field(default_factory=list)  # of --aov
    stats: str = None


def arguments(program, job):
    """The command line of a job."""
    line = [program, "render", job.scene, "-o", job.output, "--exr-type", "float", "--exr-compression", "none",
            "--width", str(job.width), "--height", str(job.height), "--progress", "json"]
    if job.border:
        line += ["--pixelbounds", ",".join(str(x) for x in job.border)]
    if job.layers:
        line += ["--aov", ",".join(job.layers)]
    if job.stats:
        line += ["--heat", "--stats", job.stats]
    return line + job.environment + job.options


def read_lines(stream, lines):
    """Puts every line into a queue, and None at the end."""
    for line in stream:
        lines.put(line)
    lines.put(None)


def run(line, on_progress, is_cancelled):
    """Runs the program. `on_progress` gets each object of `--progress json`. Raises ProgramFault, Cancelled."""
    try:
        # A group of its own: a signal from Blender's terminal does not reach it.
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    except OSError as fault:
        raise ProgramFault(f"{line[0]} cannot be started ({fault})") from fault
    lines = queue.Queue()
    reader = threading.Thread(target=read_lines, args=(process.stderr, lines), daemon=True)
    reader.start()
    try:
        last = follow(lines, on_progress, is_cancelled)
        code = process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        reader.join()
        process.stderr.close()
    if code != 0:
        raise ProgramFault(last or ended(code))


def ended(code):
    """A sentence on how the program ended without one of its own."""
    if code >= 0:
        return f"Weft ended with code {code}"
    try:
        return f"Weft was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"Weft was ended by signal {-code}"


def follow(lines, on_progress, is_cancelled):
    """Hands on the program's lines to their end; returns the last error."""
    last_error = None
    while True:
        if is_cancelled():
            raise Cancelled()
        try:
            line = lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            continue
        if line is None:
            return last_error
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            last_error = line.strip() or last_error
            continue
        if event.get("level") == "error":
            last_error = event.get("message")
        on_progress(event)
