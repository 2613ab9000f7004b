#!/usr/bin/env python3
"""Writes an animated scene, for measurements of frames: moving_scene.py node|morph|skin TRIANGLES FILE.glb

node: a waving grid that stands still, and a cube that moves over it. morph, skin: the cube stands still, and the grid
waves more and more, or folds. All change from second 0 to second 1 and have a camera.
"""
import array
import json
import math
import struct
import sys

FLOAT, U32, U8 = 5126, 5125, 5121


class Glb:
    def __init__(self):
        self.bytes = bytearray()
        self.json = {'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0, 1, 2]}], 'bufferViews': [],
                     'accessors': []}

    def add(self, values, kind, component, width):
        self.json['bufferViews'].append({'buffer': 0, 'byteOffset': len(self.bytes), 'byteLength': len(values) * values.itemsize})
        self.bytes += values.tobytes()
        accessor = {'bufferView': len(self.json['bufferViews']) - 1, 'componentType': component,
                    'count': len(values) // width, 'type': kind}
        self.json['accessors'].append(accessor)
        return len(self.json['accessors']) - 1

    def vectors(self, values):
        return self.add(array.array('f', values), 'VEC3', FLOAT, 3)

    def animate(self, node, path, values, kind, width):
        times = self.add(array.array('f', [0, 1]), 'SCALAR', FLOAT, 1)
        output = self.add(array.array('f', values), kind, FLOAT, width)
        self.json['animations'] = [{'samplers': [{'input': times, 'output': output}],
                                    'channels': [{'sampler': 0, 'target': {'node': node, 'path': path}}]}]

    def write(self, path):
        self.json['buffers'] = [{'byteLength': len(self.bytes)}]
        text = json.dumps(self.json).encode()
        text += b' ' * (-len(text) % 4)
        binary = bytes(self.bytes) + bytes(-len(self.bytes) % 4)
        with open(path, 'wb') as file:
            file.write(struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(binary)))
            file.write(struct.pack('<I4s', len(text), b'JSON') + text)
            file.write(struct.pack('<I4s', len(binary), b'BIN\0') + binary)


def wave(side, size):
    values = array.array('f')
    for y in range(side + 1):
        for x in range(side + 1):
            values.extend((x / side - 0.5, size * math.sin(40 * x / side) * math.cos(55 * y / side), y / side - 0.5))
    return values


def grid_primitive(glb, side):
    corners = array.array('I')
    for y in range(side):
        for a in range(y * (side + 1), y * (side + 1) + side):
            b = a + side + 1
            corners.extend((a, b, a + 1, a + 1, b, b + 1))
    normals = array.array('f', [0, 1, 0]) * ((side + 1) ** 2)
    return {'attributes': {'POSITION': glb.vectors(wave(side, 0.01)), 'NORMAL': glb.vectors(normals)},
            'indices': glb.add(corners, 'SCALAR', U32, 1)}


def cube_primitive(glb):
    points = [[(k >> axis & 1) * 0.1 for axis in range(3)] for k in range(8)]
    faces = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5]
    return {'attributes': {'POSITION': glb.vectors([c for point in points for c in point])},
            'indices': glb.add(array.array('I', faces), 'SCALAR', U32, 1)}


def main():
    kind, side = sys.argv[1], math.isqrt(int(sys.argv[2]) // 2)
    glb = Glb()
    grid = grid_primitive(glb, side)
    nodes = [{'mesh': 0}, {'mesh': 1, 'translation': [-0.3, 0.05, 0]},
             {'camera': 0, 'translation': [0, 0.5, 0.8], 'rotation': [-0.3, 0, 0, 0.954]}]
    if kind == 'node':
        glb.animate(1, 'translation', [-0.3, 0.05, 0, 0.3, 0.1, 0.2], 'VEC3', 3)
    elif kind == 'morph':
        grid['targets'] = [{'POSITION': glb.vectors(array.array('f', wave(side, 0.05)))}]
        glb.animate(0, 'weights', [0, 1], 'SCALAR', 1)
    elif kind == 'skin':
        # The far half follows joint 1, with a soft seam.
        joints = array.array('B', [0, 1, 0, 0]) * ((side + 1) ** 2)
        weights = array.array('f')
        for y in range(side + 1):
            far = min(max(3 * y / side - 1, 0), 1)
            weights.extend((1 - far, far, 0, 0) * (side + 1))
        grid['attributes']['JOINTS_0'] = glb.add(joints, 'VEC4', U8, 4)
        grid['attributes']['WEIGHTS_0'] = glb.add(weights, 'VEC4', FLOAT, 4)
        nodes[0]['skin'] = 0
        nodes += [{'name': 'near'}, {'name': 'far'}]
        glb.json['skins'] = [{'joints': [3, 4]}]
        glb.json['scenes'][0]['nodes'] += [3, 4]
        glb.animate(4, 'rotation', [0, 0, 0, 1, 0.5, 0, 0, 0.866], 'VEC4', 4)
    glb.json.update({'meshes': [{'primitives': [grid]}, {'primitives': [cube_primitive(glb)]}], 'nodes': nodes,
                     'cameras': [{'type': 'perspective', 'perspective': {'yfov': 0.9, 'znear': 0.01}}]})
    glb.write(sys.argv[3])


if __name__ == '__main__':
    main()
