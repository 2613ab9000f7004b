// seed_texts.h — the first inputs that are long texts: scenes of pbrt and Mitsuba, which use as
// many parts of each format as fit.
#pragma once

namespace weft::fuzz {

inline constexpr const char* kPbrtShapes =
    R"(Film "rgb" "integer xresolution" [ 64 ] "integer yresolution" 32
Scale -1 1 1
LookAt 1 2 3 0 0 0 0 1 0 # eye
Camera "perspective" "float fov" [ 65 ]
WorldBegin
AttributeBegin
Translate 1 2 3 Rotate 30 0 1 0
AreaLightSource "diffuse" "blackbody L" 4000 "float scale" 7
Shape "sphere" "float radius" 2
Shape "disk" "float height" 1
ReverseOrientation Shape "cylinder" "float phimax" 90
AttributeEnd
ObjectBegin "o"
Shape "trianglemesh" "point3 P" [ 0 0 0 1 0 0 0 1 0 ]
"normal3 N" [ 0 0 1 0 0 1 0 0 1 ] "point2 uv" [ 0 0 1 0 0 1 ] "integer indices" [ 0 1 2 ]
ObjectEnd
Transform [ 1 0 0 0 0 1 0 0 0 0 1 0 4 5 6 1 ]
ObjectInstance "o"
Shape "bilinearmesh" "point3 P" [ 0 0 0 1 0 0 0 1 0 1 1 1 ]
)";

inline constexpr const char* kPbrtMaterials = R"(WorldBegin
LightSource "infinite" "rgb L" [ 1 2 3 ]
LightSource "spot" "point3 from" [ 1 2 3 ] "float coneangle" 40 "float power" 9
LightSource "distant" "spectrum L" [ 400 1 700 2 ]
Texture "c" "spectrum" "checkerboard" "float uscale" 8 "rgb tex1" [ 1 0 0 ]
Texture "m" "spectrum" "mix" "rgb tex1" [ 1 0 0 ] "rgb tex2" [ 0 1 0 ] "float amount" .2
MakeNamedMaterial "a" "string type" "coateddiffuse" "texture reflectance" "c"
MakeNamedMaterial "b" "string type" [ "mix" ] "string materials" [ "a" "a" ]
NamedMaterial "b" Shape "sphere"
Material "conductor" "spectrum eta" "metal-Au-eta" "spectrum k" "metal-Au-k"
Attribute "material" "bool remaproughness" false
Material "dielectric" "spectrum eta" "glass-BK7" "float uroughness" .1
Shape "disk"
)";

inline constexpr const char* kMitsubaObjects = R"(<?xml version="1.0"?>
<scene version="3.0.0">
<default name="size" value="2"/>
<sensor type="thinlens"><float name="fov" value="40"/><string name="fov_axis" value="smaller"/>
<float name="principal_point_offset_x" value="0.1"/>
<transform name="to_world"><lookat origin="1, 2, 3" target="0, 0, 0" up="0, 0, 1"/></transform>
<film type="hdrfilm"><integer name="width" value="64"/><integer name="crop_width" value="32"/></film>
</sensor>
<shape type="shapegroup" id="g"><shape type="cube"><boolean name="face_normals" value="true"/></shape>
<shape type="cylinder"><point name="p1" x="0" y="3" z="1"/></shape></shape>
<shape type="instance"><ref id="g"/><transform name="to_world"><scale value="$size"/>
<rotate y="1" angle="30"/><translate x="1" y="2"/></transform></shape>
<shape type="sphere"><float name="radius" value="0.5"/><emitter type="area"><blackbody
 name="radiance" temperature="4000K"/></emitter></shape>
<shape type="disk"><transform name="to_world"><matrix value="1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"/>
</transform><boolean name="flip_normals" value="true"/></shape>
<emitter type="spot"><float name="cutoff_angle" value="30"/></emitter>
<emitter type="constant"><spectrum name="radiance" value="400:1 700:2"/></emitter>
</scene>
)";

inline constexpr const char* kMitsubaMaterials = R"(<scene version="0.6.0">
<bsdf type="mask" id="a"><float name="opacity" value="0.5"/><bsdf type="twosided">
<bsdf type="roughplastic"><texture type="checkerboard" name="diffuseReflectance">
<rgb name="color0" value="#ff8000"/><float name="uscale" value="4"/></texture>
<string name="intIOR" value="water"/><boolean name="nonlinear" value="true"/></bsdf></bsdf></bsdf>
<bsdf type="roughconductor" id="b"><string name="material" value="Au"/><float name="alphaU"
 value="0.3"/><float name="alphaV" value="0.1"/></bsdf>
<bsdf type="blendbsdf" id="c"><ref id="b"/><bsdf type="principled"><float name="sheen" value="1"/>
<float name="spec_trans" value="0.5"/></bsdf><float name="weight" value="0.7"/></bsdf>
<alias id="c" as="d"/>
<shape type="rectangle"><ref id="a"/></shape><shape type="rectangle"><ref id="b"/></shape>
<shape type="cube"><ref id="d"/></shape>
<shape type="sphere"><bsdf type="dielectric"/><medium type="homogeneous" name="interior">
<rgb name="sigma_t" value="1 2 3"/></medium></shape>
</scene>
)";

}  // namespace weft::fuzz
