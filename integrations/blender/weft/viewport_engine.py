"""The viewport half of the render engine: a server for each rendered viewport, fed and drawn by Blender's calls."""

import time
import traceback
import weakref

import bpy

from . import cameras, command, settings
from .drawing import Drawing
from .server import ServerFault
from .view_update import SceneLink
from .viewport import Viewport

# How often a viewport looks for a picture while it is not drawn.
LOOK_S = 0.02

# A window that takes longer to draw, because OpenGL has no hardware, waits so long at most for the picture
# of another view: otherwise it is drawn once in vain, and only then again.
SLOW_DRAW_S = 0.1
MOST_PATIENCE_S = 0.2


class ViewportEngine:
    """What WeftEngine does in a viewport. Blender makes an engine for each."""

    # Of a rendered viewport: the link to its server, and what is drawn. None: there is no viewport.
    viewport = None
    link = None
    drawing = None
    viewport_fault = ""  # why there is none
    draw_begin = None  # when the draw began whose end is not seen yet
    draw_s = 0.0  # how long the last draw of the window took

    def view_update(self, context, depsgraph):
        """The scene of a viewport has changed, or the viewport is new."""
        self.guard(self.follow_scene, depsgraph)

    def view_draw(self, context, depsgraph):
        """A viewport is drawn: its camera may have moved."""
        if self.viewport is not None:
            self.guard(self.draw_picture, context, depsgraph)
        self.update_stats("", self.viewport.words() if self.viewport is not None else self.viewport_fault)

    def guard(self, call, *arguments):
        """Calls a function of the viewport; a fault ends its server and stays in the status."""
        if self.viewport_fault:
            return
        try:
            call(*arguments)
        except (ServerFault, command.ProgramFault) as fault:
            self.end_viewport(str(fault))
        except OSError as fault:
            self.end_viewport(f"A file of the viewport cannot be written or read ({fault})")
        except Exception as fault:  # a fault of the add-on: Blender would show nothing
            traceback.print_exc()
            self.end_viewport(f"The add-on failed ({type(fault).__name__}: {fault}); the console has more")

    def note_draw(self):
        """Measures the draw before: Blender calls timers when all of the window is drawn."""
        if self.draw_begin is not None:
            self.draw_s, self.draw_begin = time.monotonic() - self.draw_begin, None

    def end_viewport(self, sentence):
        """Ends the server of the viewport. Choosing another shading and this one again starts anew."""
        self.viewport_fault = f"Weft: {sentence}"
        print(self.viewport_fault, flush=True)
        if self.viewport is not None:
            self.viewport.close()
            self.viewport = None

    def follow_scene(self, depsgraph):
        if self.viewport is None:
            program = command.find_program(settings.preferred_program(bpy.context))
            command.check_version(program)
            self.viewport = Viewport(program, settings.thread_options(depsgraph.scene))
            # Not __del__: by then Blender refuses access to what the engine holds.
            weakref.finalize(self, self.viewport.close)
            self.link = SceneLink(self.viewport)
            self.drawing = Drawing()
            bpy.app.timers.register(looker(weakref.ref(self)), first_interval=LOOK_S)
        self.report_notes(self.link.update(depsgraph))
        self.tag_redraw()

    def draw_picture(self, context, depsgraph):
        region, seen = context.region, context.region_data
        scene = depsgraph.scene
        self.viewport.set_settings({
            "options": settings.viewport_options(scene) + ["--width", str(region.width), "--height", str(region.height)],
            "pixels": "linear", "denoise": scene.weft.viewport_denoise})
        camera = cameras.viewed_camera(seen.window_matrix, seen.view_matrix.inverted())
        if seen.view_perspective == "CAMERA" and scene.camera is not None:
            camera = cameras.with_lens(camera, scene.camera.evaluated_get(depsgraph), depsgraph)
        self.viewport.set_camera(camera, MOST_PATIENCE_S if self.draw_s > SLOW_DRAW_S else 0)
        self.draw_begin = time.monotonic()
        self.viewport.poll()
        picture = self.viewport.new_picture()
        if picture is not None and picture.is_linear:
            self.drawing.take(picture)
        self.drawing.draw(self, scene, region)
        self.viewport.told = self.viewport.words()


def looker(engine_reference):
    """A timer that has a viewport drawn when there is something new, until its engine is gone."""
    def look():
        engine = engine_reference()
        try:
            if engine is None or engine.viewport is None:
                return None
            engine.note_draw()
            if engine.viewport.has_news():
                engine.tag_redraw()
            if engine.viewport.must_export:
                engine.tag_update()
        except ReferenceError:  # Blender has ended the viewport
            return None
        except ServerFault as fault:
            engine.end_viewport(str(fault))
            engine.tag_redraw()
            return None
        return LOOK_S
    return look
