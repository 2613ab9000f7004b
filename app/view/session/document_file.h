// document_file.h — a document's edits on disk: saved where the person says, and kept aside while
// they are not.
//
// Unsaved edits go to a file of their own in $XDG_CONFIG_HOME/weft/unsaved, one per scene and
// session (unsaved_place.h), so that they survive a crash; it is removed when they are saved or
// given up. Interface thread only; what is kept aside is written by a thread of its own, since a
// disk may take its time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/view/background/background.h"
#include "app/view/session/document.h"
#include "app/view/session/put_aside.h"
#include "app/view/session/unsaved_place.h"

namespace weft::app {

// Writes the edits and marks the document saved. `scene` is the SCENE as it was opened.
base::Status save_edits(Document& document, const std::string& scene, const std::string& path);

// Makes the changes of a file as one step of undo.
base::Status load_edits(Document& document, const std::string& path);

// The same, but for what does not fit the scene, or names a file that `may_open` (empty: any)
// forbids: that is left out. Error: the file cannot be read, or how many of its edits were left out
// and why the first; the others are made.
base::Status load_fitting_edits(Document& document,
                                const std::string& path,
                                std::function<bool(const std::string& path)> may_open = {});

// What lies there; empty where nothing can be read.
std::string text_of(const std::string& path);

// $XDG_CONFIG_HOME/weft/unsaved; empty where there is no folder for settings.
std::string unsaved_folder();

// The edits of one scene that are not saved.
class Autosave {
public:
    // `folder` empty: nothing is kept, and keep() says so.
    explicit Autosave(std::string scene, const std::string& folder = unsaved_folder());

    // Edits that a session left behind, for load_edits(): the path of the file. Ask before keep().
    [[nodiscard]] std::optional<std::string> left_behind() const;

    // Begins to write what is not saved, where the document changed since; removes the file where
    // nothing is unsaved. Error: what was begun before has failed; once, until it succeeds again.
    base::Status keep(const Document& document);

    // What keep() has begun is done. Error: the edits are not kept.
    base::Status wait();

    // The edits are saved, or nobody wants them.
    void discard();

    [[nodiscard]] const std::string& path() const { return place_.path(); }

private:
    void begin(const Document& document);

    std::string scene_;
    UnsavedPlace place_;
    u64 kept_number_ = 0;
    base::Status last_ = base::Done{};  // how the last writing ended
    bool has_told_ = false;             // that it failed
    Background<base::Status> writing_;
};

}  // namespace weft::app
