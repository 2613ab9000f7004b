"""The render engine: exports the scene, runs `weft render`, and fills the render result."""

import json
import os
import shutil
import tempfile
import traceback

import bpy

from . import cameras, command, exr, mattes, motion, passes, settings
from .export import export_scene
from .viewport_engine import ViewportEngine

# Lines of the Info log that an animation has had already.
_reported = set()


class WeftEngine(ViewportEngine, bpy.types.RenderEngine):
    """Weft in Blender's list of render engines."""

    bl_idname = "WEFT"
    bl_label = "Weft"
    bl_use_preview = False
    bl_use_eevee_viewport = True
    bl_use_postprocess = True
    bl_use_shading_nodes_custom = False

    def update_render_passes(self, scene=None, renderlayer=None):
        """Tells the compositor which passes there are."""
        self.register_pass(scene, renderlayer, "Combined", 4, "RGBA", "COLOR")
        if renderlayer.use_pass_z:
            self.register_pass(scene, renderlayer, "Depth", 1, "Z", "VALUE")
        if renderlayer.use_pass_normal:
            self.register_pass(scene, renderlayer, "Normal", 3, "XYZ", "VECTOR")
        if renderlayer.use_pass_vector:
            self.register_pass(scene, renderlayer, "Vector", 4, "XYZW", "VECTOR")
        for name, channels, kind in passes.own_passes(scene.weft, renderlayer):
            self.register_pass(scene, renderlayer, name, len(channels), channels, kind)

    def render(self, depsgraph):
        """Renders one view layer of one frame."""
        folder = tempfile.mkdtemp(prefix="weft-blender-")
        try:
            self.render_into(depsgraph, folder)
        except command.Cancelled:
            pass
        except (command.ProgramFault, cameras.CameraFault, exr.ExrFault) as fault:
            self.fail(str(fault))
        except OSError as fault:
            self.fail(f"A file of the render cannot be written or read ({fault})")
        except Exception as fault:  # a fault of the add-on: Blender would end the job without a word
            traceback.print_exc()
            self.fail(f"The add-on failed ({type(fault).__name__}: {fault}); the console has more")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def fail(self, sentence):
        """Ends the render with a sentence."""
        self.report({"ERROR"}, f"Weft: {sentence}")
        self.error_set(sentence)

    def is_cancelled(self):
        """Whether the person who renders has pressed Escape."""
        return self.test_break()

    def render_into(self, depsgraph, folder):
        scene = depsgraph.scene
        program = command.find_program(settings.preferred_program(bpy.context))
        command.check_version(program)
        self.update_stats("", "Exporting the scene")
        names = self.pass_names(depsgraph)
        exported = export_scene(
            depsgraph, folder, motion.Motion(scene, self.frame_set) if "Vector" in names else None)
        self.report_notes(exported.notes.lines())
        if self.is_cancelled():
            raise command.Cancelled()
        # Render.
        groups, group_layers = passes.light_groups(depsgraph.view_layer, scene.world, exported.node_names)
        options = settings.options(scene) + (["--light-groups", groups] if groups else [])
        options += mattes.options(depsgraph.view_layer) + (motion.OPTIONS if exported.has_keys else [])
        width, height = cameras.resolution(scene.render)
        job = command.Job(
            scene=exported.path, output=os.path.join(folder, "picture.exr"), width=width, height=height,
            border=cameras.border_of(scene.render), environment=exported.environment,
            options=options, layers=passes.layers_for(names),
            stats=os.path.join(folder, "figures.json") if "Heat" in names else None)
        command.run(command.arguments(program, job), self.show_progress, self.is_cancelled)
        # Hand the passes to Blender.
        self.update_stats("", "Reading the picture")
        self.take_picture(depsgraph, job, exported, names, group_layers)

    def pass_names(self, depsgraph):
        """The passes that a view layer asks for."""
        layer = depsgraph.view_layer
        names = ["Combined"]
        names += ["Depth"] if layer.use_pass_z else []
        names += ["Normal"] if layer.use_pass_normal else []
        names += ["Vector"] if layer.use_pass_vector else []
        return names + [row[0] for row in passes.own_passes(depsgraph.scene.weft, layer)]

    def report_notes(self, lines):
        """Lines of the Info log: each once in an animation."""
        if not self.is_animation:
            _reported.clear()
        for line in lines:
            if line not in _reported:
                _reported.add(line)
                self.tell(line)

    def tell(self, line):
        """A line of the Info log."""
        self.report({"INFO"}, f"Weft: {line}")

    def show_progress(self, event):
        """Shows one line of the program."""
        if event.get("level") == "warning":
            self.report({"WARNING"}, f"Weft: {event.get('message')}")
        if "total" in event and event["total"] > 0:
            share = min(event["samples"] / event["total"], 1)
            to_go = event.get("to_go_s")
            rest = "" if to_go is None else f", {to_go:.0f} s to go"
            self.update_progress(share)
            self.update_stats("", f"{100 * share:.0f} % of the samples{rest}")

    def take_picture(self, depsgraph, job, exported, names, groups):
        """Fills the render result from the program's picture."""
        channels, texts = exr.read_picture(job.output)
        height, width = channels["R"].shape
        heat = None
        if job.stats:
            with open(job.stats, encoding="utf-8") as file:
                heat = passes.heat_pixels(channels, exported.instance_meshes, json.load(file))
            if heat is None:
                self.report({"WARNING"}, "Weft: the heat cannot be told, some meshes have no surface")
        for name, letters, _ in passes.own_passes(depsgraph.scene.weft, depsgraph.view_layer):
            self.add_pass(name, len(letters), letters, layer=depsgraph.view_layer.name)
        result = self.begin_result(0, 0, width, height, layer=depsgraph.view_layer.name)
        layer = result.layers[0]
        for name in names:
            pixels = passes.pass_pixels(
                name, channels, exported.view, job.border, (job.width, job.height), heat, groups)
            if pixels is not None and name in layer.passes:
                passes.fill(layer.passes[name], pixels)
        self.end_result(result)
        for key, text in mattes.metadata(depsgraph.view_layer.name, texts).items():
            self.get_result().stamp_data_add_field(key, text)


def register():
    bpy.utils.register_class(WeftEngine)


def unregister():
    bpy.utils.unregister_class(WeftEngine)
