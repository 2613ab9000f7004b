"""What goes wrong, by the exit codes of the program: each exception is one sentence and has the code of `weft`."""


class Error(Exception):
    """The base of all. `code` is the exit code of the program; `picture` is what was rendered until then, or None."""

    code = 1
    picture = None


class RenderError(Error):
    """A render failed: code 1."""


class UsageError(Error, ValueError):
    """An option, a path of an edit or an argument is wrong: code 2."""

    code = 2


class SceneError(Error):
    """A scene or another input cannot be used: code 3."""

    code = 3


class TooLargeError(SceneError):
    """It does not fit into memory, as was found before the first sample: code 3, too."""


class OutputError(Error):
    """A file cannot be written: code 4."""

    code = 4


class Cancelled(Error):
    """Cancelled before there was a sample: code 5. What is cancelled later ends with a picture instead."""

    code = 5


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out; `picture` has the samples until then, if there were any: code 33."""

    code = 33


_BY_KIND = {
    "render": RenderError,
    "usage": UsageError,
    "scene": SceneError,
    "too_large": TooLargeError,
    "output": OutputError,
    "memory": OutOfMemoryError,
}


def made_of(kind: str, sentence: str) -> Error:
    """The exception for a kind of error of the engine; _core calls this."""
    return _BY_KIND[kind](sentence)
