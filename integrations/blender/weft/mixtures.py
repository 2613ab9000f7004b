"""Mixtures and sums of surfaces: one surface that lets through, shines and reflects as much.

A surface covers its alpha of what is behind it, and its light counts by that. So both the alphas and the lights of
mixed surfaces add up by their shares, and the light of the whole is divided by its alpha.
"""

from dataclasses import replace

from .fields import BLACK, Field, blend, mean_of, times, total


def is_diffuse(surface):
    """Whether a surface has a diffuse lobe alone."""
    lobes = (surface.metallic, surface.transmission)
    return (not surface.has_specular and all(lobe.is_constant() and lobe.factor == 0 for lobe in lobes)
            and surface.coat == 0 and surface.sheen == BLACK)


def is_dark(surface):
    """Whether a surface reflects and refracts nothing."""
    return surface.base.is_constant() and surface.base.factor == BLACK and is_diffuse(surface)


def cover(surface):
    """The share of what is behind it that a surface covers: about the middle for a picture."""
    return surface.alpha.factor * (1 if surface.alpha.is_constant() else 0.5)


def shine(surface):
    """How much of its emission a surface has: a clear one, which covers nothing, all of it."""
    return 1.0 if surface.is_clear else cover(surface)


def is_clear_glass(surface):
    """Whether a surface lets everything through, and no light comes from it."""
    return surface.alpha.is_constant() and surface.alpha.factor == 0 and not surface.is_clear


def mixed(first, second, share, note):
    """The mixture of two surfaces by a number, or a picture's numbers."""
    if share.is_constant():
        share = Field(min(max(share.factor, 0), 1))
        if share.factor in (0, 1):
            return second if share.factor else first
    alpha = blend(first.alpha, second.alpha, share)
    if alpha is None:
        note("a mixture of transparencies by pictures is one by their middle")
        mean = 0.5 if not share.is_constant() else share.factor
        alpha = Field(cover(first) * (1 - mean) + cover(second) * mean)
    if share.is_constant():
        weights = (1 - share.factor, share.factor)
        return gathered(first, second, weights, alpha, note)
    if is_clear_glass(first) or is_clear_glass(second):
        return replace(second if is_clear_glass(first) else first, alpha=alpha)
    return by_picture(first, second, share, alpha, note)


def by_picture(first, second, share, alpha, note):
    """A mixture by a picture: of colours and lights exactly, of the rest by its middle."""
    whole = gathered(first, second, (0.5, 0.5), alpha, note)
    is_exact = alpha.is_constant() and cover(first) == cover(second) and not (first.is_clear or second.is_clear)
    base = blend(first.base, second.base, share)
    emission = blend(first.emission, second.emission, share)
    metallic = blend(first.metallic, second.metallic, share)
    transmission = blend(first.transmission, second.transmission, share)
    if not is_exact or None in (base, emission, metallic, transmission):
        note("a mixture of shaders by a picture is one by its middle")
        return whole
    if not (is_diffuse(first) and is_diffuse(second)):
        note("a mixture of shaders by a picture has its colours, and the rest by its middle")
    return replace(whole, base=base, emission=emission, metallic=metallic, transmission=transmission)


def summed(first, second, note):
    """The sum of two surfaces."""
    if not (first.alpha.is_constant() and second.alpha.is_constant()):
        # What shines only leaves the other one's transparency as it is.
        for surface, other in ((first, second), (second, first)):
            if is_dark(surface) and surface.alpha.is_constant() and surface.alpha.factor == 1:
                alpha = other.alpha
                note("the light that a sum adds fades with the surface's transparency")
                return gathered(first, second, (1, 1), alpha, note, (1, 1))
        note("a sum of shaders with a transparency by a picture shows its first one")
        return first
    through = (1 - cover(first)) + (1 - cover(second))
    if through > 1 + 1e-6:
        note("a sum of transparent shaders lets what is behind them through once")
    alpha = max(1 - through, 0.0)
    # Reflected light needs a surface: as much of one as its colour asks for.
    needed = max((needs(surface) for surface in (first, second)), default=0)
    if needed > alpha + 1e-6:
        note("a sum with a transparent shader lets less light through")
        alpha = needed
    return gathered(first, second, (1, 1), Field(alpha), note)


def needs(surface):
    """The least alpha with which a surface can reflect as much as it does."""
    if is_dark(surface) or is_clear_glass(surface) or surface.is_clear:
        return 0.0
    is_plain = surface.base.is_constant() and not surface.has_specular and surface.coat == 0
    return cover(surface) * (min(max(surface.base.factor), 1.0) if is_plain else 1.0)


def gathered(first, second, weights, alpha, note, covers=None):
    """Both surfaces by weights, as one with this alpha. `covers` stands for their own alphas."""
    covers = covers or (cover(first), cover(second))
    around = 1 / cover_of(alpha) if cover_of(alpha) > 0 else 1.0
    if alpha.is_constant() or weights == (1, 1):
        lobes = [weight * own * around for weight, own in zip(weights, covers)]
        lights = [weight * (1 if surface.is_clear else own) * around
                  for weight, own, surface in zip(weights, covers, (first, second))]
    else:
        lobes = lights = shares_of_pictures(first, second, weights, note)
    whole = lobes_of(first, second, lobes, note)
    emission = total((first.emission, lights[0]), (second.emission, lights[1]))
    if emission is None:
        note("of two lights that differ by pictures or attributes the brighter one shows")
        emission = brighter(first.emission.times(lights[0]), second.emission.times(lights[1]))
    is_clear = alpha.is_constant() and alpha.factor == 0 and not emission.is_zero()
    return replace(whole, alpha=alpha, emission=emission, is_clear=is_clear)


def cover_of(alpha):
    return alpha.factor if alpha.is_constant() else 1.0


def shares_of_pictures(first, second, weights, note):
    """The shares of two surfaces in their light where a picture drives the alpha."""
    for surface, shares in ((first, (0, 1)), (second, (1, 0))):
        if is_clear_glass(surface):
            return shares
    if first.alpha != second.alpha or first.is_clear or second.is_clear:
        note("a mixture with a transparency by a picture has the colours of its middle")
    counted = [weight * shine(surface) for weight, surface in zip(weights, (first, second))]
    return [part / (sum(counted) or 1) for part in counted]


def lobes_of(first, second, shares, note):
    """Both surfaces' reflection and refraction by shares."""
    for surface, other, share in ((first, second, shares[1]), (second, first, shares[0])):
        if is_dark(surface) or is_clear_glass(surface):
            return dimmed(other, share)
    is_first = shares[0] > shares[1]
    main, other = (first, second) if is_first else (second, first)
    weight, more = (shares[0], shares[1]) if is_first else (shares[1], shares[0])
    mixed_numbers = metal_and_glass(main, other, weight, more)
    base = total((main.base, weight), (other.base, more))
    if mixed_numbers is None or base is None:
        note("a mixture of shaders shows the one with the larger share")
        return main
    metallic, transmission = mixed_numbers
    whole = replace(main, base=base, metallic=metallic, transmission=transmission)
    if mean_of(other.metallic.factor) > 0 and main.metallic.factor <= 0.5 and not main.has_specular:
        whole.roughness = other.roughness
    if main.has_specular != other.has_specular and main.metallic.factor < 1:
        shown, part = (main, weight) if main.has_specular else (other, more)
        whole = replace(whole, has_specular=True, ior=shown.ior, specular=times(shown.specular, part),
                        roughness=shown.roughness)
    is_exact = is_diffuse(main) and is_diffuse(other) and main.normal == other.normal
    if not is_exact and (main.base != other.base or main.has_specular or other.has_specular):
        note("a mixture of shaders is a mixture of their colours")
    return whole


def metal_and_glass(main, other, weight, more):
    """The metallic and the transmitting share of a mixture; None where Weft has none."""
    if not (main.base.is_constant() and other.base.is_constant()):
        parts = (weight, more)
    else:
        # The brighter one has the larger share of the light.
        parts = [part * mean_of(surface.base.factor) for part, surface in ((weight, main), (more, other))]
    if main.base == other.base or sum(parts) <= 0:
        parts = (weight, more)
    part = parts[1] / (sum(parts) or 1)
    found = [blend(getattr(main, name), getattr(other, name), Field(part)) for name in ("metallic", "transmission")]
    return None if None in found else found


def dimmed(surface, share):
    """A surface that reflects a share of its light."""
    if share == 1:
        return surface
    return replace(surface, base=surface.base.times(share), specular=times(surface.specular, share),
                   coat=surface.coat * share, sheen=times(surface.sheen, share))


def brighter(first, second):
    """The field with the larger factor."""
    return first if mean_of(first.factor) >= mean_of(second.factor) else second
