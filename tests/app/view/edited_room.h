// edited_room.h — the scene that document tests edit, and a dump of all its fields.
#pragma once

#include <memory>
#include <string>

#include "app/view/session/document.h"
#include "engine/scene/model/scene_tree.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/frame/rich_scene.h"

namespace weft::app::testing {

// A room with named materials and nodes, two lights, and a generated picture.
inline std::shared_ptr<const scene::Scene> room() {
    auto scene = std::make_shared<scene::Scene>(tests::rich_scene());
    for (u32 i = 0; i < scene->materials.size(); ++i) {
        scene->materials[i].name = "material " + std::to_string(i);
    }
    for (u32 i = 0; i < scene->instances.size(); ++i) {
        scene->instances[i].node = "node " + std::to_string(i % 20);
    }
    scene->lights = {
        tests::point_light({1, 2, 1}, {4, 5, 6}),
        tests::spot_light({0, 3, 0}, {0, -1, 0}, {9, 9, 9}, 0.9F, 0.6F),
        tests::directional_light({0.6F, -0.8F, 0}, {1, 1, 1}),
    };
    scene->lights[0].name = scene->lights[1].name = "lamp";
    scene->lights[2].name = "sun";
    tests::add_slot(*scene, 8, tests::Meaning::Color, [](u32 x, u32 y) {
        return tests::Byte4{static_cast<u8>(30 * x), static_cast<u8>(30 * y), 90, 255};
    });
    tests::set_sky(*scene, 16, 8);
    scene->environment.name = "painted sky";
    scene->groups = {{"house", math::translation({1, 0, 2})},
                     {"shelf", math::translation({1, 0.7F, 2}), 0},
                     {"aside", math::translation({0.3F, 0, 0})}};
    for (u32 i = 0; i < scene->instances.size(); ++i) {
        scene->instances[i].group = i % 20 < 4 ? 0 : i % 20 < 8 ? 1 : i % 20 < 10 ? 2 : kNone;
    }
    scene->lights[0].group = 1;
    scene->cameras[0].group = 0;
    scene::number_groups(*scene);
    scene::number_places(*scene);
    return scene;
}

inline Document opened(const std::shared_ptr<const scene::Scene>& scene) {
    scene::EditContext context;
    context.camera = scene->cameras.front();
    Document document;
    document.open(scene, context);
    return document;
}

// Dumps every value of every field of every object, one line each.
inline std::string everything(const Document& document) {
    std::vector<std::string> objects = {"environment", "camera", "frame", "view"};
    for (const char* const family : {"materials", "nodes", "groups", "lights", "cameras"}) {
        const auto paths = scene::object_paths(document.scene(), family);
        objects.insert(objects.end(), paths.begin(), paths.end());
    }
    std::string text;
    for (const std::string& name : scene::hidden_names(document.scene(), document.context())) {
        text += name.starts_with("lights/") ? "" : "hidden " + name + "\n";  // also of lights gone
    }
    for (const std::string& object : objects) {
        for (const scene::EditField& field :
             scene::editable_fields(document.scene(), document.context(), object)) {
            text += field.path + " = " +
                    scene::read_value(document.scene(), document.context(), field.path).value() +
                    "\n";
        }
    }
    for (const std::string& material : scene::object_paths(document.scene(), "materials")) {
        text += material + "\n";
    }
    // Also the parts and numbers of instances, which decide partial transparency; without how they
    // stand in their groups, which a list of edits says in another way.
    for (const std::string& node : scene::object_paths(document.scene(), "nodes")) {
        const std::string whole =
            scene::read_value(document.scene(), document.context(), node).value();
        text += node + " = " + whole.substr(0, whole.find(", \"transform\"")) + "\n";
    }
    return text;
}

}  // namespace weft::app::testing
