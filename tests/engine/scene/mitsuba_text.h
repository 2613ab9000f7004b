// mitsuba_text.h — scenes of Mitsuba that tests write.
#pragma once

#include <string>

#include "tests/engine/scene/scene_files.h"
#include "tests/engine/scene/scene_points.h"

namespace weft::scene::testing {

inline std::string mitsuba_text(const std::string& body, const std::string& version = "3.0.0") {
    return "<?xml version=\"1.0\"?>\n<scene version=\"" + version + "\">\n" + body + "</scene>\n";
}

inline Scene read_mitsuba(const std::string& body, const std::string& version = "3.0.0") {
    const Folder folder("mitsuba");
    return read({folder.write("scene.xml", mitsuba_text(body, version))});
}

// A shape with this inside.
inline std::string shape_text(const std::string& type, const std::string& inside) {
    return "<shape type=\"" + type + "\">" + inside + "</shape>\n";
}

inline std::string look_at(const std::string& numbers) {
    return "<transform name=\"to_world\"><lookat " + numbers + "/></transform>";
}

inline std::string place(const std::string& steps) {
    return "<transform name=\"to_world\">" + steps + "</transform>";
}

// A rectangle of this BSDF.
inline std::string rectangle_of(const std::string& bsdf) {
    return shape_text("rectangle", bsdf);
}

}  // namespace weft::scene::testing
