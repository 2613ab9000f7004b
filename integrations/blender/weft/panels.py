"""Panels of the settings, and Blender's own panels that Weft shares with its other engines."""

import bpy
from bl_ui.properties_view_layer import ViewLayerCryptomattePanel, ViewLayerLightgroupsPanel

# Panels of Blender's own that mean something else, or nothing, for Weft.
LEFT_OUT = {"RENDER_PT_freestyle", "VIEWLAYER_PT_freestyle", "RENDER_PT_simplify", "RENDER_PT_simplify_viewport"}

# Panels that other engines declare for themselves, though they show what all of them have.
SHARED = ("EEVEE_MATERIAL_PT_context_material", "EEVEE_MATERIAL_PT_surface", "EEVEE_WORLD_PT_surface",
          "DATA_PT_EEVEE_light", "DATA_PT_EEVEE_light_distance", "DATA_PT_spot", "DATA_PT_light")


class WeftPanel:
    """What all panels of the render settings have in common."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "render"
    COMPAT_ENGINES = {"WEFT"}

    @classmethod
    def poll(cls, context):
        return context.engine in cls.COMPAT_ENGINES

    def column(self):
        """A column in Blender's usual style."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout.column()


class RENDER_PT_weft_sampling(WeftPanel, bpy.types.Panel):
    bl_label = "Sampling"

    def draw(self, context):
        settings = context.scene.weft
        column = self.column()
        column.prop(settings, "samples")
        row = column.row(heading="Noise Threshold")
        row.prop(settings, "use_noise", text="")
        value = row.row()
        value.active = settings.use_noise
        value.prop(settings, "noise", text="")
        column.prop(settings, "time_limit")
        column.prop(settings, "denoise")
        column.prop(settings, "seed")
        column.separator()
        column.prop(settings, "viewport_samples")
        column.prop(settings, "viewport_denoise")


class RENDER_PT_weft_light_paths(WeftPanel, bpy.types.Panel):
    bl_label = "Light Paths"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = context.scene.weft
        column = self.column()
        column.prop(settings, "max_bounces")
        column.prop(settings, "clamp_direct")
        column.prop(settings, "clamp_indirect")
        column.prop(settings, "regularize")


class RENDER_PT_weft_film(WeftPanel, bpy.types.Panel):
    bl_label = "Film"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        column = self.column()
        column.prop(context.scene.weft, "filter")
        column.prop(context.scene.render, "film_transparent", text="Transparent")


class RENDER_PT_weft_performance(WeftPanel, bpy.types.Panel):
    bl_label = "Performance"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings, render = context.scene.weft, context.scene.render
        column = self.column()
        column.prop(settings, "device")
        column.prop(settings, "scheduler")
        column.prop(render, "threads_mode")
        threads = column.column()
        threads.enabled = render.threads_mode == "FIXED"
        threads.prop(render, "threads")


class VIEWLAYER_PT_weft_passes(WeftPanel, bpy.types.Panel):
    bl_label = "Passes"
    bl_context = "view_layer"

    def draw(self, context):
        settings, view_layer = context.scene.weft, context.view_layer
        column = self.column()
        column.prop(view_layer, "use_pass_z", text="Depth")
        column.prop(view_layer, "use_pass_normal")
        column.prop(view_layer, "use_pass_vector")
        column.prop(settings, "pass_albedo")
        column.prop(settings, "pass_noisy")
        column.prop(settings, "pass_direct")
        column.prop(settings, "pass_lobes")
        column.prop(settings, "pass_heat")


class VIEWLAYER_PT_weft_mattes(ViewLayerCryptomattePanel):
    bl_parent_id = "VIEWLAYER_PT_weft_passes"
    COMPAT_ENGINES = {"WEFT"}


class VIEWLAYER_PT_weft_light_groups(ViewLayerLightgroupsPanel):
    bl_parent_id = "VIEWLAYER_PT_weft_passes"
    COMPAT_ENGINES = {"WEFT"}


class LightGroupPanel(WeftPanel):
    """The light group of an object or of the world."""

    bl_label = "Light Group"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        owner = getattr(context, self.bl_context)
        if owner is not None:
            self.column().prop_search(owner, "lightgroup", context.view_layer, "lightgroups", text="Light Group")


class OBJECT_PT_weft_light_group(LightGroupPanel, bpy.types.Panel):
    bl_context = "object"


class WORLD_PT_weft_light_group(LightGroupPanel, bpy.types.Panel):
    bl_context = "world"


CLASSES = (RENDER_PT_weft_sampling, RENDER_PT_weft_light_paths, RENDER_PT_weft_film, RENDER_PT_weft_performance,
           VIEWLAYER_PT_weft_passes, VIEWLAYER_PT_weft_mattes, VIEWLAYER_PT_weft_light_groups,
           OBJECT_PT_weft_light_group, WORLD_PT_weft_light_group)


def shared_panels():
    """Blender's panels that show for Weft, too."""
    for panel in bpy.types.Panel.__subclasses__():
        engines = getattr(panel, "COMPAT_ENGINES", None)
        if engines is None or panel.__name__ in LEFT_OUT or panel in CLASSES:
            continue
        if "BLENDER_RENDER" in engines or panel.__name__ in SHARED:
            yield engines


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    for engines in shared_panels():
        engines.add("WEFT")


def unregister():
    for engines in shared_panels():
        engines.discard("WEFT")
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
