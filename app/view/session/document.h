// document.h — the open scene with the person's edits, and undo and redo.
//
// Every change of the scene goes through edit(), so that undo and redo have no limit. A scene that
// was handed out never changes: an edit makes another one. Interface thread only.
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

// The pictures of a scene, in arenas that copies of the scene share.
struct Pictures {
    scene::Texels texels;
    scene::Arena<scene::Texture> textures;
};

class Document {
public:
    // One step of undo: one edit, those of one drag, or those of one file.
    struct Step {
        std::vector<scene::Edit> edits;
        std::vector<scene::Edit> inverses;  // apply them from the last to the first
        u64 number = 0;                     // of the state after the step; grows
        u64 gesture = 0;                    // of a camera move; 0: an edit
    };

    // Opens a scene without steps. All effect bits are set.
    void open(std::shared_ptr<const scene::Scene> scene, scene::EditContext context);

    // Opens the same scene after it was read again, such as with pictures that were missing before:
    // repeats all steps in it, and keeps the undone ones for redo. Error: why the first step that
    // does not fit was left out.
    base::Status reopen(std::shared_ptr<const scene::Scene> scene, scene::EditContext context);

    [[nodiscard]] bool is_open() const { return scene_ != nullptr; }

    // Camera, exposure, hidden nodes, section planes: the document is their only owner. Defaults
    // before open().
    [[nodiscard]] const scene::EditContext& context() const { return context_; }

    // Call this and everything below only while is_open().
    [[nodiscard]] const scene::Scene& scene() const { return *scene_; }

    [[nodiscard]] const std::shared_ptr<const scene::Scene>& shared_scene() const { return scene_; }

    // Makes an edit; on error nothing has changed. `continues`: the edit extends the previous step,
    // such as in a drag; if it has the same path as that step's last edit, it replaces it.
    base::Status edit(const scene::Edit& edit, bool continues = false);

    // Offers a map that is already read: an edit of environment/file finds it by its name.
    void offer_environment(scene::Environment map);

    [[nodiscard]] Pictures pictures() const { return {scene_->texels, scene_->textures}; }

    // Adds pictures that are already read: an edit of a material finds them by their names. False:
    // the scene's pictures are no longer `before`.
    bool take_pictures(const Pictures& before, Pictures now);

    // Makes all edits as one step, or none. `continues`: they replace those of the previous step if
    // that has the same paths, such as in a drag of several objects.
    base::Status edit_all(std::span<const scene::Edit> edits, bool continues = false);

    // Makes the edits that fit as one step; returns the others. The edits may open the files that
    // `may_open` allows (empty: any).
    std::vector<scene::EditsMade::Fault> edit_fitting(
        std::span<const scene::Edit> edits, std::function<bool(const std::string& path)> may_open);

    // Moves the camera; consecutive moves of one gesture (not 0) are one step. While there are
    // steps to redo, a move makes no step, so that it discards none.
    void move_camera(const scene::Camera& camera, u64 gesture);

    // Edits the camera with its projection, lens and focus, as a step of its own. Does nothing if
    // the camera is equal.
    base::Status replace_camera(const scene::Camera& camera);

    // False: there is nothing to undo or redo.
    bool undo();
    bool redo();

    [[nodiscard]] bool can_undo() const { return !done_.empty(); }

    [[nodiscard]] bool can_redo() const { return !undone_.empty(); }

    // Done steps in order; undone ones with the last undone first.
    [[nodiscard]] const std::vector<Step>& done() const { return done_; }

    [[nodiscard]] const std::vector<Step>& undone() const { return undone_; }

    // The field's value when the scene was opened; none if it still has that value.
    [[nodiscard]] std::optional<std::string> original_value(const std::string& path) const;

    // The least list of edits that leads from the scene as opened to the present state.
    [[nodiscard]] std::vector<scene::Edit> edits() const;

    // Whether edits() differ from those at open() or mark_saved(), camera moves excepted.
    [[nodiscard]] bool is_changed() const;

    // Identifies the state, camera moves excepted; undo and redo restore it.
    [[nodiscard]] u64 state_number() const;

    void mark_saved();

    // Returns the effect bits of all changes since the last call.
    u32 take_effect();

private:
    // Applies all edits in order, or none; appends their inverses if requested.
    base::Status apply(std::span<const scene::Edit> edits,
                       std::vector<scene::Edit>* maybe_inverses);

    // The edits that lead to this context.
    [[nodiscard]] std::vector<scene::Edit> edits_to(const scene::EditContext& context) const;
    // The edits with the camera at its first place.
    [[nodiscard]] std::vector<scene::Edit> edits_without_moves() const;

    // Takes over the copies that edits changed.
    void take(std::shared_ptr<const scene::Scene> scene, scene::EditContext context, u32 effect);

    std::shared_ptr<const scene::Scene> scene_;
    std::shared_ptr<const scene::Scene> opened_;
    scene::EditContext context_;
    scene::EditContext opened_context_;
    std::vector<Step> done_;
    std::vector<Step> undone_;
    u64 last_number_ = 0;
    u64 saved_number_ = 0;
    std::vector<scene::Edit> saved_edits_;  // without camera moves
    mutable u64 compared_number_ = 0;       // state that `differs_` describes
    mutable bool differs_ = false;          // from `saved_edits_`
    u32 effect_ = scene::kEffectNone;
};

}  // namespace weft::app
