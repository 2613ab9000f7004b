// document.h — the scene that is open with the person's edits in it, and the way back.
//
// Every change of the scene goes through edit(), so that undo and redo are without limit. A scene
// that was handed out never changes: an edit makes another one. Interface thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/scene/edit.h"
#include "scheduler/base/result.h"

namespace weft::app {

class Document {
public:
    // One step of undo: one edit, or those of one drag.
    struct Step {
        std::vector<scene::Edit> edits;
        std::vector<scene::Edit> inverses;  // to be applied from the last to the first
    };

    // Nothing can be undone then. Everything has to be made again.
    void open(std::shared_ptr<const scene::Scene> scene, scene::EditContext context);

    [[nodiscard]] bool is_open() const { return scene_ != nullptr; }

    // Only while is_open(), as all that follows.
    [[nodiscard]] const scene::Scene& scene() const { return *scene_; }

    [[nodiscard]] const std::shared_ptr<const scene::Scene>& shared_scene() const { return scene_; }

    // Camera, exposure, hidden nodes, section planes.
    [[nodiscard]] const scene::EditContext& context() const { return context_; }

    // On error nothing has changed. `continues`: part of the step before, such as the same drag; an
    // edit of the same path then takes the place of that step's last one.
    base::Status edit(const scene::Edit& edit, bool continues = false);

    // Moving about is no step of undo.
    void move_camera(const scene::Camera& camera) { context_.camera = camera; }

    // False: there is nothing to undo or to do again.
    bool undo();
    bool redo();

    // Steps in the order they were done; undone ones the last undone first.
    [[nodiscard]] const std::vector<Step>& done() const { return done_; }

    [[nodiscard]] const std::vector<Step>& undone() const { return undone_; }

    // The value of a field as it was when the scene was opened, where it is another one now.
    [[nodiscard]] std::optional<std::string> original_value(const std::string& path) const;

    // Effect bits of all that changed since the last call.
    u32 take_effect();

private:
    // The edits in order, or none of them.
    base::Status apply(const std::vector<scene::Edit>& edits);

    std::shared_ptr<const scene::Scene> scene_;
    std::shared_ptr<const scene::Scene> opened_;
    scene::EditContext context_;
    scene::EditContext opened_context_;
    std::vector<Step> done_;
    std::vector<Step> undone_;
    u32 effect_ = scene::kEffectNone;
};

}  // namespace weft::app
