// viewer.h — the viewer: window, picture and panels in one loop that never waits for the renderer.
//
// Each turn takes what happened (input, a loaded scene, a new picture), draws the interface if
// needed, and sends changes to the renderer. Main thread only.
#pragma once

#include <memory>
#include <optional>

#include "app/view/script/script_runner.h"
#include "app/view/shell/action_lists.h"
#include "app/view/shell/panel_table.h"
#include "app/view/shell/view_command.h"
#include "app/view/shell/view_state.h"
#include "app/view/window/window.h"

namespace weft::app {

class Viewer {
public:
    // Error: no display, or wrong settings or script. Headers of pictures name the command line.
    static base::Result<std::unique_ptr<Viewer>> open(const ViewOptions& options,
                                                      const std::string& command_line);
    ~Viewer();
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;

    // Runs until the window is closed. Error: the script failed.
    base::Status run();

    [[nodiscard]] const ViewState& state() const { return state_; }

private:
    Viewer() = default;
    base::Status turn();
    [[nodiscard]] double wait_s() const;
    void take_loaded();
    void draw_interface();
    // Whether a text field is about to take the focus, so that input stays in the queue.
    bool awaits_text();

    InputQueue input_;
    std::unique_ptr<Window> window_;
    ViewState state_;
    Actions actions_ = all_actions(state_);
    PanelTabs tabs_{panel_table(state_)};
    std::optional<ScriptRunner> script_;
    u32 frames_to_draw_ = 3;    // until the interface has settled
    bool is_lively_ = false;    // the last turn drew, so the next starts without waiting
    bool is_choosing_ = false;  // the file chooser was open in the last turn
    double turn_begin_s_ = 0;
    double drawn_s_ = 0;
    double used_s_ = -1;  // time of the person's last input
};

}  // namespace weft::app
