// field_help.cpp — the help sentences, by family and field. A test finds fields without one.
#include "app/view/models/field_help.h"

#include <algorithm>
#include <iterator>

#include "app/view/models/object_name.h"

namespace weft::app {

namespace {

struct FieldHelp {
    std::string_view family;
    std::string_view field;
    std::string_view help;
};

// clang-format off
constexpr FieldHelp kHelp[] = {
    // Materials: the surface.
    {"materials", "base_color",
     "The colour of the surface: of a matte one the paint, of a metal the tint of its reflection, "
     "of glass the tint of what passes. Red, green and blue, 0 to 1; a map is multiplied by it."},
    {"materials", "alpha",
     "How much of the surface is there: 1 is all of it, 0 is nothing. It counts only where the "
     "alpha mode is mask or blend. A map's alpha is multiplied by it."},
    {"materials", "alpha_cutoff",
     "In alpha mode mask: the surface is there where its alpha is at least this, and a hole "
     "elsewhere. 0 to 1; 0.5 is usual."},
    {"materials", "alpha_mode",
     "opaque: alpha is ignored. mask: the surface is there or not, by the cutoff, as for leaves. "
     "blend: it is there in part, as for thin cloth."},
    {"materials", "metallic",
     "Whether the surface is a metal: 0 is none (plastic, wood, stone), 1 is bare metal. Values "
     "between are for maps and worn edges."},
    {"materials", "roughness",
     "How rough the surface is: 0 is polished, with sharp reflections; 1 is matte, with "
     "reflections that are spread out."},
    // Specular.
    {"materials", "ior",
     "Index of refraction: how strongly what is not metal reflects, and how much light bends in "
     "glass. 1 is air, 1.33 water, 1.5 glass and plastic, 2.4 diamond. 0 makes a mirror."},
    {"materials", "specular",
     "Strength of the reflection of what is not metal: 0 is none, 1 is what the index of "
     "refraction gives."},
    {"materials", "specular_color",
     "Tint of the reflection of what is not metal, seen from the front; at grazing angles it "
     "stays white. Red, green and blue, usually 0 to 1."},
    {"materials", "specular_glossiness",
     "The material is of the older specular-glossiness kind: its specular colour says what it "
     "reflects, and there is no metallic."},
    // Normals.
    {"materials", "normal_scale",
     "Strength of the normal map: 0 is flat, 1 as painted, 2 twice as steep; below 0 dents and "
     "bumps change places."},
    // Transmission.
    {"materials", "transmission",
     "How much light passes through instead of being scattered: 0 is opaque, 1 is clear glass. "
     "The base colour tints it."},
    {"materials", "solid",
     "On: the object is filled, light bends where it enters and leaves, as in a lens. Off: its "
     "faces are thin panes, as of a window or a soap bubble."},
    {"materials", "absorption",
     "How much light a solid takes away on the way through it, for red, green and blue. Per "
     "metre, 0 (clear) and up; at 10, a third is left after 11 cm."},
    {"materials", "scattering",
     "How much light the inside of a solid throws aside, for red, green and blue: fog, milk, wax. "
     "Per metre, 0 (none) and up; at 10, light goes 10 cm straight on in the mean."},
    {"materials", "phase_g",
     "Where scattered light goes: 0 to all sides alike, up to 0.999 forwards, as in mist and milk, "
     "down to -0.999 back."},
    {"materials", "boundary",
     "On: the object has no surface, it only bounds the medium inside, as a cloud does."},
    {"materials", "dispersion",
     "How far a solid splits white light into colours: 0 not at all, 0.31 for window glass, 0.36 "
     "for diamond, 0.55 for crystal glass. It is 20 divided by the Abbe number."},
    {"materials", "medium_priority",
     "Where solids overlap, as water and its glass do, the one of higher priority fills the "
     "space. Any whole number, 0 is usual."},
    // Emission.
    {"materials", "emissive",
     "Light that the surface gives off by itself. The swatch is its colour, the number its "
     "brightness in cd/m²: 100 to 1000 for a screen, 10000 and up for a light bulb."},
    {"materials", "unlit",
     "On: the surface shows its base colour as it is, whatever light falls on it. For backdrops "
     "and signs."},
    // Coat.
    {"materials", "coat",
     "A clear layer of varnish over the surface, as on a car: 0 is none, 1 is full."},
    {"materials", "coat_roughness",
     "How rough the varnish is: 0 is polished, 1 is matte."},
    {"materials", "coat_normal_scale",
     "Strength of the varnish's own normal map: 0 is flat, 1 as painted."},
    // Sheen.
    {"materials", "sheen_color",
     "Colour of the soft glow at grazing angles that cloth and velvet have; black is none. Red, "
     "green and blue, 0 to 1."},
    {"materials", "sheen_roughness",
     "How far the sheen reaches: at 0 it is a thin rim, at 1 it covers the whole surface."},
    // Iridescence.
    {"materials", "iridescence",
     "Strength of the rainbow colours of a thin film, as of a soap bubble or oil on water: 0 is "
     "none, 1 is full."},
    {"materials", "iridescence_ior",
     "Index of refraction of the film: 1.3 is usual, up to 2.5; higher values reflect more."},
    {"materials", "iridescence_min_nm",
     "Thickness of the film where its map is black, in nanometres. 100 to 1000 shows colours."},
    {"materials", "iridescence_max_nm",
     "Thickness of the film where its map is white, or everywhere without a map, in nanometres. "
     "100 to 1000 shows colours."},
    // Anisotropy.
    {"materials", "anisotropy",
     "How far reflections are drawn out along one direction, as on brushed metal: 0 is not at "
     "all, 1 is most."},
    {"materials", "anisotropy_rotation_deg",
     "Direction along which reflections are drawn out, turned from that of the picture "
     "coordinates. Degrees, -180 to 180."},
    // Faces.
    {"materials", "double_sided",
     "On: both sides of the faces are drawn. Off: camera rays may pass the back sides, where "
     "backface culling is on in the panel Render."},
    {"materials", "cut_by_planes",
     "Off: section planes leave objects of this material whole, as furniture in a house that is "
     "cut open."},
    // Maps.
    {"materials", "base_color_texture",
     "A picture that the base colour is multiplied by; its alpha is multiplied with Alpha."},
    {"materials", "metallic_roughness_texture",
     "A picture whose green multiplies the roughness and whose blue multiplies Metallic."},
    {"materials", "normal_texture",
     "A picture of small bumps: its red, green and blue are the direction that the surface faces."},
    {"materials", "emissive_texture",
     "A picture that the emission is multiplied by: what is black there does not glow."},
    {"materials", "specular_texture",
     "A picture whose alpha multiplies Specular."},
    {"materials", "specular_color_texture",
     "A picture that the specular colour is multiplied by."},
    {"materials", "transmission_texture",
     "A picture whose red multiplies Transmission."},
    {"materials", "coat_texture",
     "A picture whose red multiplies Coat."},
    {"materials", "coat_roughness_texture",
     "A picture whose green multiplies the coat's roughness."},
    {"materials", "coat_normal_texture",
     "A normal map of the varnish alone."},
    {"materials", "sheen_color_texture",
     "A picture that the sheen's colour is multiplied by."},
    {"materials", "sheen_roughness_texture",
     "A picture whose alpha multiplies the sheen's roughness."},
    {"materials", "iridescence_texture",
     "A picture whose red multiplies Iridescence."},
    {"materials", "iridescence_thickness_texture",
     "A picture whose green chooses the film's thickness, from that at 0 to that at 1."},
    {"materials", "anisotropy_texture",
     "A picture whose red and green are the direction of the anisotropy, and whose blue multiplies "
     "its strength."},
    // Lights.
    {"lights", "kind",
     "point: shines from one place to all sides. spot: in a cone. directional: from far away, as "
     "the sun does, everywhere alike."},
    {"lights", "visible",
     "Off: the light is switched off, and keeps all its values. It goes by the name: all lights of "
     "one name are on or off together."},
    {"lights", "name", "What the light is called in lists and by light groups."},
    {"lights", "position", "Where the light stands: x, y (up) and z in metres."},
    {"lights", "direction",
     "The way in which the light shines, as x, y and z; only the ratio of the numbers counts. "
     "0, -1, 0 is straight down."},
    {"lights", "intensity",
     "Colour and strength. Point and spot: candela, a candle has 1, a bulb of 60 W about 60. Sun: "
     "lux on a surface that faces it, 100000 at noon, 1000 under clouds."},
    {"lights", "radius_m",
     "Radius of the ball that shines, in metres: 0 gives hard shadows, a larger ball softer ones. "
     "The strength stays the same."},
    {"lights", "angle_deg",
     "How large the sun looks in the sky, in degrees from edge to edge, 0 to 90. The real one has "
     "0.53; larger ones give softer shadows."},
    {"lights", "inner_deg",
     "Within this angle from its axis the spot has its full strength. Degrees, 0 to 90, at most "
     "the outer half angle."},
    {"lights", "outer_deg",
     "Beyond this angle from its axis the spot gives no light. Degrees, 0 to 90; the light fades "
     "from the inner half angle to here."},
    // Environment.
    {"environment", "file",
     "A panorama all around the scene that lights it and is seen behind it (.hdr or .exr, twice "
     "as wide as high)."},
    {"environment", "color",
     "One colour all around instead of a panorama. Red, green and blue in cd/m², 0 and up."},
    {"environment", "rotation_deg",
     "Turns the panorama about the vertical axis, counter-clockwise seen from above. Degrees, "
     "-180 to 180."},
    {"environment", "strength",
     "Factor of the light from all around: 1 is as in the file, 2 twice as bright, 0 is dark."},
    // Camera.
    {"camera", "to_world", "Where the camera stands and looks: a matrix of 12 numbers."},
    {"camera", "yfov_deg",
     "How much is seen from the lower to the upper edge of the picture. Degrees, 0.01 to 179; "
     "small is a long lens, 27 is one of 50 mm."},
    {"camera", "lens_radius_m",
     "Radius of the lens's opening, in metres: 0 is a pinhole and all is sharp; the larger, the "
     "more is blurred in front of and behind the distance in focus."},
    {"camera", "focus_m",
     "What is this far away is sharp. Metres, more than 0; Ctrl and a click in the picture sets "
     "it, too."},
    {"camera", "autofocus",
     "On: what the middle of the picture shows is in focus when rendering begins. Setting a "
     "distance ends it."},
    {"camera", "orthographic",
     "On: without perspective, as in a plan: what is far away is as large as what is near."},
    {"camera", "xmag", "Half of the width that is seen, in metres."},
    {"camera", "ymag", "Half of the height that an orthographic camera sees, in metres."},
    {"camera", "aspect", "Width of the picture over its height; 0 takes that of the picture."},
    {"camera", "shift_x",
     "How far the picture moves right without turning, in shares of its width: facades stay "
     "upright."},
    {"camera", "shift_y", "How far it moves upwards, in shares of its height."},
    {"camera", "pixel_aspect", "Width of a pixel over its height; 1 is a square."},
    // The picture.
    {"frame", "size", "Width and height of the picture in pixels, from 1 to 32768 each."},
    {"frame", "percent",
     "How much of the size is rendered, of both sides: 50 gives a quarter of the pixels, for quick "
     "looks. Per cent, 1 to 400."},
    // View.
    {"view", "exposure",
     "Brightness of the picture as it is shown, in stops: +1 is twice as bright, -1 half as "
     "bright. -10 to 10; more can be typed. No ray is traced again."},
    {"view", "transform",
     "How light becomes colours of the screen. standard: as it is, cut at white. filmic and aces: "
     "bright parts roll off softly, as on film. raw: the numbers themselves."},
    {"view", "display", "The kind of screen, by the colour config."},
    {"view", "look", "A grade of the colour config before the view. none: no grade."},
    {"view", "clip_planes", "Planes that cut the scene open, at most 8."},
    {"view", "clip_cap",
     "On: solids that the planes cut show a face there instead of their inside."},
    // Objects.
    {"nodes", "transform", "Where the object stands, how it is turned and how large it is."},
    {"nodes", "visible", "Off: the object is not drawn and throws no shadow."},
    {"nodes", "material", "What the object is made of, for each of its parts."},
    {"nodes", "name", "What the object is called in lists, mattes and light groups."},
};
// clang-format on

}  // namespace

std::string_view field_help(std::string_view path) {
    const std::string_view family = family_of(path);
    const std::size_t slash = path.rfind('/');
    const std::string_view field = slash == path.npos ? path : path.substr(slash + 1);
    const auto* const found =
        std::find_if(std::begin(kHelp), std::end(kHelp), [&](const FieldHelp& known) {
            return known.family == family && known.field == field;
        });
    return found == std::end(kHelp) ? std::string_view() : found->help;
}

}  // namespace weft::app
