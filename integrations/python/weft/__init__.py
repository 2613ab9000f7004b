"""Weft in Python: load a scene, look at it, edit it, render it, and have the picture as arrays of numpy.

    import weft
    scene = weft.load("cornell")
    scene["materials/red/roughness"] = 0.3
    picture = weft.render(scene, width=320, spp=64, aov=["albedo", "depth"])
    picture.save("cornell.exr")
    print(picture.beauty.mean(), picture["depth"].shape, picture.stats["rays"]["per_second"])

Options are those of `weft render`, with underscores: --look-at 0,1,3,0,1,0 is look_at=(0, 1, 3, 0, 1, 0), and flags are
True or False. `weft.options()` lists them. Nothing is printed: notes go to the logger "weft" of Python's module logging.
The interpreter's lock is free while the engine works, so that other threads run, among them other renderers.
"""

import atexit
import contextlib
import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _core
from ._words import decoded, encoded, plain, table, words_of
from .errors import (Cancelled, Error, OutOfMemoryError, OutputError, RenderError, SceneError, TooLargeError,
                     UsageError)

__all__ = ["Cancelled", "Error", "OutOfMemoryError", "OutputError", "Picture", "Progress", "RenderError", "Renderer",
           "Scene", "SceneError", "TooLargeError", "UsageError", "bench", "compare", "error_map", "load",
           "memory_limit", "options", "read", "render", "version"]

version: str = _core.version

_log = logging.getLogger("weft")
_log.addHandler(logging.NullHandler())

_PathLike = Union[str, bytes, os.PathLike]


def _program_folder():
    """Where the program lies or would lie: beside the parts of this build, or in bin of this installation."""
    here = Path(_core.__file__).resolve().parent
    built = here.parent.parent
    return built if (built / "weft-images.so").is_file() else here.parents[3] / "bin"


_core.set_program_folder(encoded(_program_folder()))
# A thread of the engine that came back after the interpreter would find none.
atexit.register(_core.end_work)


def _callable(value):
    if value is not None and not callable(value):
        raise UsageError(f"progress: expected a function, found {type(value).__name__}")
    return value


def _numpy():
    try:
        import numpy
    except ImportError as missing:
        raise UsageError("numpy is missing, which arrays need: install python3-numpy, or use buffer()") from missing
    return numpy


def options(function: str = "render") -> Dict[str, Dict[str, str]]:
    """The options of "load", "render", "save", "bench" or "compare": {name: {"kind", "usual", "help", "group"}}."""
    functions = [name for name in _core.OptionsOf.__members__ if name != "either"]
    if function not in functions:
        raise UsageError(f"function: expected one of {', '.join(functions)}")
    return {name: {part: row[part] for part in ("kind", "usual", "help", "group")}
            for name, row in table(function).items()}


def memory_limit(size: Optional[str] = None) -> None:
    """Most memory of the whole process, such as "8G"; None: what is free when a scene or a render begins."""
    _core.set_memory_limit(b"" if size is None else encoded(size, "memory_limit"))


class Scene:
    """A scene in memory; load() makes one. Edits have the paths of --set: scene["materials/red/roughness"] = 0.3.

    Several threads may use one scene. Renders take it as it is when they are made.
    """

    def __init__(self, core):
        self._core = core

    def copy(self) -> "Scene":
        """The same scene, to be edited apart. Copies share all that no edit changes."""
        return Scene(self._core.copy())

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, _memo):
        return self.copy()

    def __reduce__(self):
        raise UsageError("a weft.Scene cannot be pickled: it lies in the memory of its process; load it in the other one")

    @property
    def report(self) -> str:
        """The text of `weft info`."""
        return decoded(self._core.report())

    @property
    def figures(self) -> Dict[str, Any]:
        """Numbers of triangles, instances, materials, textures, lights and bytes; names of cameras."""
        return json.loads(self._core.figures_json())

    @property
    def notes(self) -> List[Tuple[str, str]]:
        """What import "found", "repaired", "replaced" or "ignored", with a sentence each."""
        return [(kind, sentence) for kind, sentence in json.loads(self._core.notes_json())]

    def paths(self, family: str) -> List[str]:
        """Paths of all "materials", "nodes", "groups", "lights" or "cameras"."""
        return [decoded(path) for path in self._core.paths(encoded(family, "family"))]

    def fields(self, path: str) -> List[Dict[str, Any]]:
        """What can be edited of "materials/NAME", "nodes/NAME", "lights/NAME", "environment", "camera", "frame", "view"."""
        return json.loads(self._core.fields_json(encoded(path, "path")))

    def __getitem__(self, path: str) -> Any:
        """The present value of a path."""
        return json.loads(self._core.value(encoded(path, "path")))

    def __setitem__(self, path: str, value: Any) -> None:
        self.edit([(path, value)])

    def __delitem__(self, path: str) -> None:
        self.edit([(path, None)])

    def edit(self, edits: Union[Mapping[str, Any], Iterable[Tuple[str, Any]]]) -> None:
        """All edits, {path: value} or a list of (path, value), or none of them. None as a value deletes."""
        pairs = edits.items() if isinstance(edits, Mapping) else edits
        if not isinstance(pairs, Iterable):
            raise UsageError(f"edits: expected a dictionary or a list of pairs, found {type(edits).__name__}")
        rows = []
        for pair in pairs:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
                raise UsageError("an edit is a pair of a path and a value")
            rows.append((encoded(pair[0], "path"), _json(*pair)))
        self._core.edit(rows)

    def __repr__(self):
        figures = self.figures
        return f"<weft.Scene {figures['name']}: {figures['triangles']} triangles, {figures['materials']} materials>"


def _json(path, value):
    def to_json(other):
        if hasattr(other, "tolist"):
            return other.tolist()  # numpy
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        raise TypeError(f"a value of type {type(other).__name__} is no JSON")
    try:
        return json.dumps(value, default=to_json, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as wrong:
        raise UsageError(f"{path}: {wrong}") from wrong


def load(scene: _PathLike, *more: _PathLike, **options: Any) -> Scene:
    """Reads a scene: a file that `weft render` reads, the name of one, or "procedural:NAME[:COUNT]".

    Options of a render that stand here are usual for all renders of the scene; those that decide how it is read and lit
    (environment, missing_file, asset_root, texture_memory, frames, …) stand only here, geometry_memory only at renders.
    Ctrl+C ends the import.
    """
    scenes = [encoded(one, "scene") for one in (scene, *more)]
    loaded = Scene(_core.load(scenes, words_of("load", options, "weft.load()")))
    for kind, sentence in loaded.notes:
        _log.log(logging.DEBUG if kind == "found" else logging.WARNING, sentence)
    return loaded


class Progress(NamedTuple):
    """How far a render is: samples of all pixels, their number at the end, seconds of sampling."""

    samples: int
    total: int
    seconds: float

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return min(self.samples / self.total, 1.0) if self.total > 0 else 0.0


class Renderer:
    """A render that is ready for its first sample: tables and trees are built. It renders once.

    Arrays and pictures stay when the renderer is gone. `picture` is what was rendered; None before.
    """

    def __init__(self, scene: Scene, **options: Any):
        if not isinstance(scene, Scene):
            raise UsageError(f"scene: expected a weft.Scene, found {type(scene).__name__}")
        self.picture: Optional[Picture] = None
        self._told = None
        self._frame = _core.prepare(scene._core, words_of("render", options, "a render"))

    def cancel(self) -> None:
        """Ends the render soon, from any thread; what is rendered is kept."""
        self._frame.cancel()

    def render(self, progress: Optional[Callable[[Progress], Any]] = None) -> "Picture":
        """Renders until all samples are there, a rule of the options ends it, or it is cancelled.

        `progress` is called about ten times a second on this thread; if it returns False, the render is cancelled. What
        it raises, and Ctrl+C, ends the render and goes on from here; the picture so far is `picture` of the exception
        and of the renderer. Raises Cancelled where there is no sample yet.
        """
        _callable(progress)
        frame = self._frame

        def look():
            self._tell_notes()
            now = Progress(*frame.progress())
            if progress is None or now.total == 0 or now == self._told:
                return None
            self._told = now
            return plain(progress(now))

        try:
            frame.render(look)
        except BaseException as error:
            if self.picture is None and frame.is_picture():
                self.picture = Picture(frame)
                with contextlib.suppress(AttributeError):
                    error.picture = self.picture
            raise
        self._tell_notes()
        if not frame.is_picture():
            raise Cancelled("the render was cancelled before its first sample")
        self.picture = Picture(frame)
        return self.picture

    def _tell_notes(self):
        for note in self._frame.take_notes():
            _log.info(decoded(note))


class Picture:
    """A rendered picture: its arrays, figures, hash and files.

    Arrays have the shape (height, width, channels) of the rendered pixels, the first row on top. They are views of the
    film's memory, which nobody may change; each keeps the picture and its scene in memory as long as it lives.
    """

    def __init__(self, frame):
        self._frame = frame
        self._stats = None

    @property
    def beauty(self):
        """float32, 4 channels: linear Rec. 709 and alpha, premultiplied; 1.0 is 1 cd/m²."""
        return self["beauty"]

    @property
    def denoised(self):
        """float32, 3 channels; None without the option denoise."""
        plane = self._frame.denoised()
        return _numpy().asarray(plane) if memoryview(plane).nbytes else None

    @property
    def layers(self) -> List[str]:
        """Names of the layers beside the beauty: those of aov= and light_groups=, and those that denoise= needs."""
        return [decoded(name) for name in self._frame.layers()]

    def buffer(self, name: str) -> memoryview:
        """The pixels of "beauty" or of a layer without numpy."""
        if not isinstance(name, str):
            raise UsageError(f"a layer's name is a text, found {type(name).__name__}")
        return memoryview(self._frame.beauty() if name == "beauty" else self._frame.layer(encoded(name, "layer")))

    def __getitem__(self, name: str):
        """The array of "beauty" or of a layer: float32; uint32 for samples, instance, object and material.

        Layers instance, object and material, 4294967295 where nothing was hit, and crypto_… are made for each call. The
        last ones are id and coverage, rank by rank; matte() reads them.
        """
        return _numpy().asarray(self.buffer(name))

    def facts(self, name: str) -> Dict[str, Any]:
        """"channels", "unit" and "meaning" of a layer, as `weft render --aov-list` says; of mattes, "ids" by name, too."""
        return json.loads(self._frame.facts_json(encoded(name, "layer")))

    def matte(self, layer: str, name: str):
        """float32, 1 channel: the part of each pixel that a name covers, by a layer crypto_…"""
        ids = self.facts(layer).get("ids")
        if ids is None:
            raise UsageError(f"{layer}: no layer of mattes; expected crypto_object, crypto_material or crypto_asset")
        if not isinstance(name, str) or name not in ids:
            raise UsageError(f"{name}: not seen in {layer}; expected one of {', '.join(ids)}")
        numpy = _numpy()
        ranks = self[layer]
        is_shown = ranks[..., 0::2].view(numpy.uint32) == ids[name]
        return (ranks[..., 1::2] * is_shown).sum(axis=2, keepdims=True, dtype=numpy.float32)

    @property
    def film_hash(self) -> str:
        """Of the exact sums, as in the metadata of an EXR and in stats."""
        return self._frame.film_hash()

    @property
    def stats(self) -> Dict[str, Any]:
        """The figures of --stats; app/figures.md describes them."""
        if self._stats is None:
            self._stats = json.loads(self._frame.stats_json())
        return self._stats

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled, so that it may lack samples."""
        return self.stats["samples"]["stopped_by"] == "signal"

    @property
    def window(self) -> Tuple[int, int, int, int]:
        """x0, y0, x1, y1 of the rendered pixels in the picture."""
        return tuple(self._frame.window()[:4])

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height of the whole picture."""
        return tuple(self._frame.window()[4:])

    @property
    def command_line(self) -> str:
        """`weft render` with the options that give this picture, but for -o."""
        return decoded(self._frame.command_line())

    def save(self, path: _PathLike, **options: Any) -> None:
        """Writes .exr .png .hdr .jpg .tif as `weft render -o` does, whole or not at all.

        Options: view_transform, exposure, exr_type, exr_compression, cryptomatte_ranks, keep_film. Only an EXR holds
        layers; other files hold the beauty alone.
        """
        self._frame.save(encoded(path, "path"), words_of("save", options, "Picture.save()"))

    def _repr_png_(self) -> bytes:
        """What notebooks show: the picture as save() writes it to a PNG."""
        with tempfile.TemporaryDirectory(prefix="weft-") as folder:
            path = Path(folder) / "picture.png"
            self._frame.save(encoded(path), [])
            return path.read_bytes()

    def __repr__(self):
        samples = self.stats["samples"]
        width, height = self.size
        return f"<weft.Picture {width}x{height}, {samples['spp']} samples per pixel, stopped by {samples['stopped_by']}>"


def render(scene: Union[Scene, _PathLike], *, progress: Optional[Callable[[Progress], Any]] = None,
           **options: Any) -> Picture:
    """Renders a scene: Renderer(scene, **options).render(progress); or one by its path, with the options of load(), too."""
    _callable(progress)
    if not isinstance(scene, Scene):
        of_load = table("load")
        scene = load(scene, **{name: value for name, value in options.items() if name in of_load})
        options = {name: value for name, value in options.items() if name not in of_load}
    return Renderer(scene, **options).render(progress)


def bench(scene: _PathLike, *more: _PathLike, progress: Optional[Callable[[str], Any]] = None,
          **options: Any) -> Dict[str, Any]:
    """Measures a scene as `weft bench` does, and returns the object of its --json: "rays" and "images" are lists of rows.

    `progress` is called with a line for each measurement; if it returns False, the rows so far are the result.
    """
    _callable(progress)
    told = None if progress is None else lambda line: plain(progress(decoded(line)))
    scenes = [encoded(one, "scene") for one in (scene, *more)]
    _table, text, _chart = _core.bench(scenes, words_of("bench", options, "weft.bench()"), told)
    return json.loads(text)


def read(path: _PathLike):
    """The pixels of a picture's file as float32 (height, width, channels), scene-linear; PNG and JPEG are decoded."""
    return _numpy().asarray(_core.read_picture(encoded(path, "path")))


def _compared(test, reference, options):
    def pixels(picture, name):
        if isinstance(picture, Picture):
            denoised = picture._frame.denoised()
            return name, denoised if memoryview(denoised).nbytes else picture._frame.beauty()
        if isinstance(picture, (str, bytes, os.PathLike)):
            return encoded(picture, name), _core.read_picture(encoded(picture, name))
        numpy = _numpy()
        try:
            array = numpy.ascontiguousarray(picture, dtype=numpy.float32)
        except (TypeError, ValueError) as wrong:
            raise UsageError(f"{name}: expected a picture, a path or an array, found {type(picture).__name__}") from wrong
        return name, array[..., None] if array.ndim == 2 else array

    words = words_of("compare", options, "weft.compare()")
    values, errors = _core.compare(words, *pixels(test, "test"), *pixels(reference, "reference"))
    return dict(values), errors


def compare(test, reference, **options: Any) -> Dict[str, float]:
    """How far a picture is from a reference: {"rmse", "relmse", "psnr", "flip"}, or the one of metric=.

    Pictures, paths or arrays (height, width, 1 to 4), linear. Options: metric, hdr, view_transform, exposure.
    """
    return _compared(test, reference, options)[0]


def error_map(test, reference, **options: Any):
    """The errors of compare() by pixel, float32 (height, width, 1): of metric=, else of FLIP."""
    return _numpy().asarray(_compared(test, reference, options)[1])
