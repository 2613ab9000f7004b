"""vectors.py: three numbers as a vector, and numbers that look random."""
import math


def sub(a, b):
    return [a[i] - b[i] for i in range(3)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return [x / length for x in a]


def hashed(*numbers):
    """A number in [0, 1) from integers, the same everywhere."""
    x = 0x9e3779b9
    for n in numbers:
        x = ((x ^ (n & 0xffffffff)) * 0x21f0aaad) & 0xffffffff
        x ^= x >> 15
        x = (x * 0x735a2d97) & 0xffffffff
        x ^= x >> 15
    return x / 2 ** 32
