"""slurm_cluster.py — a Slurm cluster of several small nodes on this machine, below one folder.

munged, slurmctld and a slurmd per node run as children of the test and end with it. Nothing outside the folder is
written, and no service of the machine is used.
"""

import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel", "sinfo")
PACKAGES = "slurmctld slurmd slurm-client munge"
SEARCH_PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"

CONF = """
ClusterName=weft
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
SlurmdTimeout=10
KillWait=5
MinJobAge=3600
SchedulerParameters=sched_interval=1,defer_batch=no
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


def missing_programs():
    return [name for name in PROGRAMS if shutil.which(name, path=SEARCH_PATH) is None]


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def free_ports(count):
    """The first of `count` ports in a row that nobody listens on."""
    for first in range(21000, 32000, count):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("", port))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise RuntimeError("no ports are free")


def wait_for(what, condition):
    """Asks until the answer is true, and returns it. CTest ends a test that waits for ever."""
    print("waiting:", what, flush=True)
    while True:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)


class Cluster:
    def __init__(self, folder, nodes):
        self.folder = Path(folder)
        self.environment = {**os.environ, "PATH": SEARCH_PATH, "SLURM_CONF": str(self.folder / "slurm.conf")}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"]:
            del self.environment[name]
        self.daemons = {}
        first = free_ports(nodes + 1)
        host = socket.gethostname().split(".")[0]
        for name in ("state", *(f"spool-n{number}" for number in range(1, nodes + 1))):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(CONF.format(
            folder=self.folder, host=host, port=first, first=first + 1, last=first + nodes, nodes=nodes,
            user=getpass.getuser()))
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                   f"--seed-file={self.folder}/munged.seed")
        wait_for("munged", (self.folder / "munge.socket").exists)
        self.start("slurmctld", "-D", "-c")
        for number in range(1, nodes + 1):
            self.start_node(f"n{number}")
        wait_for("idle nodes", lambda: self.run("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(nodes))

    def start(self, program, *arguments, name=None):
        with open(self.folder / f"{name or program}.out", "w") as output:
            self.daemons[name or program] = subprocess.Popen(
                [shutil.which(program, path=SEARCH_PATH), *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, preexec_fn=die_with_parent)

    def start_node(self, node):
        self.start("slurmd", "-D", "-N", node, name=node)

    def run(self, *words):
        """What a program of Slurm prints; empty where it fails."""
        return subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout

    def tasks(self):
        """Pairs of (job or job_task, node) that run."""
        lines = self.run("squeue", "-h", "-r", "-t", "R", "-o", "%i %N").split("\n")
        return [tuple(line.split()) for line in lines if len(line.split()) == 2]

    def processes_of(self, node):
        """Processes of job steps on a node: those with its name in their environment, and their slurmstepd."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "environ").read_bytes().split(b"\0")
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            ours = f"SLURM_CONF={self.folder}/slurm.conf".encode()
            if f"SLURMD_NODENAME={node}".encode() in words and ours in words:
                found += [int(folder.name), parent]
        return [process for process in dict.fromkeys(found) if process > 1 and process != os.getpid()]

    def kill_node(self, node):
        """As if the machine lost power: the daemon and the steps of its jobs end at once."""
        steps = self.processes_of(node)
        self.daemons[node].kill()
        self.daemons[node].wait()
        for process in steps:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def stop(self):
        self.run("scancel", "--full", "-s", "KILL", "-u", getpass.getuser())
        for daemon in reversed(self.daemons.values()):
            daemon.kill()
            daemon.wait()
