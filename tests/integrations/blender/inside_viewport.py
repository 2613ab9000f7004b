"""Checks of the rendered viewport that run inside a Blender with a window: blender -P inside_viewport.py -- FOLDER.

$WEFT is the program. Steps run in a timer between draws. Prints a line for each check, writes viewport.png into
FOLDER, and ends Blender with code 1 if a check fails.
"""

import os
import statistics
import sys
import time
import traceback

import bpy
from mathutils import Matrix, Quaternion

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_scenes
from weft import viewport as weft_viewport
from weft import viewport_engine

FOLDER = sys.argv[sys.argv.index("--") + 1]
SAMPLES = 4
ORBITS = 10
# Nothing takes so long: the end of a test that hangs.
PATIENCE_S = 300

faults = []
engines = []  # those that drew, the last one at the end
sent = []  # messages to servers


def check(is_true, sentence):
    print("ok:" if is_true else "FAILED:", sentence, flush=True)
    if not is_true:
        faults.append(sentence)


def watch():
    """Notes engines that draw and messages that are sent."""
    draw, send = viewport_engine.ViewportEngine.draw_picture, weft_viewport.Viewport.send

    def noted_draw(engine, context, depsgraph):
        engines.append(engine)
        draw(engine, context, depsgraph)

    def noted_send(viewport, message, on_reply):
        def noted_reply(reply):
            on_reply(reply)
            if message["do"] != "status":
                viewport.status = {}  # what was told before knows nothing of the new job

        sent.append(message)
        send(viewport, message, noted_reply)

    viewport_engine.ViewportEngine.draw_picture = noted_draw
    weft_viewport.Viewport.send = noted_send


def kinds_of(messages):
    """What was sent, without questions for the status."""
    return [message["do"] for message in messages if message["do"] != "status"]


def paths_of(messages):
    return [edit["path"] for message in messages for edit in message.get("edits", [])]


def view3d():
    """The 3D view of the window."""
    return next(area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == "VIEW_3D")


def make_scene():
    for made in list(bpy.data.objects):
        bpy.data.objects.remove(made)
    scene = bpy.context.scene
    scene.render.engine = "WEFT"
    scene.weft.viewport_samples = SAMPLES
    make_scenes.set_world(scene, (0.2, 0.3, 0.4))
    floor = make_scenes.principled("Floor", Base_Color=(0.5, 0.25, 0.125, 1), Roughness=0.4)
    ball = make_scenes.principled("Paint", Base_Color=(0.8, 0.05, 0.05, 1), Roughness=0.2)
    make_scenes.add_plane(scene, "Floor", (-3, -3, 0), (6, 0, 0), (0, 6, 0), floor)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1, location=(0, 0, 1))
    bpy.context.object.name = "Ball"
    bpy.context.object.data.materials.append(ball)
    make_scenes.add_light(scene, "Sun", "SUN", 2, (1, 1, 3))
    return scene


def is_done():
    """The newest job has all its samples and they are drawn."""
    if not engines or engines[-1].viewport is None:
        return bool(engines and engines[-1].viewport_fault)
    link = engines[-1].viewport
    jobs_are_known = not any(number for number in link.waiting)
    return (jobs_are_known and link.status.get("state") == "done" and not link.must_export
            and link.status["job"] == link.status["prepared_job"] and link.client.newest() == link.shown > 0)


def pixel(x, y):
    """A pixel of the newest picture of the last engine, x and y in [0, 1) from the top left."""
    import numpy
    picture = engines[-1].viewport.client.picture()
    rows = numpy.frombuffer(picture.pixels, numpy.float32).reshape(picture.height, picture.width, 4)
    return rows[int(y * picture.height), int(x * picture.width)]


def steps():
    """The checks; yields where it waits until all is drawn."""
    scene = make_scene()
    area = view3d()
    space = area.spaces.active
    region = space.region_3d
    region.view_perspective = "PERSP"
    region.view_location = (0, 0, 1)
    region.view_distance = 8
    region.view_rotation = Quaternion((1, 0, 0), 1.2)
    space.shading.type = "RENDERED"
    yield
    check(not engines[-1].viewport_fault, f"the viewport runs {engines[-1].viewport_fault}")
    check(kinds_of(sent).count("load") == 1, "the scene was sent once")
    red = pixel(0.5, 0.5)
    check(red[0] > 2 * red[1], f"the red ball is in the middle of the picture: {red}")
    yield from check_edits(scene)
    yield from check_views(region)
    space.overlay.show_overlays = True  # they hold the line with the samples
    yield lambda: True
    yield
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area):
        bpy.ops.screen.screenshot(filepath=os.path.join(FOLDER, "viewport.png"))
    yield from check_meshes()
    yield from check_geometry(scene)
    yield from measure_orbits(region)
    yield from check_end(space)


def check_edits(scene):
    """Materials, lights, objects and the world go over as edits."""
    del sent[:]
    shader = bpy.data.materials["Paint"].node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.05, 0.05, 0.8, 1)
    yield
    check("load" not in kinds_of(sent) and "materials/Paint/base_color" in paths_of(sent),
          f"a colour is an edit: {paths_of(sent)}")
    blue = pixel(0.5, 0.5)
    check(blue[2] > 2 * blue[1], f"and the ball is blue: {blue}")
    del sent[:]
    bpy.data.objects["Sun"].data.energy = 4
    yield
    check(kinds_of(sent) == ["edit"] and paths_of(sent) == ["lights/Sun"], f"a light is an edit: {paths_of(sent)}")
    del sent[:]
    bpy.data.objects["Ball"].location.x = 20
    yield
    check(kinds_of(sent) == ["edit"] and paths_of(sent) == ["nodes/Ball/transform"],
          f"a move is an edit: {kinds_of(sent)} {paths_of(sent)}")
    floor = pixel(0.5, 0.5)
    check(floor[0] > floor[2], f"and where the ball was is floor: {floor}")
    bpy.data.objects["Ball"].location.x = 0
    del sent[:]
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.4, 0.3, 0.2, 1)
    yield
    check("environment/color" in paths_of(sent) and "load" not in kinds_of(sent),
          f"the world's colour is an edit: {kinds_of(sent)} {paths_of(sent)}")


def check_views(region):
    """Other views are edits of the camera."""
    del sent[:]
    region.view_perspective = "ORTHO"
    yield
    check(set(paths_of(sent)) == {"camera"}, f"another view is a camera: {paths_of(sent)}")
    check(abs(pixel(0.5, 0.5)[2] - pixel(0.5, 0.5)[0]) > 0.05, "the ball is there without perspective")
    region.view_perspective = "PERSP"
    yield


def check_meshes():
    """Meshes that changed go over alone."""
    ball = bpy.data.objects["Ball"]
    del sent[:]
    ball.data.transform(Matrix.Translation((20, 0, 0)))
    ball.data.update()
    yield
    names = {message.get("mesh") for message in sent if message["do"] != "status"}
    check(names == {ball.data.name}, f"a mesh goes over alone: {kinds_of(sent)}")
    floor = pixel(0.5, 0.5)
    check(floor[0] > floor[2], f"and where it was is floor: {floor}")
    ball.data.transform(Matrix.Translation((-20, 0, 0)))
    ball.data.update()
    yield
    blue = pixel(0.5, 0.5)
    check(blue[2] > 2 * blue[1], f"it comes back: {blue}")
    del sent[:]
    ball.modifiers.new("Round", "SUBSURF")
    ball.location.z = 1.1
    yield
    check(set(kinds_of(sent)) == {"mesh", "edit"}, f"so does what a modifier makes of it: {kinds_of(sent)}")
    check(not engines[-1].viewport.memories, "no memory stays open")
    check(not engines[-1].viewport.fault, f"without a fault {engines[-1].viewport.fault}")


def check_geometry(scene):
    """A new mesh is exported; the scene is loaded again."""
    del sent[:]
    bpy.ops.mesh.primitive_cube_add(size=1, location=(2, 0, 0.5))
    yield
    check(kinds_of(sent).count("load") == 1, f"a new object is an export: {kinds_of(sent)}")
    check(not engines[-1].viewport.fault, f"without a fault {engines[-1].viewport.fault}")


def measure_orbits(region):
    """From a turn of the view to the first picture of it that was drawn."""
    times_ms, draws = [], []
    for _ in range(ORBITS):
        drawn = engines[-1].viewport.shown
        del engines[:-1]
        begin = time.monotonic()
        region.view_rotation = Quaternion((0, 0, 1), 0.1) @ region.view_rotation
        yield lambda: engines[-1].viewport.shown != drawn
        times_ms.append(1e3 * (time.monotonic() - begin))
        draws.append(len(engines) - 1)
        yield
    print(f"first picture drawn after {statistics.median(times_ms):.0f} ms in the median, {max(times_ms):.0f} ms at worst, "
          f"by {statistics.mean(draws):.1f} draws of {1e3 * engines[-1].draw_s:.0f} ms each", flush=True)


def check_end(space):
    """A server that dies is told; one that is not needed ends."""
    engines[-1].viewport.server.process.kill()
    yield lambda: bool(engines[-1].viewport_fault)
    check("Weft has ended" in engines[-1].viewport_fault, f"a killed server is told: {engines[-1].viewport_fault}")
    space.shading.type = "SOLID"
    yield lambda: True
    space.shading.type = "RENDERED"
    yield lambda: engines[-1].viewport is not None
    yield
    process = engines[-1].viewport.server.process
    check(process.poll() is None, "another viewport runs another server")
    del engines[:]
    space.shading.type = "SOLID"
    yield lambda: process.poll() is not None
    check(process.poll() is not None, "which ends with it")


def runner():
    """Runs the steps in a timer."""
    running = steps()
    state = {"until": lambda: True, "begin": time.monotonic()}

    def tick():
        try:
            if time.monotonic() - state["begin"] > PATIENCE_S:
                raise TimeoutError(f"nothing happens; sent {kinds_of(sent)}")
            if state["until"]():
                state["until"] = next(running) or is_done
                state["begin"] = time.monotonic()
        except StopIteration:
            end(1 if faults else 0)
        except Exception:
            traceback.print_exc()
            end(1)
        return 0.01
    return tick


def end(code):
    sys.stdout.flush()
    os._exit(code)


bpy.context.preferences.view.show_splash = False
watch()
bpy.app.timers.register(runner(), first_interval=1)
