// scene_loader.h — opens a scene on a thread of its own, so that the interface goes on meanwhile.
//
// One scene is loaded at a time; the newest wish wins. What is cancelled or overtaken ends at the
// next mesh, picture or row of its import and is dropped, never shown. Owner: the interface thread,
// which starts, cancels and polls.
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

// World box: low and high corner; low > high where there is nothing.
using Bounds = std::array<std::array<float, 3>, 2>;

// A picture that could not be read: a stand-in is in its place.
struct MissingPicture {
    std::string name;  // of the file, or of its place in the scene
    std::string why;   // a sentence
};

// A scene ready to be shown, as the options want it.
struct LoadedScene {
    RenderOptions options;
    Document document;       // with the edits of a file and of --set as steps
    std::string edits_file;  // that was read; empty: none
    std::string edits_text;  // what it held
    // Why not all of a file beside the scene could be made; empty: they were, or there is none.
    std::string unread_because;
    std::vector<MissingPicture> missing;  // each once
    Bounds bounds{};
    std::string far_note;   // on triangles that are too far away to be shown; empty: none is
    bool is_again = false;  // of the scene that is open: its edits are not in it yet
};

class SceneLoader {
public:
    // Begins to load options.scenes with the environment, camera and nodes that the options name,
    // then makes the edits of options.edits_file, or those of the scene's own file, where
    // there is one, that fit it; and those of options.sets. The file beside the scene may name
    // pictures in its folder, in options.asset_roots, and of `chosen_pictures`, which the person
    // chose before (whole paths).
    void start(const RenderOptions& options, std::vector<std::string> chosen_pictures = {});

    // The same for the scene of `open`, which is read another time. No edits are made; the files
    // that those of `open` need are read, so that Document::reopen() reads none.
    void start_again(const RenderOptions& options, const Document& open);

    void cancel() { loading_.cancel(); }

    [[nodiscard]] bool is_loading() const { return loading_.is_running(); }

    // Something was cancelled, and its thread and memory were not free yet at the last poll().
    [[nodiscard]] bool is_ending() const { return loading_.is_ending(); }

    // Imports that ended before they were whole, because they were cancelled.
    [[nodiscard]] u64 stopped_count() const {
        return stopped_count_.load(std::memory_order_relaxed);  // a figure; orders nothing
    }

    // What is being loaded, what is done to it now, and since when; while is_loading().
    [[nodiscard]] std::string source() const;
    [[nodiscard]] std::string stage() const;
    [[nodiscard]] double elapsed_s() const;

    // The end of what was started last, once.
    std::optional<base::Result<LoadedScene>> poll();

private:
    // Of one import, shared with its thread.
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
