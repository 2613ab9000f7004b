// document_file.h — a document's edits on disk: saved to the person's file, and autosaved until
// then.
//
// Unsaved edits go to a file of their own in $XDG_CONFIG_HOME/weft/unsaved, one per scene and
// session (unsaved_place.h), so that they survive a crash; it is removed when they are saved or
// discarded. Interface thread only; a thread of its own writes the autosave, since a disk may be
// slow.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "app/view/background/background.h"
#include "app/view/session/document.h"
#include "app/view/session/put_aside.h"
#include "app/view/session/unsaved_place.h"

namespace weft::app {

// Writes the edits and marks the document saved. `scene` is the SCENE argument.
base::Status save_edits(Document& document, const std::string& scene, const std::string& path);

// Makes the edits of a file as one step of undo.
base::Status load_edits(Document& document, const std::string& path);

// The same, but leaves out edits that do not fit the scene or name a file that `may_open` (empty:
// any) forbids. Error: the file cannot be read; or how many edits were left out and why the first,
// while the others are made.
base::Status load_fitting_edits(Document& document,
                                const std::string& path,
                                std::function<bool(const std::string& path)> may_open = {});

// Makes those edits of the file of --edits (empty: none), and then of --set, whose fields the
// document's own edits leave alone, as one step. Error: as of load_fitting_edits().
base::Status add_given_edits(Document& document,
                             const std::string& file,
                             std::span<const scene::Edit> sets);

// The content of a file; empty if it cannot be read.
std::string text_of(const std::string& path);

// $XDG_CONFIG_HOME/weft/unsaved; empty if there is no settings folder.
std::string unsaved_folder();

// Autosaves the unsaved edits of one scene.
class Autosave {
public:
    // If `folder` is empty, nothing is written, and keep() reports it.
    explicit Autosave(std::string scene, const std::string& folder = unsaved_folder());

    // The path of a file of edits that an earlier session left behind, for load_edits(). Call
    // before keep().
    [[nodiscard]] std::optional<std::string> left_behind() const;

    // Starts to write the unsaved edits if the document changed; removes the file if nothing is
    // unsaved. Error: the previous write failed; reported once, until a write succeeds.
    base::Status keep(const Document& document);

    // Waits for the write that keep() started. Error: the edits are not on disk.
    base::Status wait();

    // Removes the file: the edits are saved, or the person discarded them.
    void discard();

    [[nodiscard]] const std::string& path() const { return place_.path(); }

private:
    void begin(const Document& document);

    std::string scene_;
    UnsavedPlace place_;
    u64 kept_number_ = 0;
    base::Status last_ = base::Done{};  // how the last write ended
    bool has_told_ = false;             // its failure was reported
    Background<base::Status> writing_;
};

}  // namespace weft::app
