"""test_modules.py — the modules of the add-on that need no Blender: the run of the program, names of mattes.

Argument: the program weft. Runs where Blender is not installed, too.
"""

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

ADDON = Path(__file__).resolve().parents[3] / "integrations" / "blender" / "weft"


def load(name):
    """A module of the add-on alone: the package itself needs Blender."""
    spec = importlib.util.spec_from_file_location(name, ADDON / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        raise SystemExit(1)


def fault_of(command, call, *arguments):
    """The sentence of a ProgramFault; empty without one."""
    try:
        call(*arguments)
    except command.ProgramFault as fault:
        return str(fault)
    return ""


def main():
    weft = os.path.abspath(sys.argv[1])
    mattes = load("mattes")
    hashes = [mattes.murmur3(name) for name in ("", "a", "hello", "hello, world")]
    check(hashes == [0, 0x3c2569b2, 0x248bfa47, 0x149bbb7f], "names have the hashes of MurmurHash3")
    command = load("command")
    check(command.find_program(weft) == weft, "the preferences name the program")
    check("preferences" in fault_of(command, command.find_program, "/nowhere"), "a missing one is told with its source")
    check(fault_of(command, command.check_version, weft) == "", "the program has the version of the add-on")
    check("is not Weft" in fault_of(command, command.check_version, "/bin/echo"), "another program is told")
    with tempfile.TemporaryDirectory() as folder:
        job = command.Job(scene="cornell", output=os.path.join(folder, "a.exr"), width=32, height=24,
                          border=(4, 20, 8, 16), options=["--spp", "2"], layers=["albedo", "depth"])
        events = []
        command.run(command.arguments(weft, job), events.append, lambda: False)
        check(os.path.getsize(job.output) > 0, "a run writes its picture")
        check(events[-1].get("end") == "done", "and hands on the lines of its progress")
        # A program that fails has a sentence.
        job.scene = "no such scene.gltf"
        sentence = fault_of(command, command.run, command.arguments(weft, job), events.append, lambda: False)
        check("no such scene" in sentence, f"a failing run has a sentence: {sentence}")
        # A cancelled run ends at once and leaves no picture.
        job = command.Job(scene="cornell", output=os.path.join(folder, "b.exr"), width=256, height=256,
                          options=["--spp", "1000000"])
        seen = []
        began = time.monotonic()
        try:
            command.run(command.arguments(weft, job), seen.append, lambda: len(seen) > 1)
            was_cancelled = False
        except command.Cancelled:
            was_cancelled = True
        check(was_cancelled and os.listdir(folder) == ["a.exr"], "a cancelled run leaves no file")
        print(f"after {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
