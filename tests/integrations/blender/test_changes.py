"""test_changes.py — what changed between two looks at a scene, as edits that Weft makes.

Argument: the program weft, to which the edits go. Needs numpy and no Blender; skipped (77) without numpy.
"""

import copy
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

from test_modules import check, load

SKIPPED = 77


def material(name, **numbers):
    """A glTF material as the add-on writes it."""
    return {"name": name, "doubleSided": True,
            "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.4, 0.3, 1.0], "metallicFactor": 0.0,
                                     "roughnessFactor": numbers.get("roughness", 0.5)},
            "extensions": {"KHR_materials_ior": {"ior": numbers.get("ior", 1.5)}}}


def lamp(name, intensity):
    return {"type": "spot", "name": name, "color": [1.0, 0.5, 0.25], "intensity": intensity,
            "extras": {"weft_radius_m": 0.1}, "spot": {"innerConeAngle": 0.3, "outerConeAngle": 0.6}}


def snapshot(changes, numpy):
    turn = numpy.eye(4)
    turn[:3, 3] = (1, 2, 3)
    return changes.Snapshot(
        placed=[(("mesh", 1), "Cube", numpy.eye(4)), (("mesh", 2), "Ball", turn)],
        materials=[material("Floor"), material("a/b#c~d")], lights=[(lamp("Spot", 10.0), turn.T.reshape(-1).tolist())],
        environment=["--environment-color", "0.1,0.2,0.3"])


def paths_of(edits):
    return sorted(edit["path"] for edit in edits)


def check_edits(changes, numpy, weft):
    before = snapshot(changes, numpy)

    def between(after):
        return changes.edits_between(before, after)

    check(between(snapshot(changes, numpy)) == [], "nothing has changed")
    after = snapshot(changes, numpy)
    after.placed[1][2][2, 3] = 5
    moved = between(after)
    check(paths_of(moved) == ["nodes/Ball/transform"], "a moved object is its transform")
    check(moved[0]["value"][3::4] == [1, 5, -2], "in Weft's axes")
    after = snapshot(changes, numpy)
    after.materials[1] = material("a/b#c~d", roughness=0.25, ior=1.3)
    check(paths_of(between(after)) == ["materials/a~1b~2c~0d/ior", "materials/a~1b~2c~0d/roughness"],
          "numbers of a material are its fields, names escaped")
    after = snapshot(changes, numpy)
    after.materials[0]["emissiveFactor"] = [1.0, 0.5, 0.0]
    after.materials[0]["extensions"]["KHR_materials_emissive_strength"] = {"emissiveStrength": 4.0}
    check(between(after) == [changes.edit("materials/Floor/emissive", [4.0, 2.0, 0.0])], "so is light that it gives")
    after = snapshot(changes, numpy)
    after.lights[0] = (lamp("Spot", 20.0), after.lights[0][1])
    light = between(after)
    check(paths_of(light) == ["lights/Spot"] and light[0]["value"]["intensity"] == [20.0, 10.0, 5.0],
          "a light is replaced as a whole")
    check(numpy.allclose(light[0]["value"]["direction"], [0, -1, 0]), "and shines along its -Z, in Weft's axes")
    after = snapshot(changes, numpy)
    after.lights = []
    check(between(after) == [changes.edit("lights/Spot", None)], "a light that went is deleted")
    after = snapshot(changes, numpy)
    after.environment = ["--environment-color", "1,1,1"]
    world = between(after)
    check(world == [changes.edit("environment/color", [1.0, 1.0, 1.0])], "the world has another colour")
    check_more(changes, before, between, numpy)
    check_fit(weft, moved + light + world)


def check_more(changes, before, between, numpy):
    """Changes that are more than edits."""
    def differs(change):
        after = snapshot(changes, numpy)
        change(after)
        return between(after) is None

    def picture(after):
        after.materials[0]["pbrMetallicRoughness"]["baseColorTexture"] = {"picture": "a"}

    def twice(after):
        after.placed[0] = (("mesh", 1), "Ball", 2 * numpy.eye(4))

    check(differs(lambda after: after.placed.pop()), "an object that went needs an export")
    check(differs(picture), "so does a picture")
    check(differs(lambda after: after.lamps.update(Area=[(0, 0)])), "and another area light")
    check(differs(lambda after: setattr(after, "environment", ["--environment", "a.exr"])), "and another panorama")
    before_names = copy.deepcopy(before)
    before_names.placed[0] = (("mesh", 1), "Ball", numpy.eye(4))
    after = copy.deepcopy(before_names)
    after.placed[0][2][0, 3] = 1
    check(changes.edits_between(before_names, after) is None,
          "of two objects of one name none can be moved alone")


def check_fit(weft, edits):
    """Weft makes the edits in a scene that has these names."""
    fields = [f"materials/{{}}/{name}" for name in
              ("metallic", "roughness", "normal_scale", "ior", "specular", "transmission", "coat", "coat_roughness",
               "sheen_roughness", "anisotropy", "anisotropy_rotation_deg", "alpha")]
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.gltf")
        positions = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"
        with open(scene, "w", encoding="utf-8") as file:
            json.dump({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                       "nodes": [{"name": "Ball", "mesh": 0}], "materials": [{"name": "Floor"}],
                       "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
                       "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64," + positions}],
                       "bufferViews": [{"buffer": 0, "byteLength": 36}],
                       "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                                      "min": [0, 0, 0], "max": [1, 1, 0]}]}, file)
        listed = edits + [{"path": path.format("Floor"), "value": 1} for path in fields]
        listed += [{"path": f"materials/Floor/{name}", "value": [0.1, 0.2, 0.3]}
                   for name in ("base_color", "emissive", "specular_color", "sheen_color")]
        path = os.path.join(folder, "edits.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"weft_edits": 1, "edits": listed}, file)
        result = subprocess.run([weft, "render", scene, "--edits", path, "-n", "-o", os.path.join(folder, "a.exr")],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        check(result.returncode == 0, f"Weft makes all {len(listed)} edits{'' if result.returncode == 0 else result.stdout}")


def main():
    if importlib.util.find_spec("numpy") is None:
        print("skipped: numpy is not installed (apt-get install python3-numpy)")
        raise SystemExit(SKIPPED)
    import numpy
    check_edits(load("changes"), numpy, os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    main()
