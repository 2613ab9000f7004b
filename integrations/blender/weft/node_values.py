"""What nodes of arithmetic and colour give for constants, as Cycles evaluates them."""

import colorsys
import math

from .fields import color_of, mean_of

# Cycles' fit of a black body's colour: from each temperature on, red and green as a/t + b t + c, blue as a cubic.
BLACK_BODY = (
    (800, (1.61919106e3, -2.05010916e-3, 5.02995757), (-4.88999748e2, 6.04330754e-4, -7.55807526e-2),
     (5.96945309e-11, -4.85742887e-8, -9.70622247e-5, -4.07936148e-3)),
    (965, (2.48845471e3, -1.11330907e-3, 3.22621544), (-7.55994277e2, 3.16730098e-4, 4.78306139e-1),
     (2.40430366e-11, 5.55021075e-8, -1.98503712e-4, 2.89312858e-2)),
    (1167, (3.34143193e3, -4.86551192e-4, 1.76486769), (-1.02363977e3, 1.20223470e-4, 9.36662319e-1),
     (-1.40949732e-11, 1.89878968e-7, -3.56632824e-4, 9.10767778e-2)),
    (1449, (4.09461742e3, -1.27446582e-4, 7.25731635e-1), (-1.26571316e3, 4.87340896e-6, 1.27054498),
     (-3.61460868e-11, 2.84822009e-7, -4.93211319e-4, 1.56723440e-1)),
    (1902, (4.67028036e3, 2.91258199e-5, 1.26703442e-1), (-1.42529332e3, -4.01150431e-5, 1.43972784),
     (-1.97075738e-11, 1.75359352e-7, -2.50542825e-4, -2.22783266e-2)),
    (3315, (4.59509185e3, 2.87495649e-5, 1.50345020e-1), (-1.17554822e3, -2.16378048e-5, 1.30408023),
     (-1.61997957e-13, -1.64216008e-8, 3.86216271e-4, -7.38077418e-1)),
    (6365, (3.78717450e3, 9.35907826e-6, 3.99075871e-1), (-5.00799571e2, -4.59832026e-6, 1.09098763),
     (6.72650283e-13, -2.73078809e-8, 4.24098264e-4, -7.52335691e-1)),
)
COOLEST, HOTTEST = (5.41329449, 0.0, 0.0), (0.826295481, 0.99450805, 1.56630771)


def clamped(value, low=0.0, high=1.0):
    return min(max(value, low), high)


def each(function, *colors):
    """A function of numbers for each channel."""
    return tuple(function(*channels) for channels in zip(*map(color_of, colors)))


def over(a, b):
    """a / b, 0 where b is 0."""
    return a / b if b else 0.0


def power(a, b):
    """a to the b, 0 where there is none."""
    try:
        result = math.pow(a, b)
    except (ValueError, OverflowError, ZeroDivisionError):
        return 0.0
    return result


def wrap(value, high, low):
    span = high - low
    return value - span * math.floor((value - low) / span) if span else low


def ping_pong(a, b):
    return abs((a - b) / (b * 2) % 1 * b * 2 - b) if b else 0.0


def smooth_least(a, b, distance):
    if distance == 0:
        return min(a, b)
    h = max(distance - abs(a - b), 0) / distance
    return min(a, b) - h * h * h * distance / 6


MATH = {
    "ADD": lambda a, b, c: a + b,
    "SUBTRACT": lambda a, b, c: a - b,
    "MULTIPLY": lambda a, b, c: a * b,
    "DIVIDE": lambda a, b, c: over(a, b),
    "MULTIPLY_ADD": lambda a, b, c: a * b + c,
    "POWER": lambda a, b, c: power(a, b),
    "LOGARITHM": lambda a, b, c: over(math.log(a), math.log(b)) if a > 0 and b > 0 else 0.0,
    "SQRT": lambda a, b, c: math.sqrt(max(a, 0)),
    "INVERSE_SQRT": lambda a, b, c: 1 / math.sqrt(a) if a > 0 else 0.0,
    "ABSOLUTE": lambda a, b, c: abs(a),
    "EXPONENT": lambda a, b, c: math.exp(min(a, 88)),
    "MINIMUM": lambda a, b, c: min(a, b),
    "MAXIMUM": lambda a, b, c: max(a, b),
    "LESS_THAN": lambda a, b, c: float(a < b),
    "GREATER_THAN": lambda a, b, c: float(a > b),
    "SIGN": lambda a, b, c: float((a > 0) - (a < 0)),
    "COMPARE": lambda a, b, c: float(abs(a - b) <= max(c, 1e-5)),
    "SMOOTH_MIN": smooth_least,
    "SMOOTH_MAX": lambda a, b, c: -smooth_least(-a, -b, c),
    "ROUND": lambda a, b, c: math.floor(a + 0.5),
    "FLOOR": lambda a, b, c: math.floor(a),
    "CEIL": lambda a, b, c: math.ceil(a),
    "TRUNC": lambda a, b, c: math.trunc(a),
    "FRACT": lambda a, b, c: a - math.floor(a),
    "MODULO": lambda a, b, c: math.fmod(a, b) if b else 0.0,
    "WRAP": wrap,
    "SNAP": lambda a, b, c: math.floor(over(a, b)) * b,
    "PINGPONG": lambda a, b, c: ping_pong(a, b),
    "SINE": lambda a, b, c: math.sin(a),
    "COSINE": lambda a, b, c: math.cos(a),
    "TANGENT": lambda a, b, c: math.tan(a),
    "ARCSINE": lambda a, b, c: math.asin(clamped(a, -1)),
    "ARCCOSINE": lambda a, b, c: math.acos(clamped(a, -1)),
    "ARCTANGENT": lambda a, b, c: math.atan(a),
    "ARCTAN2": lambda a, b, c: math.atan2(a, b),
    "SINH": lambda a, b, c: math.sinh(clamped(a, -88, 88)),
    "COSH": lambda a, b, c: math.cosh(clamped(a, -88, 88)),
    "TANH": lambda a, b, c: math.tanh(a),
    "RADIANS": lambda a, b, c: math.radians(a),
    "DEGREES": lambda a, b, c: math.degrees(a),
}

# What a second colour b makes of a channel a at share t.
BLENDS = {
    "MIX": lambda a, b, t: a + (b - a) * t,
    "DARKEN": lambda a, b, t: a + (min(a, b) - a) * t,
    "LIGHTEN": lambda a, b, t: a + (max(a, b) - a) * t,
    "MULTIPLY": lambda a, b, t: a * (1 - t + t * b),
    "SCREEN": lambda a, b, t: 1 - (1 - t + t * (1 - b)) * (1 - a),
    "ADD": lambda a, b, t: a + b * t,
    "SUBTRACT": lambda a, b, t: a - b * t,
    "DIVIDE": lambda a, b, t: (1 - t) * a + t * a / b if b else a,
    "DIFFERENCE": lambda a, b, t: a + (abs(a - b) - a) * t,
    "EXCLUSION": lambda a, b, t: max(a + (a + b - 2 * a * b - a) * t, 0),
    "OVERLAY": lambda a, b, t: a * (1 - t + 2 * t * b) if a < 0.5 else 1 - (1 - t + 2 * t * (1 - b)) * (1 - a),
    "SOFT_LIGHT": lambda a, b, t: (1 - t) * a + t * ((1 - a) * b * a + a * (1 - (1 - b) * (1 - a))),
    "LINEAR_LIGHT": lambda a, b, t: a + t * (2 * b - 1),
    "DODGE": lambda a, b, t: 0.0 if a == 0 else 1.0 if t * b >= 1 else min(a / (1 - t * b), 1),
    "BURN": lambda a, b, t: clamped(1 - (1 - a) / (1 - t + t * b)) if 1 - t + t * b > 0 else 0.0,
}


def blend_colors(kind, a, b, share):
    """A blend of two colours; None for one that is not known."""
    a, b = color_of(a), color_of(b)
    if kind in BLENDS:
        return each(lambda x, y: BLENDS[kind](x, y, share), a, b)
    hue, saturation, value = colorsys.rgb_to_hsv(*a)
    hue_b, saturation_b, value_b = colorsys.rgb_to_hsv(*b)
    if kind == "VALUE":
        return colorsys.hsv_to_rgb(hue, saturation, value * (1 - share) + value_b * share)
    if kind == "SATURATION":
        mixed = saturation * (1 - share) + saturation_b * share
        return colorsys.hsv_to_rgb(hue, mixed, value) if saturation else a
    if kind not in ("HUE", "COLOR"):
        return None
    if saturation_b == 0:
        return a
    taken = colorsys.hsv_to_rgb(hue_b, saturation if kind == "HUE" else saturation_b, value)
    return each(lambda x, y: x + (y - x) * share, a, taken)


def black_body(temperature):
    """The colour of a black body in kelvin."""
    t = temperature
    if t >= 12000 or t < 800:
        return HOTTEST if t >= 12000 else COOLEST
    _, red, green, blue = [row for row in BLACK_BODY if t >= row[0]][-1]
    rows = [a / t + b * t + c for a, b, c in (red, green)] + [((blue[0] * t + blue[1]) * t + blue[2]) * t + blue[3]]
    return tuple(max(channel, 0.0) for channel in rows)


def mix(node, values):
    """The node Mix, or Mix Color of old."""
    share, a, b = values
    kind = getattr(node, "data_type", "RGBA")
    if getattr(node, "clamp_factor", True):
        share = each(clamped, share) if isinstance(share, tuple) else clamped(share)
    if kind == "FLOAT":
        return mean_of(a) + (mean_of(b) - mean_of(a)) * mean_of(share)
    if kind == "VECTOR":
        return each(lambda x, y, t: x + (y - x) * t, a, b, share)
    mixed = blend_colors(node.blend_type, a, b, mean_of(share))
    is_clamped = getattr(node, "clamp_result", False) or getattr(node, "use_clamp", False)
    return each(clamped, mixed) if mixed and is_clamped else mixed


def hue_saturation(values):
    hue, saturation, value, share, color = values
    h, s, v = colorsys.rgb_to_hsv(*color_of(color))
    turned = colorsys.hsv_to_rgb((h + hue + 0.5) % 1, clamped(s * saturation), v * value)
    return each(lambda x, y: max(x + (y - x) * share, 0), color, turned)


def rgb_curves(node, values):
    share, color = values
    curves = node.mapping
    curves.initialize()
    bent = tuple(curves.evaluate(curves.curves[index], curves.evaluate(curves.curves[3], channel))
                 for index, channel in enumerate(color_of(color)))
    return each(lambda x, y: x + (y - x) * share, color, bent)


def map_range(node, values):
    """A linear or stepped range; None for others."""
    if getattr(node, "data_type", "FLOAT") != "FLOAT" or node.interpolation_type not in ("LINEAR", "STEPPED"):
        return None
    value, low, high, to_low, to_high, *steps = map(mean_of, values)
    share = over(value - low, high - low)
    if node.interpolation_type == "STEPPED":
        share = math.floor(share * (steps[0] + 1)) / steps[0] if steps and steps[0] > 0 else 0.0
    result = to_low + share * (to_high - to_low)
    return clamped(result, min(to_low, to_high), max(to_low, to_high)) if node.clamp else result


def combined(node, values):
    mode = {"COMBHSV": "HSV"}.get(node.type, getattr(node, "mode", "RGB"))
    x, y, z = map(mean_of, values)
    return {"HSV": colorsys.hsv_to_rgb(x, y, z), "HSL": colorsys.hls_to_rgb(x, z, y)}.get(mode, (x, y, z))


def separated(node, output, values):
    mode = {"SEPHSV": "HSV"}.get(node.type, getattr(node, "mode", "RGB"))
    color = color_of(values[0])
    hue, light, saturation = colorsys.rgb_to_hls(*color)
    parts = {"HSV": colorsys.rgb_to_hsv(*color), "HSL": (hue, saturation, light)}.get(mode, color)
    return parts[list(node.outputs).index(output)]


def arithmetic(node, values):
    if node.operation not in MATH:
        return None
    result = float(MATH[node.operation](*(list(map(mean_of, values)) + [0.0, 0.0])[:3]))
    return clamped(result) if node.use_clamp else result


def vector_arithmetic(node, values):
    simple = {"ADD": lambda a, b: a + b, "SUBTRACT": lambda a, b: a - b, "MULTIPLY": lambda a, b: a * b,
              "DIVIDE": over, "SCALE": lambda a, b: a * b, "MINIMUM": min, "MAXIMUM": max}
    return each(simple[node.operation], *values[:2]) if node.operation in simple else None


def clamp_node(node, values):
    value, low, high = map(mean_of, values)
    return clamped(value, min(low, high), max(low, high)) if node.clamp_type == "RANGE" else min(max(value, low), high)


def color_ramp(node, output, values):
    color = node.color_ramp.evaluate(mean_of(values[0]))
    return color[3] if output.name == "Alpha" else tuple(color[:3])


# (node, output, values of its inputs) -> a number, a colour, or None for what is not known.
NODES = {
    "MATH": lambda node, output, values: arithmetic(node, values),
    "VECT_MATH": lambda node, output, values: vector_arithmetic(node, values),
    "MIX": lambda node, output, values: mix(node, values),
    "MIX_RGB": lambda node, output, values: mix(node, values),
    "GAMMA": lambda node, output, values: each(lambda c, g: power(c, g) if c > 0 else c, *values),
    "BRIGHTCONTRAST": lambda node, output, values: each(
        lambda c, bright, contrast: max((1 + contrast) * c + bright - contrast / 2, 0), *values),
    "INVERT": lambda node, output, values: each(lambda t, c: c + (1 - 2 * c) * t, *values),
    "HUE_SAT": lambda node, output, values: hue_saturation(values),
    "CURVE_RGB": lambda node, output, values: rgb_curves(node, values),
    "RGBTOBW": lambda node, output, values: mean_of(color_of(values[0])),
    "BLACKBODY": lambda node, output, values: black_body(mean_of(values[0])),
    "COMBINE_COLOR": lambda node, output, values: combined(node, values),
    "COMBRGB": lambda node, output, values: combined(node, values),
    "COMBHSV": lambda node, output, values: combined(node, values),
    "COMBXYZ": lambda node, output, values: combined(node, values),
    "SEPARATE_COLOR": separated,
    "SEPRGB": separated,
    "SEPHSV": separated,
    "SEPXYZ": separated,
    "CLAMP": lambda node, output, values: clamp_node(node, values),
    "MAP_RANGE": lambda node, output, values: map_range(node, values),
    "VALTORGB": color_ramp,
}
