#!/usr/bin/env python3
"""Writes one large waving grid, for measurements of import and building: big_mesh.py ply|glb TRIANGLES FILE"""
import array
import json
import math
import struct
import sys


def grid(side):
    """Positions of (side + 1)² vertices, row by row."""
    positions = array.array('f')
    for y in range(side + 1):
        for x in range(side + 1):
            positions.extend((x / side, 0.1 * math.sin(x * 0.05) * math.cos(y * 0.07), y / side))
    return positions


def row_of_faces(side, y):
    for a in range(y * (side + 1), y * (side + 1) + side):
        b = a + side + 1
        yield a, b, a + 1
        yield a + 1, b, b + 1


def write_ply(side, file):
    file.write(f'ply\nformat binary_little_endian 1.0\nelement vertex {(side + 1) ** 2}\nproperty float x\n'
               f'property float y\nproperty float z\nelement face {2 * side * side}\n'
               'property list uchar int vertex_indices\nend_header\n'.encode())
    grid(side).tofile(file)
    pack = struct.Struct('<Biii').pack
    for y in range(side):
        file.write(b''.join(pack(3, *face) for face in row_of_faces(side, y)))


def write_glb(side, file):
    vertices = (side + 1) ** 2
    indices = array.array('I')
    for y in range(side):
        for face in row_of_faces(side, y):
            indices.extend(face)
    uvs = array.array('f')
    for y in range(side + 1):
        for x in range(side + 1):
            uvs.extend((x / side, y / side))
    parts = [grid(side), array.array('f', [0, 1, 0] * vertices), uvs, indices]
    views = []
    blob = b''
    for part in parts:
        views.append({'buffer': 0, 'byteOffset': len(blob), 'byteLength': 4 * len(part)})
        blob += part.tobytes()
    accessors = [{'bufferView': 0, 'componentType': 5126, 'count': vertices, 'type': 'VEC3',
                  'min': [0, -0.1, 0], 'max': [1, 0.1, 1]},
                 {'bufferView': 1, 'componentType': 5126, 'count': vertices, 'type': 'VEC3'},
                 {'bufferView': 2, 'componentType': 5126, 'count': vertices, 'type': 'VEC2'},
                 {'bufferView': 3, 'componentType': 5125, 'count': len(indices), 'type': 'SCALAR'}]
    attributes = {'POSITION': 0, 'NORMAL': 1, 'TEXCOORD_0': 2}
    document = json.dumps({
        'asset': {'version': '2.0'}, 'buffers': [{'byteLength': len(blob)}], 'bufferViews': views,
        'accessors': accessors, 'meshes': [{'primitives': [{'attributes': attributes, 'indices': 3}]}],
        'nodes': [{'mesh': 0}], 'scenes': [{'nodes': [0]}], 'scene': 0}).encode()
    document += b' ' * (-len(document) % 4)
    file.write(struct.pack('<4sII', b'glTF', 2, 28 + len(document) + len(blob)))
    file.write(struct.pack('<I4s', len(document), b'JSON') + document)
    file.write(struct.pack('<I4s', len(blob), b'BIN\0') + blob)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ('ply', 'glb'):
        sys.exit(__doc__)
    side = max(1, math.isqrt(int(sys.argv[2]) // 2))
    with open(sys.argv[3], 'wb') as file:
        (write_ply if sys.argv[1] == 'ply' else write_glb)(side, file)


if __name__ == '__main__':
    main()
