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
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/command/render_options.h"
#include "app/view/document.h"
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
    SceneLoader() = default;
    ~SceneLoader();  // gives up what is being loaded and waits for its thread
    SceneLoader(const SceneLoader&) = delete;
    SceneLoader& operator=(const SceneLoader&) = delete;

    // Begins to load options.scenes with the environment, camera and nodes that the options name,
    // then makes the edits of options.edits_file, or those of the scene's own file, where
    // there is one, that fit it; and those of options.sets. The file beside the scene may name
    // pictures in its folder, in options.asset_roots, and of `chosen_pictures`, which the person
    // chose before (whole paths).
    void start(const RenderOptions& options, std::vector<std::string> chosen_pictures = {});

    // The same for the scene of `open`, which is read another time. No edits are made; the files
    // that those of `open` need are read, so that Document::reopen() reads none.
    void start_again(const RenderOptions& options, const Document& open);
    void cancel();

    [[nodiscard]] bool is_loading() const { return job_ != nullptr; }

    // Something was given up, and its thread and memory were not free yet at the last poll().
    [[nodiscard]] bool is_ending() const { return !given_up_.empty(); }

    // Imports that ended before they were whole, because they were given up.
    [[nodiscard]] u64 stopped_count() const { return stopped_count_; }

    // What is being loaded, what is done to it now, and since when.
    [[nodiscard]] std::string source() const;
    [[nodiscard]] std::string stage() const;
    [[nodiscard]] double elapsed_s() const;

    // The end of what was started last, once.
    std::optional<base::Result<LoadedScene>> poll();

private:
    struct Job {
        RenderOptions options;
        std::vector<std::string> chosen_pictures;
        std::optional<Document> open;  // that the scene is read again for
        std::vector<MissingPicture> missing;
        std::atomic<const char*> stage{"reading"};
        std::atomic<bool> is_done{false};  // release after `outcome`, acquire by poll()
        std::atomic<bool> is_given_up{false};
        bool was_stopped = false;  // in its import; read once is_done
        std::optional<base::Result<LoadedScene>> outcome;
        std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
        std::thread thread;
    };

    static void load(Job& job);
    void begin(std::unique_ptr<Job> job);
    void give_up();
    void reap(bool waits);

    std::unique_ptr<Job> job_;
    std::vector<std::unique_ptr<Job>> given_up_;  // until their threads end
    u64 stopped_count_ = 0;
};

}  // namespace weft::app
