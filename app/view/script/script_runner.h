// script_runner.h — runs a script of input events, one step in each turn of the viewer.
//
// Interface thread only. input_script.h lists the commands.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "app/view/script/input_script.h"
#include "app/view/window/input_queue.h"

namespace weft::app {

class Viewport;
class Window;
struct PictureSight;
struct RenderLink;
struct Session;
struct Ui;

// The parts of the viewer that a script may use.
struct ScriptWorld {
    Session& session;
    RenderLink& link;
    Ui& ui;
    const PictureSight& sight;
    const Viewport& viewport;
    Window& window;
    InputQueue& input;
};

class ScriptRunner {
public:
    ScriptRunner(std::string path, std::vector<ScriptLine> lines)
        : path_(std::move(path)), lines_(std::move(lines)) {}

    [[nodiscard]] bool is_done() const { return at_ == lines_.size() && frames_.empty(); }

    // Sends the next events, or starts the next line if none are left. Error: a line that failed.
    base::Status step(const ScriptWorld& world);

    // The last step waited for the scene, a map, a file or the picture: such a turn draws no more
    // than it would without a script, so that the work which the script awaits has the processor.
    [[nodiscard]] bool awaits_work() const { return awaits_work_; }

    // The file to write the coming frame to; empty: none. Returned once.
    std::string take_screenshot() { return std::exchange(screenshot_, {}); }

private:
    enum class Step { Wait, Next };

    base::Result<Step> begin(const ScriptWorld& world, const ScriptLine& line);
    base::Result<Step> wait_for(const ScriptWorld& world, const ScriptLine& line);
    base::Result<Step> press_names(const ScriptWorld& world, const ScriptLine& line);
    base::Result<Step> write_file(const ScriptWorld& world, const ScriptLine& line);
    base::Result<Step> use_window(const ScriptWorld& world, const ScriptLine& line);
    base::Result<Step> use_keys(const ScriptLine& line);
    base::Result<Step> use_mouse(const ScriptWorld& world, const ScriptLine& line);
    base::Result<ScriptPoint> point(const ScriptWorld& world,
                                    const ScriptLine& line,
                                    std::size_t first) const;
    [[nodiscard]] base::Error refusal(const ScriptLine& line, const std::string& what) const;

    std::string path_;
    std::vector<ScriptLine> lines_;
    std::size_t at_ = 0;
    u32 settled_ = 0;  // frames since the last event
    u32 waited_ = 0;   // frames that the current line has waited
    bool awaits_work_ = false;
    FrameEvents frames_;
    std::string screenshot_;
    std::future<base::Status> writing_;
};

}  // namespace weft::app
