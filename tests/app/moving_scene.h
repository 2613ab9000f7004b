// moving_scene.h — a glTF file with something that moves.
#pragma once

#include <string>
#include <vector>

#include "tests/engine/film/film_scenes.h"
#include "tests/engine/scene/gltf_writer.h"

namespace weft::app::testing {

// A triangle that moves from x = 0 at 0 s to x = 2 at 1 s, in the light of the default environment.
inline std::string write_moving(const film::TestFolder& folder) {
    scene::testing::Writer writer;
    writer.add_triangle();
    const std::size_t input = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
    const std::size_t output = writer.add_vec3({0, 0, 0, 2, 0, 0});
    writer.json["animations"] = {
        {{"samplers", {{{"input", input}, {"output", output}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}}};
    const std::string path = folder.file("moving.gltf");
    scene::testing::write_bytes(path, writer.with_buffer().dump());
    return path;
}

}  // namespace weft::app::testing
