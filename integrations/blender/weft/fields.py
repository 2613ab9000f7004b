"""What drives a socket: a factor times a picture or the colours of vertices, and sums of such fields."""

from dataclasses import dataclass, replace
from typing import Optional

GREY = (0.2126, 0.7152, 0.0722)
WHITE = (1.0, 1.0, 1.0)
BLACK = (0.0, 0.0, 0.0)
AS_IT_IS = (0.0, 1.0)


@dataclass(frozen=True)
class Picture:
    """An image as a node shows it."""

    image: object
    channel: str = "rgb"  # rgb, grey, r, g, b, a
    uv_map: str = ""  # empty: the one that renders
    offset: tuple = (0.0, 0.0)  # of Blender's uv, after scale and rotation
    rotation: float = 0.0
    scale: tuple = (1.0, 1.0)
    interpolation: str = "Linear"
    extension: str = "REPEAT"
    is_straight: bool = False  # colours are not times alpha
    levels: tuple = AS_IT_IS  # what 0 and 1 of the channel become

    def placement(self):
        """Where it lies, and how it goes on outside."""
        return (self.uv_map, self.offset, self.rotation, self.scale, self.interpolation, self.extension)

    def parts(self):
        """The pictures that it is made of."""
        return (self,)


@dataclass(frozen=True)
class Sum:
    """A picture that is a sum of factors times pictures that lie alike; None stands for a white one."""

    terms: tuple  # (factors of red, green and blue, Picture or None)
    channel: str = "rgb"
    levels: tuple = AS_IT_IS

    def parts(self):
        return tuple(picture for _, picture in self.terms if picture is not None)

    def placement(self):
        return self.parts()[0].placement()


@dataclass(frozen=True)
class Colors:
    """An attribute of a mesh."""

    name: str  # empty: the colour attribute that renders
    channel: str = "rgb"  # rgb, grey, mean, r, g, b, a
    levels: tuple = AS_IT_IS


@dataclass
class Field:
    """factor × picture × attribute. The factor is a number or a tuple of three."""

    factor: object
    picture: Optional[object] = None  # Picture or Sum
    colors: Optional[Colors] = None
    is_guess: bool = False  # stands for what does not go over

    def is_constant(self):
        return self.picture is None and self.colors is None

    def is_zero(self):
        return self.factor in (0, BLACK)

    def times(self, factor):
        """The same times a constant."""
        return replace(self, factor=times(self.factor, factor))

    def of_channel(self, channel):
        """One channel of a colour."""
        picture, colors, factor = self.picture, self.colors, self.factor
        if isinstance(factor, tuple) and channel in "rgb":
            factor = factor["rgb".index(channel)]
        elif isinstance(factor, tuple) and not self.is_constant() and factor != (factor[0],) * 3:
            picture = picture and Sum(((factor, picture),))
            factor = 1.0 if picture else mean_of(factor)
        elif isinstance(factor, tuple):
            factor = mean_of(factor)
        if picture is not None and picture.channel == "rgb":
            picture = replace(picture, channel=channel)
        if colors is not None and colors.channel == "rgb":
            colors = replace(colors, channel=channel)
        return Field(factor, picture, colors, self.is_guess)


def times(a, b):
    """The product of two factors."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return tuple(x * y for x, y in zip(color_of(a), color_of(b)))
    return a * b


def plus(a, b):
    """The sum of two factors."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        return tuple(x + y for x, y in zip(color_of(a), color_of(b)))
    return a + b


def color_of(factor):
    """A factor as a colour."""
    return factor if isinstance(factor, tuple) else (factor,) * 3


def mean_of(factor):
    """A factor as a number."""
    return sum(w * x for w, x in zip(GREY, factor)) if isinstance(factor, tuple) else factor


def product(a, b):
    """The product of two fields; None where Weft has none."""
    if (a.picture and b.picture) or (a.colors and b.colors):
        return None
    return Field(times(a.factor, b.factor), a.picture or b.picture, a.colors or b.colors, a.is_guess or b.is_guess)


def total(*terms):
    """The sum of (field, weight) pairs; None where Weft has none. Fields are all numbers or all colours."""
    fields = [field.times(weight) for field, weight in terms]
    fields = [field for field in fields if not field.is_zero()] or fields[:1]
    is_guess = any(field.is_guess for field in fields)
    # Add those up that differ by their factors alone.
    alike = {}
    for field in fields:
        key = (field.picture, field.colors)
        alike[key] = plus(alike[key], field.factor) if key in alike else field.factor
    if len(alike) == 1:
        (picture, colors), factor = next(iter(alike.items()))
        return Field(factor, picture, colors, is_guess)
    if not any(isinstance(field.factor, tuple) for field in fields):
        return total_levels(alike, is_guess)
    return None if any(colors for _, colors in alike) else total_picture(alike, is_guess)


def total_picture(alike, is_guess):
    """A sum of colours as a picture."""
    terms = []
    for (picture, _), factor in alike.items():
        if isinstance(picture, Sum) and (picture.channel, picture.levels) == ("rgb", AS_IT_IS):
            terms += [(times(inner, factor), part) for inner, part in picture.terms]
        elif isinstance(picture, Sum):
            return None
        else:
            terms.append((color_of(factor), picture))
    summed = Sum(tuple(terms))
    if len({part.placement() for part in summed.parts()}) > 1:
        return None
    return Field(WHITE, summed, None, is_guess)


def total_levels(alike, is_guess):
    """A sum of a constant and a picture's or attribute's numbers as the same with other levels."""
    sources = {source and replace(source, levels=AS_IT_IS) for pair in alike for source in pair} - {None}
    if len(sources) > 1:
        return None
    low = high = 0.0
    for (picture, colors), factor in alike.items():
        source = picture or colors
        low += factor * (source.levels[0] if source else 1)
        high += factor * (source.levels[1] if source else 1)
    source = replace(sources.pop(), levels=(low, high))
    is_attribute = isinstance(source, Colors)
    return Field(1.0, None if is_attribute else source, source if is_attribute else None, is_guess)


def blend(a, b, share):
    """a (1 - share) + b share, where the share may be a picture's numbers; None where Weft has none."""
    if share.is_constant():
        return total((a, 1 - share.factor), (b, share.factor))
    if not (a.is_constant() and b.is_constant()):
        return None
    return total((a, 1), (share, plus(b.factor, times(a.factor, -1))))
