// document.h — the scene that is open with the person's edits in it, and the way back.
//
// Every change of the scene goes through edit(), so that undo and redo are without limit. A scene
// that was handed out never changes: an edit makes another one. Interface thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "scheduler/base/result.h"

namespace weft::app {

// The pictures of a scene, in arenas that copies share.
struct Pictures {
    scene::Arena<u32> texels;
    scene::Arena<scene::Texture> textures;
};

class Document {
public:
    // One step of undo: one edit, those of one drag, or those of one file.
    struct Step {
        std::vector<scene::Edit> edits;
        std::vector<scene::Edit> inverses;  // to be applied from the last to the first
        u64 number = 0;                     // of the state after it; grows
        u64 gesture = 0;                    // of a camera that was moved about; 0: an edit
    };

    // Nothing can be undone then. Everything has to be made again.
    void open(std::shared_ptr<const scene::Scene> scene, scene::EditContext context);

    // The same scene read another time, such as with pictures that were missing before: all steps
    // are made in it again, and those that were undone can still be redone. Error: why the first
    // step that does not fit is left out.
    base::Status reopen(std::shared_ptr<const scene::Scene> scene, scene::EditContext context);

    [[nodiscard]] bool is_open() const { return scene_ != nullptr; }

    // Camera, exposure, hidden nodes, section planes: their one owner. Defaults before open().
    [[nodiscard]] const scene::EditContext& context() const { return context_; }

    // Only while is_open(), as all that follows.
    [[nodiscard]] const scene::Scene& scene() const { return *scene_; }

    [[nodiscard]] const std::shared_ptr<const scene::Scene>& shared_scene() const { return scene_; }

    // On error nothing has changed. `continues`: part of the step before, such as the same drag; an
    // edit of the same path then takes the place of that step's last one.
    base::Status edit(const scene::Edit& edit, bool continues = false);

    // A map that was read already: an edit of environment/file finds it by its name.
    void offer_environment(scene::Environment map);

    [[nodiscard]] Pictures pictures() const { return {scene_->texels, scene_->textures}; }

    // The scene has more pictures, which were read already: an edit of a material finds them by
    // their names. False: it has not the same as `before` any more.
    bool take_pictures(const Pictures& before, Pictures now);

    // All of them as one step, or none.
    base::Status edit_all(std::span<const scene::Edit> edits);

    // Those of them that can be made as one step; the others. They may open the files that
    // `may_open` allows (empty: any).
    std::vector<scene::EditsMade::Fault> edit_fitting(
        std::span<const scene::Edit> edits, std::function<bool(const std::string& path)> may_open);

    // Moving about: moves of one gesture (not 0) in a row are one step. What was undone stays to be
    // done again: as long as there is any, a move is no step.
    void move_camera(const scene::Camera& camera, u64 gesture);

    // Another camera with its projection, lens and focus: an edit, and so a step of its own.
    // Nothing where it is the same one.
    base::Status replace_camera(const scene::Camera& camera);

    // False: there is nothing to undo or to do again.
    bool undo();
    bool redo();

    [[nodiscard]] bool can_undo() const { return !done_.empty(); }

    [[nodiscard]] bool can_redo() const { return !undone_.empty(); }

    // Steps in the order they were done; undone ones the last undone first.
    [[nodiscard]] const std::vector<Step>& done() const { return done_; }

    [[nodiscard]] const std::vector<Step>& undone() const { return undone_; }

    // The value of a field as it was when the scene was opened, where it is another one now.
    [[nodiscard]] std::optional<std::string> original_value(const std::string& path) const;

    // The least list of edits that makes the present state of the scene as it was opened.
    [[nodiscard]] std::vector<scene::Edit> edits() const;

    // Whether edits() differ from those when the scene was opened or mark_saved() was called,
    // wherever the camera was moved to meanwhile.
    [[nodiscard]] bool is_changed() const;

    // Of the state but for moves; the same again after undo and redo.
    [[nodiscard]] u64 state_number() const;

    void mark_saved();

    // Effect bits of all that changed since the last call.
    u32 take_effect();

private:
    // The edits in order, or none of them; their inverses are appended where asked for.
    base::Status apply(std::span<const scene::Edit> edits,
                       std::vector<scene::Edit>* maybe_inverses);

    // The edits that lead to this context.
    [[nodiscard]] std::vector<scene::Edit> edits_to(const scene::EditContext& context) const;
    // Those that are left when the camera stands where it stood at first.
    [[nodiscard]] std::vector<scene::Edit> edits_without_moves() const;

    // What edits have made of copies.
    void take(std::shared_ptr<const scene::Scene> scene, scene::EditContext context, u32 effect);

    std::shared_ptr<const scene::Scene> scene_;
    std::shared_ptr<const scene::Scene> opened_;
    scene::EditContext context_;
    scene::EditContext opened_context_;
    std::vector<Step> done_;
    std::vector<Step> undone_;
    u64 last_number_ = 0;
    u64 saved_number_ = 0;
    std::vector<scene::Edit> saved_edits_;  // without moves
    mutable u64 compared_number_ = 0;       // of the state that `differs_` is about
    mutable bool differs_ = false;          // from `saved_edits_`
    u32 effect_ = scene::kEffectNone;
};

}  // namespace weft::app
