// script_scene.h — a scene that Python holds: as it was read, and as edits have changed it.
//
// Renders begin with the scene as it was read and make all edits again, after the options of the
// render, as `weft render` does. Copies share everything that no edit changes. After an error
// everything is as before. Any thread, one at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/render_outputs.h"
#include "engine/scene/edit/edit.h"
#include "scheduler/base/result.h"

namespace weft::python {

class ScriptScene {
public:
    // Reads, lights and completes the scenes as `weft render SCENES WORDS` does. `is_cancelled` is
    // asked on several threads.
    static base::Result<std::unique_ptr<ScriptScene>> load(
        std::vector<std::string> scenes,
        std::vector<std::string> words,
        const std::function<bool()>& is_cancelled);

    // All edits, or none (engine/scene/edit/edit.h). An edit of a field takes the place of the last
    // one of its path, unless an edit between the two may depend on that.
    base::Status edit(const std::vector<scene::Edit>& edits);

    // The present value of a path, as JSON.
    [[nodiscard]] base::Result<std::string> value(const std::string& path) const;
    // Of "materials", "nodes" or "lights".
    [[nodiscard]] base::Result<std::vector<std::string>> paths(const std::string& family) const;
    // As JSON: what can be edited of an object, a list of {"path", "label", "unit", "kind",
    // "least", "most", "choices"}; empty for an object that does not exist.
    [[nodiscard]] std::string fields_json(const std::string& object_path) const;
    // As JSON: {"triangles": …, …}.
    [[nodiscard]] std::string figures_json() const;
    // As JSON: what import repaired, replaced or ignored, a list of [kind, sentence].
    [[nodiscard]] std::string notes_json() const;
    // The text of `weft info`, with the edits made.
    [[nodiscard]] std::string report() const;

    // As it was read, with its options.
    [[nodiscard]] const app::Plan& plan() const { return *read_; }

    [[nodiscard]] double import_s() const { return import_s_; }

    // The words after the scenes that a command needs for the same scene.
    [[nodiscard]] std::vector<std::string> words() const;

private:
    ScriptScene() = default;
    // Notes an edit that has been made.
    void keep(const scene::Edit& edit);

    std::shared_ptr<const app::Plan> read_;
    double import_s_ = 0;
    std::vector<std::string> words_;   // of options
    std::map<u64, std::string> sets_;  // words of edits in the order of their numbers
    u64 edit_count_ = 0;
    // The number of the last edit of each field, of those that no later edit depends on.
    std::unordered_map<std::string, u64> free_;
    scene::Scene edited_;
    scene::EditContext context_;
};

}  // namespace weft::python
