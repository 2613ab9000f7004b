"""places.py — folders in which a test hides the checkout and the build, for the tests of installation.

A program in a mount namespace of its own sees empty folders in their place. This needs root, or a system that lets
anyone make such namespaces.
"""

import subprocess
import sys

SKIPPED = 77


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        raise SystemExit(1)


def skip(sentence):
    print("skipped:", sentence, flush=True)
    raise SystemExit(SKIPPED)


def namespace_words():
    """The words before a command that give it mounts of its own, or None."""
    for words in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        try:
            if subprocess.run([*words, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return words
        except FileNotFoundError:
            return None
    return None


def hidden(folders, command):
    """The words that run a command which sees nothing in these folders."""
    mounts = "".join(f'if [ -d "{folder}" ]; then mount -t tmpfs none "{folder}"; fi && ' for folder in folders)
    script = f'mount --make-rprivate / && {mounts}cd / && exec "$@"'
    return [*namespace_words(), "sh", "-c", script, "hidden", *map(str, command)]


def run(command, **more):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    if result.returncode != 0:
        sys.stdout.write(result.stdout + result.stderr)
    return result
