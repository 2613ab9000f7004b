"""test_slurm.py — weft-slurm on a real Slurm cluster, of four nodes on this machine.

A node dies with its running slice, and the process of another slice is killed; the merged picture has the film hash of
a render that nobody disturbed. Arguments: the program weft. Skipped (77) where Slurm is not installed.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from slurm_cluster import PACKAGES, Cluster, missing_programs, wait_for

FARM = Path(__file__).resolve().parents[3] / "app" / "farm"
SLICES = 8
ARGUMENTS = ["--width", "64", "--height", "64", "--spp", "8192"]


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        raise SystemExit(1)


def film_hash(weft, path):
    result = subprocess.run([weft, "verify", path], stdout=subprocess.PIPE, text=True, check=True)
    digits = result.stdout.split()[-1]
    check(re.fullmatch("[0-9a-f]{32}", digits) is not None, f"{path} has a film hash")
    return digits


def submit(cluster, folder, weft, *words):
    result = subprocess.run(
        [FARM / "weft-slurm", "cornell", "-o", "picture.exr", "--slices", str(SLICES), "--weft", weft, *words, "--",
         *ARGUMENTS, "--checkpoint-interval", "0.3", "--progress", "lines"],
        cwd=folder, env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(result.stdout, end="", flush=True)
    check(result.returncode == 0, "weft-slurm ends with 0")
    return result.stdout


def saved_tasks(cluster, parts):
    """Pairs of (slice, node) that run and have written a checkpoint, but no picture."""
    found = []
    for job, node in cluster.tasks():
        number = job.partition("_")[2]
        part = parts / f"part-{int(number):04}.exr" if number.isdigit() else None
        if part and Path(f"{part}.checkpoint").exists() and not part.exists():
            found.append((int(number), node))
    return found


def jobs_of(cluster):
    return cluster.run("squeue", "-h", "-r", "-o", "%i %T %r").strip()


def hurry(cluster):
    """Slurm holds a requeued task for two minutes; the test does not wait for them."""
    for line in jobs_of(cluster).splitlines():
        if "BeginTime" in line:
            cluster.run("scontrol", "update", f"JobId={line.split()[0]}", "StartTime=now")
    return not jobs_of(cluster)


def disturb(cluster, parts):
    """Kills a node with its slice, and the process of a slice on another node. Returns both slices."""
    lost, node = wait_for("a slice to kill with its node", lambda: saved_tasks(cluster, parts))[0]
    cluster.kill_node(node)
    check(not (parts / f"part-{lost:04}.exr").exists(), f"node {node} died within slice {lost}")

    def other_task():
        return [task for task in saved_tasks(cluster, parts) if task[0] != lost and task[1] != node]

    failed, other = wait_for("a slice to kill without its node", other_task)[0]
    for process in cluster.processes_of(other):
        if os.path.basename(os.readlink(f"/proc/{process}/exe")) == "weft":
            os.kill(process, signal.SIGKILL)
    check(not (parts / f"part-{failed:04}.exr").exists(), f"the process of slice {failed} died on {other}")
    return lost, failed


def test(cluster, folder, weft):
    parts = folder / "picture.exr.slices"
    picture = folder / "picture.exr"
    submit(cluster, folder, weft)
    check("still in the queue" in submit(cluster, folder, weft), "a second submission waits for the first")
    lost, failed = disturb(cluster, parts)

    # Slurm finds the dead node, and runs its slice on another one. The merge is cancelled: a slice failed.
    wait_for("the end of all jobs", lambda: hurry(cluster))
    check(not picture.exists(), "nothing is merged while a slice is missing")
    missing = [number for number in range(1, SLICES + 1) if not (parts / f"part-{number:04}.exr").exists()]
    check(missing == [failed], f"slice {failed} alone is missing")
    log = "".join(file.read_text() for file in parts.glob(f"slurm-*_{lost}.log"))
    check("continues from" in log, f"slice {lost} continued from its checkpoint on another node")

    # The same line submits the failed slice alone.
    check(f"1 of {SLICES} slices" in submit(cluster, folder, weft), "one slice is submitted again")
    wait_for("the end of all jobs", lambda: hurry(cluster))
    log = "".join(file.read_text() for file in parts.glob(f"slurm-*_{failed}.log"))
    check("continues from" in log, f"slice {failed} continued from its checkpoint")
    check(picture.exists(), "the slices are merged")
    check("is done" in submit(cluster, folder, weft), "a third submission has nothing to do")

    whole = folder / "whole.exr"
    subprocess.run([weft, "render", "cornell", "-o", whole, "--keep-film", *ARGUMENTS, "-q"], check=True)
    check(film_hash(weft, picture) == film_hash(weft, whole), "the film hash is that of one render")


def main(weft):
    missing = missing_programs()
    if missing:
        print(f"skipped for lack of {', '.join(missing)}: apt-get install --no-install-recommends {PACKAGES}")
        return 77
    folder = Path(tempfile.mkdtemp(prefix="weft-slurm-"))
    (folder / "pictures").mkdir()
    cluster = Cluster(folder, nodes=4)
    try:
        test(cluster, folder / "pictures", os.path.abspath(weft))
    except BaseException:
        for log in sorted(folder.glob("slurm*.log")) + sorted(folder.glob("pictures/*/*.log")):
            print(f"--- {log}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:]))
        raise
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
