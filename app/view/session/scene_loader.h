// scene_loader.h — opens a scene on its own thread, so that the interface does not wait.
//
// One scene loads at a time; the newest request wins. A cancelled import stops at its next mesh,
// picture or row, and its result is dropped. Owner: the interface thread, which starts, cancels and
// polls.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "app/view/background/background.h"
#include "app/view/session/document.h"
#include "scheduler/base/result.h"

namespace weft::app {

// A picture that could not be read; the scene has a placeholder.
struct MissingPicture {
    std::string name;  // of the file, or of its place in the scene
    std::string why;   // a sentence
};

// A loaded scene, set up as the options say.
struct LoadedScene {
    RenderOptions options;
    Document document;       // with the edits of a file and of --set as steps
    std::string edits_file;  // the file that was read; empty: none
    std::string edits_text;  // its content
    // Why some edits of the file beside the scene were left out; empty: all were made, or there is
    // none.
    std::string unread_because;
    std::vector<MissingPicture> missing;  // each once
    math::Box bounds;
    std::string far_note;   // about triangles too far away to render; empty: none
    bool is_again = false;  // the open scene, read again: its edits are not in it yet
};

class SceneLoader {
public:
    // Starts to load options.scenes with the environment, camera and nodes of the options; then
    // makes the edits of options.edits_file, or else those of the scene's own file of edits that
    // fit; then those of options.sets. The file beside the scene may name pictures in its folder,
    // in options.asset_roots, and in `chosen_pictures`, which the person chose before (whole
    // paths).
    void start(const RenderOptions& options, std::vector<std::string> chosen_pictures = {});

    // Reads the scene of `open` again. Makes no edits, but reads the files that the edits of `open`
    // need, so that Document::reopen() reads none.
    void start_again(const RenderOptions& options, const Document& open);

    void cancel() { loading_.cancel(); }

    [[nodiscard]] bool is_loading() const { return loading_.is_running(); }

    // True while a cancelled import still held its thread and memory at the last poll().
    [[nodiscard]] bool is_ending() const { return loading_.is_ending(); }

    // The number of imports that a cancel stopped before their end.
    [[nodiscard]] u64 stopped_count() const {
        return stopped_count_.load(std::memory_order_relaxed);  // a counter; orders nothing
    }

    // While is_loading(): the sources, the current stage, and when it started.
    [[nodiscard]] std::string source() const;
    [[nodiscard]] std::string stage() const;
    [[nodiscard]] double elapsed_s() const;

    // The result of the last start, once.
    std::optional<base::Result<LoadedScene>> poll();

private:
    // The progress of one import, shared with its thread.
    struct Progress {
        std::string source;
        std::atomic<const char*> stage{"reading"};
        std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    };

    void begin(RenderOptions options,
               std::vector<std::string> chosen_pictures,
               std::optional<Document> open);

    std::shared_ptr<Progress> progress_;
    std::atomic<u64> stopped_count_{0};
    Background<base::Result<LoadedScene>> loading_;
};

}  // namespace weft::app
