"""Cryptomatte: the passes of a view layer, and the metadata by which names find their mattes.

Weft's file names its layers crypto_object, crypto_material and crypto_asset; Blender's compositor looks
for passes CryptoObject00, … of a view layer, and for metadata of a layer "VIEW LAYER.CryptoObject".
Specification: Cryptomatte 1.2.0 of Psyop. This module knows nothing of Blender.
"""

# The pass of Blender, the setting of a view layer that asks for it, and the layer of `--aov`.
LAYERS = {"CryptoObject": ("use_pass_cryptomatte_object", "crypto_object"),
          "CryptoMaterial": ("use_pass_cryptomatte_material", "crypto_material"),
          "CryptoAsset": ("use_pass_cryptomatte_asset", "crypto_asset")}

# Lower case: Blender writes RGBA as half floats where a file has them, and bits of ids must stay.
CHANNELS = "rgba"

# As Cycles limits the levels of a pass.
MOST_RANKS = 16


def ranks(view_layer):
    """Names of a pixel: even, for two of them make a pass."""
    return (min(view_layer.pass_cryptomatte_depth, MOST_RANKS) + 1) // 2 * 2


def pass_names(view_layer):
    """The passes that a view layer asks for."""
    return [f"{name}{part:02}" for name, (setting, _) in LAYERS.items() if getattr(view_layer, setting)
            for part in range(ranks(view_layer) // 2)]


def options(view_layer):
    """The options of `weft render` for them."""
    return ["--cryptomatte-ranks", str(ranks(view_layer))] if pass_names(view_layer) else []


def part_of(name):
    """The part of the picture that a pass shows; None where the pass is none of these."""
    layer = LAYERS.get(name[:-2])
    return layer[1] + name[-2:] if layer else None


def murmur3(name):
    """MurmurHash3_x86_32 with seed 0 (A. Appleby, public domain) of the UTF-8 bytes of a name."""
    def rotated(word, count):
        return (word << count | word >> (32 - count)) & 0xffffffff

    def spread(word):
        return rotated(word * 0xcc9e2d51 & 0xffffffff, 15) * 0x1b873593 & 0xffffffff

    text = name.encode("utf-8", "surrogateescape")
    whole = len(text) // 4 * 4
    state = 0
    for at in range(0, whole, 4):
        state = (rotated(state ^ spread(int.from_bytes(text[at:at + 4], "little")), 13) * 5 + 0xe6546b64) & 0xffffffff
    state ^= spread(int.from_bytes(text[whole:], "little")) ^ len(text)
    state = (state ^ state >> 16) * 0x85ebca6b & 0xffffffff
    state = (state ^ state >> 13) * 0xc2b2ae35 & 0xffffffff
    return state ^ state >> 16


def key_of(layer):
    """What the metadata of a layer begin with."""
    return f"cryptomatte/{murmur3(layer):08x}"[:len("cryptomatte/") + 7] + "/"


def metadata(view_layer_name, texts):
    """{key: text} for Blender's layers, from the texts in the header of Weft's picture."""
    found = {}
    for name, (_, layer) in LAYERS.items():
        theirs, ours = f"{view_layer_name}.{name}", key_of(layer)
        if texts.get(ours + "name") == layer:
            found[key_of(theirs) + "name"] = theirs
            for word in ("hash", "conversion", "manifest"):
                found[key_of(theirs) + word] = texts[ours + word]
    return found
