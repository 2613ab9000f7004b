// bench_lists.cpp — what an edit of one of many objects costs before a tree is patched: the scene's
// command lists, and the tables.
//
//     bench_lists [objects [materials [repeats]]]
//
// A grid of boxes, each a node of its own, is prepared once, then edited: one object is hidden, is
// shown, gets another material, moves, is deleted; a material gets another value, or another
// texture. Milliseconds of the lists and of the tables: the median, the fastest and the slowest.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame/prepared_scene.h"
#include "engine/scene/import.h"
#include "scheduler/base/ensure.h"

namespace {

using namespace weft;

// The boxes of a grid; materials in turn, so that neighbours differ.
scene::Scene grid(u32 objects, u32 materials) {
    scene::Scene scene;
    scene.positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    scene.indices = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    scene::Mesh mesh;
    mesh.record = {0, 12, 0, kNone, kNone, kNone, kNone, kNone};
    scene.meshes.push_back(mesh);
    for (u32 k = 0; k < materials; ++k) {
        scene.materials.push_back({"material " + std::to_string(k), scene::default_material()});
    }
    std::vector<scene::Instance> instances;
    for (u32 k = 0; k < objects; ++k) {
        scene::Instance instance;
        instance.material = k % materials;
        instance.node = "object " + std::to_string(k);
        instance.object_to_world[3] = 2 * static_cast<float>(k % 300);
        instance.object_to_world[11] = 2 * static_cast<float>(k / 300);
        instances.push_back(instance);
    }
    scene.instances = std::move(instances);
    scene::complete_scene(scene);
    return scene;
}

struct Desk {
    scene::Scene scene;
    std::vector<std::string> hidden;
};

struct Kind {
    const char* name;
    u32 effect;
    std::function<void(Desk& desk, u32 step)> make;
};

std::vector<Kind> kinds() {
    return {{"hide one",
             scene::kEffectLook,
             [](Desk& desk, u32 step) { desk.hidden = {"object " + std::to_string(7 * step)}; }},
            {"show all", scene::kEffectLook, [](Desk& desk, u32) { desk.hidden.clear(); }},
            {"value of a material",
             scene::kEffectShading,
             [](Desk& desk, u32 step) {
                 desk.scene.materials[1].record.roughness = 0.01F * static_cast<float>(step);
             }},
            {"material of a node",
             scene::kEffectShading,
             [](Desk& desk, u32 step) {
                 const auto last = static_cast<u32>(std::as_const(desk.scene).materials.size()) - 1;
                 desk.scene.instances[11 * step].material = step % 2 == 0 ? last : 0;
             }},
            {"move one",
             scene::kEffectPlacement,
             [](Desk& desk, u32 step) {
                 desk.scene.instances[5].object_to_world[7] = static_cast<float>(step);
             }},
            {"delete one", scene::kEffectPlacement, [](Desk& desk, u32 step) {
                 auto& instances = desk.scene.instances.own();
                 instances.erase(instances.begin() + 13 * step);
             }}};
}

void print(const char* name, const char* part, std::vector<double> ms) {
    std::sort(ms.begin(), ms.end());
    std::printf("%-22s %-7s %8.3f ms [%.3f .. %.3f]\n",
                name,
                part,
                ms[ms.size() / 2],
                ms.front(),
                ms.back());
}

frame::PreparedScene prepare(const Desk& desk,
                             const frame::RenderSettings& settings,
                             const std::shared_ptr<accel::TreePool>& pool,
                             const frame::PreparedScene* maybe_former,
                             u32 effect) {
    auto made = frame::prepare_scene({.scene = std::make_shared<const scene::Scene>(desk.scene),
                                      .settings = &settings,
                                      .hidden = desk.hidden,
                                      .maybe_former = maybe_former,
                                      .effect = effect,
                                      .may_patch = true,
                                      .pool = pool});
    ENSURE(made.is_ok(), ==, true);
    return std::move(made.value());
}

u32 number_at(int argc, char** argv, int place, u32 otherwise) {
    u32 number = otherwise;
    if (argc > place) {
        std::from_chars(argv[place], argv[place] + std::strlen(argv[place]), number);
    }
    return std::max(number, 1U);
}

}  // namespace

int main(int argc, char** argv) {
    const u32 objects = number_at(argc, argv, 1, 100000);
    const u32 materials = number_at(argc, argv, 2, 100);
    const u32 repeats = number_at(argc, argv, 3, 9);
    frame::RenderSettings settings;
    settings.thread_count = 1;
    settings.has_fine_tree = false;
    Desk desk{grid(objects, materials), {}};
    const auto pool = std::make_shared<accel::TreePool>();
    frame::PreparedScene prepared = prepare(desk, settings, pool, nullptr, scene::kEffectAll);
    std::printf("%u objects, %u materials\n", objects, materials);
    print("first", "lists", {prepared.lists_s * 1e3});
    print("first", "tables", {(prepared.tables_s - prepared.lists_s) * 1e3});
    for (const Kind& kind : kinds()) {
        std::vector<double> lists;
        std::vector<double> tables;
        for (u32 step = 0; step <= repeats; ++step) {
            kind.make(desk, step);
            frame::PreparedScene next = prepare(desk, settings, pool, &prepared, kind.effect);
            if (step > 0) {  // the first warms up
                lists.push_back(next.lists_s * 1e3);
                tables.push_back((next.tables_s - next.lists_s) * 1e3);
            }
            prepared = std::move(next);
            if (std::strcmp(kind.name, "show all") == 0) {
                desk.hidden = {"object 1"};
                prepared = prepare(desk, settings, pool, &prepared, scene::kEffectLook);
            }
        }
        print(kind.name, "lists", lists);
        print(kind.name, "tables", tables);
    }
    return 0;
}
