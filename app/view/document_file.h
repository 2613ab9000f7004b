// document_file.h — a document's edits on disk: saved where the person says, and kept aside while
// they are not.
//
// Unsaved edits go to a file of their own in $XDG_CONFIG_HOME/weft/unsaved, one per scene, so that
// they survive a crash; it is removed when they are saved or given up. Interface thread only; each
// call writes a few kilobytes.
#pragma once

#include <optional>
#include <string>

#include "app/view/document.h"

namespace weft::app {

// Writes the edits and marks the document saved. `scene` is the SCENE as it was opened.
base::Status save_edits(Document& document, const std::string& scene, const std::string& path);

// Makes the changes of a file as one step of undo.
base::Status load_edits(Document& document, const std::string& path);

// The edits of one scene that are not saved.
class Autosave {
public:
    // `folder` empty: $XDG_CONFIG_HOME/weft/unsaved; where there is none, nothing is kept.
    explicit Autosave(std::string scene, std::string folder = {});

    // Edits that a session left behind, for load_edits(): the path of the file. Ask before keep().
    [[nodiscard]] std::optional<std::string> left_behind() const;

    // Writes what is not saved, where the document changed since the last call; removes the file
    // where nothing is unsaved.
    base::Status keep(const Document& document);

    // The edits are saved, or nobody wants them.
    void discard();

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string scene_;
    std::string path_;  // empty: nothing is kept
    u64 kept_number_ = 0;
};

}  // namespace weft::app
