#include "tests/engine/colour/sample_config.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/engine/film/film_scenes.h"

namespace weft::colour {

std::string_view sample_config() {
    return R"(ocio_profile_version: 2
search_path: luts
strictparsing: true
luma: [0.2126, 0.7152, 0.0722]
roles:
  aces_interchange: aces
  scene_linear: working
file_rules:
  - !<Rule> {name: halved, extension: "png", pattern: "*halved*", colorspace: halved}
  - !<Rule> {name: coded, extension: "png", pattern: "*coded*", colorspace: coded}
  - !<Rule> {name: lost, extension: "png", pattern: "*lost*", colorspace: lost}
  - !<Rule> {name: Default, colorspace: gamma2}
displays:
  screen:
    - !<View> {name: plain, colorspace: gamma2}
    - !<View> {name: dimmed, colorspace: gamma2, looks: dim}
    - !<View> {name: tabled, colorspace: tabled}
    - !<View> {name: lost, colorspace: lost}
    - !<View> {name: around, colorspace: around}
  projector:
    - !<View> {name: mirrored, colorspace: swapped}
active_displays: []
active_views: []
looks:
  - !<Look>
    name: dim
    process_space: working
    transform: !<MatrixTransform> {matrix: [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1]}
colorspaces:
  - !<ColorSpace>
    name: working
  - !<ColorSpace>
    name: aces
    from_scene_reference: !<MatrixTransform> {matrix: [0.4396, 0.3830, 0.1774, 0, 0.0898, 0.8134, 0.0968, 0, 0.0175, 0.1115, 0.8710, 0, 0, 0, 0, 1]}
  - !<ColorSpace>
    name: gamma2
    from_scene_reference: !<ExponentTransform> {value: [2, 2, 2, 1], direction: inverse}
  - !<ColorSpace>
    name: swapped
    from_scene_reference: !<MatrixTransform> {matrix: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]}
  - !<ColorSpace>
    name: tabled
    from_scene_reference: !<FileTransform> {src: corners.cube, interpolation: linear}
  - !<ColorSpace>
    name: halved
    to_scene_reference: !<MatrixTransform> {matrix: [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1]}
  - !<ColorSpace>
    name: coded
    to_scene_reference: !<ExponentWithLinearTransform> {gamma: [2.4, 2.4, 2.4, 1], offset: [0.055, 0.055, 0.055, 0]}
  - !<ColorSpace>
    name: lost
    to_scene_reference: !<FileTransform> {src: nowhere.cube}
  - !<ColorSpace>
    name: around
    from_scene_reference: !<ColorSpaceTransform> {src: working, dst: around}
)";
}

std::string with_change(std::string_view text, std::string_view from, std::string_view to) {
    std::string changed(text);
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, from.size(), to);
}

std::string write_config(const std::string& folder, std::string_view text) {
    std::filesystem::create_directories(folder + "/luts");
    // Corners of the cube, red fastest: 1 − r, g, r·b, which is linear along each axis.
    std::string table = "LUT_3D_SIZE 2\n";
    for (const int b : {0, 1}) {
        for (const int g : {0, 1}) {
            for (const int r : {0, 1}) {
                table += std::to_string(1 - r) + " " + std::to_string(g) + " " +
                         std::to_string(r * b) + "\n";
            }
        }
    }
    film::put_bytes(folder + "/luts/corners.cube", table);
    const std::string path = folder + "/config.ocio";
    film::put_bytes(path, std::string(text));
    return path;
}

}  // namespace weft::colour
