"""The render settings of a scene, and the options of `weft render` that they stand for."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty


class WeftSettings(bpy.types.PropertyGroup):
    """scene.weft"""

    samples: IntProperty(name="Samples", description="Samples of every pixel, at most", default=64, min=1, max=1 << 20)
    use_noise: BoolProperty(
        name="Noise Threshold", description="End each block of pixels as soon as it is clean enough", default=False)
    noise: FloatProperty(
        name="Threshold", description="Noise that may stay: 0.1 is a preview, 0.01 clean", default=0.02,
        min=0.0001, max=10, precision=4)
    time_limit: FloatProperty(
        name="Time Limit", description="Seconds of sampling, at most; 0 has no limit", default=0, min=0, subtype="TIME",
        unit="TIME_ABSOLUTE")
    viewport_samples: IntProperty(
        name="Viewport Samples", description="Samples of every pixel of the rendered viewport, at most", default=256,
        min=1, max=1 << 20)
    viewport_denoise: BoolProperty(
        name="Denoise Viewport", description="Show the rendered viewport without most of its noise", default=True)
    seed: IntProperty(name="Seed", description="Another seed gives other noise", default=0, min=0)
    max_bounces: IntProperty(name="Bounces", description="Scattering events of a path, at most", default=8, min=0,
                             max=1024)
    clamp_direct: FloatProperty(
        name="Clamp Direct", description="Largest channel of a direct contribution; 0 does not clamp", default=0, min=0)
    clamp_indirect: FloatProperty(
        name="Clamp Indirect", description="Largest channel of an indirect contribution; 0 does not clamp", default=0,
        min=0)
    regularize: FloatProperty(
        name="Regularize", description="Least roughness of what a path meets after a rough bounce, so that caustics "
        "come without specks, but blurred: the picture is biased, as by Filter Glossy of Cycles. 0 is off", default=0,
        min=0, max=1)
    filter: EnumProperty(
        name="Pixel Filter", description="How samples make up a pixel", default="blackman-harris",
        items=[("blackman-harris", "Blackman-Harris", "Sharp, without stairs"), ("gaussian", "Gaussian", "Softer"),
               ("box", "Box", "One pixel wide")])
    denoise: EnumProperty(
        name="Denoise", description="Take the noise out of the finished picture", default="off",
        items=[("off", "Off", "Keep the noise"), ("quality", "Quality", "By albedo, normal and depth")])
    device: EnumProperty(
        name="Device", description="What renders", default="auto",
        items=[("auto", "Automatic", "The device with the best score"), ("cpu", "CPU", "The cores of this machine"),
               ("egpu", "Emulated GPU", "A GPU of 32 lanes, emulated"),
               ("cpu+egpu", "CPU and emulated GPU", "Both share the picture")])
    scheduler: EnumProperty(
        name="Scheduler", description="How rays and shading are gathered. The picture is the same", default="keyed",
        items=[("keyed", "Keyed", "By the node of the tree and by material"),
               ("unkeyed", "Unkeyed", "In order of arrival"), ("embree", "Embree", "Rays by Embree")])
    pass_noisy: BoolProperty(name="Noisy", description="The picture before denoising", default=False)
    pass_albedo: BoolProperty(name="Albedo", description="Colour of the first surface", default=False)
    pass_direct: BoolProperty(
        name="Direct and Indirect", description="Light that surfaces get from lights, and from each other; both add up "
        "to the picture", default=False)
    pass_lobes: BoolProperty(
        name="Emission, Diffuse, Specular, Transmission", description="Light by what the first surface does with it; "
        "the four add up to the picture", default=False)
    pass_heat: BoolProperty(
        name="Heat", description="Share of the time that went into the mesh that a pixel shows. Slower", default=False)


class WeftPreferences(bpy.types.AddonPreferences):
    """The add-on's preferences."""

    bl_idname = __package__

    program: StringProperty(
        name="Program", description="The program weft. If empty: $WEFT, then the first one of PATH", default="",
        subtype="FILE_PATH")

    def draw(self, context):
        self.layout.prop(self, "program")


def preferred_program(context):
    """The program of the preferences, empty without one."""
    addon = context.preferences.addons.get(__package__)
    return bpy.path.abspath(addon.preferences.program) if addon and addon.preferences else ""


def options(scene):
    """The options of `weft render` for a scene's settings."""
    settings = scene.weft
    line = ["--spp", str(settings.samples), f"--denoise={settings.denoise}"] + picture_options(scene)
    if settings.time_limit > 0:
        line += ["--time-limit", f"{settings.time_limit:.9g}"]
    return line + thread_options(scene)


def viewport_options(scene):
    """The options of the messages to `weft serve`."""
    return ["--spp", str(scene.weft.viewport_samples)] + picture_options(scene)


def thread_options(scene):
    """How many threads render."""
    fixed = scene.render.threads_mode == "FIXED"
    return ["--threads", str(scene.render.threads)] if fixed else []


def picture_options(scene):
    """What renders and viewports share."""
    settings = scene.weft
    line = ["--seed", str(settings.seed), "--max-bounces", str(settings.max_bounces),
            "--filter", settings.filter, "--device", settings.device, "--scheduler", settings.scheduler]
    if settings.use_noise:
        line += ["--noise-threshold", f"{settings.noise:.9g}"]
    if settings.clamp_direct > 0:
        line += ["--clamp-direct", f"{settings.clamp_direct:.9g}"]
    if settings.clamp_indirect > 0:
        line += ["--clamp-indirect", f"{settings.clamp_indirect:.9g}"]
    if settings.regularize > 0:
        line += ["--regularize", f"{settings.regularize:.9g}"]
    if scene.render.film_transparent:
        line += ["--film-transparent"]
    return line


CLASSES = (WeftSettings, WeftPreferences)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.weft = PointerProperty(type=WeftSettings)


def unregister():
    del bpy.types.Scene.weft
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
