"""Makes the five .blend scenes of the tests: blender -b --factory-startup -P make_scenes.py -- FOLDER [NAME…].

Each scene asks for one part of the add-on: materials, lights, instances, an animated camera with lens
shift, and depth of field. Cycles and Weft are set to the same samples, bounces and filter.
"""

import math
import os
import sys

import bpy
import numpy
from mathutils import Vector

SIDE = 256
SAMPLES = 256


def empty_scene():
    """A scene without objects, with both engines set alike."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render = scene.render
    render.engine = "CYCLES"
    render.resolution_x = render.resolution_y = SIDE
    render.resolution_percentage = 100
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_mode = "RGBA"
    render.image_settings.color_depth = "32"
    scene.view_settings.view_transform = "Standard"
    cycles = scene.cycles
    cycles.samples = SAMPLES
    cycles.use_adaptive_sampling = False
    cycles.use_denoising = False
    cycles.max_bounces = cycles.diffuse_bounces = cycles.glossy_bounces = cycles.transmission_bounces = 8
    cycles.sample_clamp_indirect = 0
    cycles.blur_glossy = 0
    set_world(scene, (0.05, 0.05, 0.05))
    return scene


def set_world(scene, color, strength=1.0):
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (*color, 1)
    background.inputs["Strength"].default_value = strength
    scene.world = world
    return world


def principled(name, **values):
    """A material of one principled shader; keywords are sockets, with _ for spaces."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    for key, value in values.items():
        shader.inputs[key.replace("_", " ")].default_value = value
    return material


def link(collection, made):
    collection.objects.link(made)
    return made


def add_mesh(scene, name, vertices, faces, material, uvs=None):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    if uvs:
        layer = mesh.uv_layers.new(name="UVMap")
        for corner, uv in zip(layer.data, uvs):
            corner.uv = uv
    mesh.materials.append(material)
    return link(scene.collection, bpy.data.objects.new(name, mesh))


def add_plane(scene, name, corner, along, across, material):
    a, b, c = Vector(corner), Vector(along), Vector(across)
    return add_mesh(scene, name, [a, a + b, a + b + c, a + c], [(0, 1, 2, 3)], material,
                    [(0, 0), (1, 0), (1, 1), (0, 1)])


def add_ball(scene, name, centre, radius, material, is_smooth=True):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=radius, location=centre)
    ball = bpy.context.object
    ball.name = name
    ball.data.materials.append(material)
    ball.data.polygons.foreach_set("use_smooth", [is_smooth] * len(ball.data.polygons))
    return ball


def add_camera(scene, eye, target, lens=50):
    camera = bpy.data.cameras.new("Camera")
    camera.lens = lens
    made = link(scene.collection, bpy.data.objects.new("Camera", camera))
    made.location = eye
    made.rotation_euler = (Vector(target) - Vector(eye)).to_track_quat("-Z", "Y").to_euler()
    scene.camera = made
    return made


def add_light(scene, name, kind, energy, place, target=None, **values):
    light = bpy.data.lights.new(name, kind)
    light.energy = energy
    for key, value in values.items():
        setattr(light, key, value)
    made = link(scene.collection, bpy.data.objects.new(name, light))
    made.location = place
    if target is not None:
        made.rotation_euler = (Vector(target) - Vector(place)).to_track_quat("-Z", "Y").to_euler()
    return made


def checker_image(name, side=512, squares=8):
    image = bpy.data.images.new(name, side, side)
    square = numpy.arange(side) * squares // side
    is_light = ((square[:, None] + square[None, :]) % 2)[..., None]
    pixels = numpy.where(is_light, [0.9, 0.75, 0.5, 1], [0.15, 0.25, 0.4, 1])
    image.pixels.foreach_set(pixels.astype(numpy.float32).reshape(-1))
    image.pack()
    return image


def diffuse(name, color):
    """A material of one diffuse shader."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes.new("ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (*color, 1)
    links.new(nodes["Material Output"].inputs["Surface"], shader.outputs["BSDF"])
    return material


def textured(material, image, scale):
    """Gives a material's shader an image that repeats and lies askew."""
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Material Output"].inputs["Surface"].links[0].from_node
    picture = nodes.new("ShaderNodeTexImage")
    picture.image = image
    mapping = nodes.new("ShaderNodeMapping")
    mapping.inputs["Scale"].default_value = scale
    mapping.inputs["Rotation"].default_value = (0, 0, 0.4)
    place = nodes.new("ShaderNodeTexCoord")
    links.new(mapping.inputs["Vector"], place.outputs["UV"])
    links.new(picture.inputs["Vector"], mapping.outputs["Vector"])
    links.new(shader.inputs[0], picture.outputs["Color"])
    return material


def make_materials():
    """Nine balls of different materials below an area light."""
    scene = empty_scene()
    set_world(scene, (0.3, 0.35, 0.4))
    floor = textured(principled("Floor", Roughness=0.6), checker_image("Squares"), (3, 3, 1))
    add_plane(scene, "Floor", (-6, -6, 0), (12, 0, 0), (0, 12, 0), floor)
    alpha = principled("Veil", Base_Color=(0.9, 0.4, 0.6, 1), Alpha=0.4)
    balls = [
        principled("Plastic", Base_Color=(0.7, 0.1, 0.08, 1), Roughness=0.35),
        principled("Gold", Base_Color=(1, 0.77, 0.34, 1), Metallic=1.0, Roughness=0.25),
        principled("Glass", Base_Color=(1, 1, 1, 1), Transmission=1.0, Roughness=0.0, IOR=1.5),
        principled("Coated", Base_Color=(0.05, 0.2, 0.5, 1), Roughness=0.6, Clearcoat=1.0, Clearcoat_Roughness=0.1),
        principled("Brushed", Base_Color=(0.8, 0.8, 0.82, 1), Metallic=1.0, Roughness=0.4, Anisotropic=0.0),
        principled("Clay", Base_Color=(0.6, 0.5, 0.4, 1), Roughness=1.0, Specular=0.0),
        principled("Cloth", Base_Color=(0.1, 0.3, 0.12, 1), Roughness=0.9, Sheen=0.6),
        principled("Glow", Base_Color=(0.1, 0.1, 0.1, 1), Emission=(1, 0.6, 0.2, 1), Emission_Strength=1.5),
        alpha,
    ]
    for number, material in enumerate(balls):
        place = ((number % 3 - 1) * 2.0, (number // 3 - 1) * 2.0, 0.8)
        add_ball(scene, material.name, place, 0.8, material)
    add_light(scene, "Panel", "AREA", 400, (3, -3, 6), (0, 0, 0), shape="SQUARE", size=2)
    add_camera(scene, (0, -9, 6), (0, 0, 0.5), 45)


def make_lights():
    """A corner of two walls with every kind of light."""
    scene = empty_scene()
    set_world(scene, (0.02, 0.02, 0.03))
    wall = diffuse("Wall", (0.6, 0.6, 0.6))
    add_plane(scene, "Floor", (-4, -4, 0), (8, 0, 0), (0, 8, 0), wall)
    add_plane(scene, "Back", (-4, 4, 0), (8, 0, 0), (0, 0, 6), wall)
    add_plane(scene, "Left", (-4, -4, 0), (0, 8, 0), (0, 0, 6), wall)
    for number in range(4):
        add_ball(scene, f"Ball{number}", (-2.4 + 1.6 * number, 0.5, 0.5), 0.5, wall)
    add_light(scene, "Sun", "SUN", 0.6, (0, 0, 5), (1.5, 2, 0), angle=math.radians(3))
    add_light(scene, "Point", "POINT", 60, (-2.6, 2.2, 2.2), color=(1, 0.6, 0.3), shadow_soft_size=0.2)
    add_light(scene, "Spot", "SPOT", 250, (2.5, -1, 4), (1.6, 2.2, 0), color=(0.4, 0.6, 1), spot_size=math.radians(50),
              spot_blend=0.3, shadow_soft_size=0.1)
    add_light(scene, "Disk", "AREA", 40, (0.2, 3.2, 3.5), (0, 3.9, 2), shape="DISK", size=0.8, color=(0.6, 1, 0.5))
    add_light(scene, "Strip", "AREA", 30, (-3.2, -2, 1.4), (-1, -1, 0), shape="RECTANGLE", size=1.5, size_y=0.3)
    add_camera(scene, (3.5, -7.5, 4), (-0.4, 1.4, 1.2), 38)


def make_instances():
    """A collection placed by an empty, an array of linked meshes, and a subdivided cube."""
    scene = empty_scene()
    set_world(scene, (0.5, 0.6, 0.8))
    ground = principled("Ground", Base_Color=(0.35, 0.3, 0.25, 1), Roughness=0.9)
    add_plane(scene, "Ground", (-8, -8, 0), (16, 0, 0), (0, 16, 0), ground)
    leaf = principled("Leaf", Base_Color=(0.15, 0.5, 0.12, 1), Roughness=0.5)
    bark = principled("Bark", Base_Color=(0.3, 0.18, 0.1, 1), Roughness=0.9)
    # A tree as a collection.
    tree = bpy.data.collections.new("Tree")
    bpy.ops.mesh.primitive_cone_add(vertices=12, radius1=0.6, depth=1.4, location=(0, 0, 1.3))
    crown = bpy.context.object
    crown.data.materials.append(leaf)
    bpy.ops.mesh.primitive_cylinder_add(vertices=10, radius=0.12, depth=0.7, location=(0, 0, 0.35))
    trunk = bpy.context.object
    trunk.data.materials.append(bark)
    for part in (crown, trunk):
        scene.collection.objects.unlink(part)
        tree.objects.link(part)
    for row in range(6):
        for column in range(6):
            empty = link(scene.collection, bpy.data.objects.new(f"Tree{row}{column}", None))
            empty.instance_type = "COLLECTION"
            empty.instance_collection = tree
            empty.location = (column * 1.7 - 4.2 + 0.4 * (row % 2), row * 1.7 - 3, 0)
            empty.rotation_euler = (0, 0, row + 2 * column)
            empty.scale = (1, 1, 0.7 + 0.1 * ((row * 7 + column * 3) % 7))
    # Linked meshes, some mirrored.
    stone = principled("Stone", Base_Color=(0.5, 0.5, 0.55, 1), Roughness=0.8)
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0, -4.3, 0.25))
    first = bpy.context.object
    first.data.materials.append(stone)
    for number in range(5):
        other = link(scene.collection, bpy.data.objects.new(f"Stone{number}", first.data))
        other.location = (number * 1.1 - 3.6, -4.0, 0.2)
        other.rotation_euler = (0.2 * number, 0.1, 0.5 * number)
        other.scale = (-1 if number % 2 else 1, 1, 0.8)
    # Modifiers, of which only the render has the last level.
    bpy.ops.mesh.primitive_cube_add(size=1.2, location=(3.0, -3.6, 0.6))
    round_one = bpy.context.object
    round_one.data.materials.append(principled("Round", Base_Color=(0.7, 0.3, 0.1, 1), Roughness=0.3))
    modifier = round_one.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels, modifier.render_levels = 0, 3
    bpy.ops.object.shade_smooth()
    add_light(scene, "Sun", "SUN", 3, (0, 0, 8), (-3, 4, 0), angle=math.radians(2))
    add_camera(scene, (1, -12, 5.5), (0, -0.5, 0.6), 40)


def make_animated_camera():
    """A camera that moves along a curve, with lens shift, and a ball that swells; frame 3 is compared."""
    scene = empty_scene()
    set_world(scene, (0.4, 0.45, 0.5))
    scene.frame_start, scene.frame_end = 1, 3
    scene.frame_set(1)
    floor = textured(diffuse("Floor", (1, 1, 1)), checker_image("Squares"), (2, 2, 1))
    add_plane(scene, "Floor", (-5, -5, 0), (10, 0, 0), (0, 10, 0), floor)
    colors = [(0.7, 0.2, 0.15, 1), (0.2, 0.55, 0.2, 1), (0.2, 0.3, 0.7, 1)]
    for number, color in enumerate(colors):
        bpy.ops.mesh.primitive_cube_add(size=1.2, location=(2 * number - 2, 0.5 * number, 0.6))
        bpy.context.object.data.materials.append(principled(f"Box{number}", Base_Color=color, Roughness=0.5))
    ball = add_ball(scene, "Ball", (-0.6, -1.6, 0.5), 0.5, principled("Red", Base_Color=(0.8, 0.5, 0.1, 1)))
    for frame, size in ((1, 0.6), (3, 1.3)):
        ball.scale = (size, size, size)
        ball.keyframe_insert("scale", frame=frame)
    camera = add_camera(scene, (-5, -8, 4), (0, 0, 0.5), 42)
    camera.data.shift_x, camera.data.shift_y = 0.12, -0.08
    camera.keyframe_insert("location", frame=1)
    camera.keyframe_insert("rotation_euler", frame=1)
    eye = Vector((4, -8, 3))
    camera.location = eye
    camera.rotation_euler = (Vector((0, 0, 0.5)) - eye).to_track_quat("-Z", "Y").to_euler()
    camera.keyframe_insert("location", frame=3)
    camera.keyframe_insert("rotation_euler", frame=3)
    add_light(scene, "Sun", "SUN", 2.5, (0, 0, 8), (2, 3, 0), angle=math.radians(4))


def make_depth_of_field():
    """A row of balls through the plane in focus, in a wide picture with tall pixels."""
    scene = empty_scene()
    set_world(scene, (0.4, 0.4, 0.45))
    scene.render.resolution_x, scene.render.resolution_y = 288, 192
    scene.render.pixel_aspect_y = 1.2
    floor = textured(diffuse("Floor", (1, 1, 1)), checker_image("Squares"), (4, 4, 1))
    add_plane(scene, "Floor", (-6, -3, 0), (12, 0, 0), (0, 18, 0), floor)
    for number in range(5):
        color = (0.8 - 0.15 * number, 0.2 + 0.1 * number, 0.15 + 0.15 * number, 1)
        material = principled(f"Ball{number}", Base_Color=color, Roughness=0.4)
        add_ball(scene, f"Ball{number}", (-1.6 + 0.9 * number, 2.2 * number, 0.6), 0.6, material)
    camera = add_camera(scene, (0, -6, 4.5), (0.2, 3, 0.4), 60)
    camera.data.dof.use_dof = True
    camera.data.dof.focus_object = bpy.data.objects["Ball1"]
    camera.data.dof.aperture_fstop = 0.25
    add_light(scene, "Panel", "AREA", 900, (-4, -3, 7), (0, 3, 0), shape="SQUARE", size=3)


SCENES = {
    "materials": make_materials,
    "lights": make_lights,
    "instances": make_instances,
    "animated_camera": make_animated_camera,
    "depth_of_field": make_depth_of_field,
}

# The frame of a scene that is compared.
FRAMES = {"animated_camera": 3}


def main():
    folder, *names = sys.argv[sys.argv.index("--") + 1:]
    for name in names or SCENES:
        SCENES[name]()
        bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, f"{name}.blend"), compress=True)


if __name__ == "__main__":
    main()
