"""Keyword arguments as the words of the program's options: spp=16 is --spp=16. The program's own table reads them."""

import difflib
import functools
import json
import os

from . import _core
from .errors import UsageError


def encoded(text, what="an argument"):
    """Bytes of a text or a path; names of files may be no UTF-8."""
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise UsageError(f"{what}: expected a text or a path, found {type(text).__name__}")
    plain = os.fspath(text)
    try:
        return plain if isinstance(plain, bytes) else plain.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as wrong:
        raise UsageError(f"{what}: expected a text, found half a letter (\\u{ord(plain[wrong.start]):x})") from wrong


def decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=None)
def table(function):
    """The options of a function ("load", "render", "save", "bench", "compare") by each of their names."""
    rows = json.loads(_core.options_json(getattr(_core.OptionsOf, function)))
    return {name: row for row in rows for name in row["names"]}


def plain(value):
    """A number or truth value of numpy as one of Python; anything else as it is."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def _is_sequence(value):
    return isinstance(value, (list, tuple)) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0)


def _scalar(name, value):
    """One text, number or path as text."""
    value = plain(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, os.PathLike)):
        return decoded(encoded(value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    raise UsageError(f"{name}: expected a text, a number or a list of them, found {type(value).__name__}")


def _text(name, value):
    """A value in one word: lists with commas, groups with semicolons."""
    if isinstance(value, dict):
        return ";".join(f"{_scalar(name, key)}={_text(name, part)}" for key, part in value.items())
    if _is_sequence(value):
        return ",".join(_scalar(name, part) for part in value)
    return _scalar(name, value)


def _checked(name, text):
    """The program would take the next word in place of an empty one."""
    if not text:
        raise UsageError(f"{name}: expected a value, found none")
    return text


def _may_be_empty(option):
    return option["is_repeatable"] or option["is_list"] or "light_groups" in option["names"]


def _words_of_option(name, option, value):
    word = "--" + name.replace("_", "-")
    value = plain(value)
    if value is None:
        return []
    if isinstance(value, bool) and not option["has_value"]:
        # False takes back what load() said. A flag that may have a text has one for that.
        return [word] if value else [word + ("=off" if option["help"].startswith("=") else "=false")]
    if (_is_sequence(value) or isinstance(value, dict)) and len(value) == 0 and _may_be_empty(option):
        return []
    parts = [value]
    # Several words, unless it is one list of numbers.
    is_several = option["is_repeatable"] and not option["is_list"] and _is_sequence(value)
    if is_several and any(isinstance(part, (str, bytes, os.PathLike)) or _is_sequence(part) for part in value):
        parts = list(value)
    return [f"{word}={_checked(name, _text(name, part))}" for part in parts]


def words_of(function, options, what):
    """The words of keyword arguments of a function, which errors call `what`."""
    known = table(function)
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; expected perhaps {near[0]}" if near else f"; weft.options('{function}') lists them"
            raise UsageError(f"{name}: no option of {what}{hint}")
    return [encoded(word) for name, value in options.items() for word in _words_of_option(name, known[name], value)]
