// session.h — serves one client: answers its messages in their order, and shows it pictures.
//
//     Channel ── next ──▶ read_request ──▶ ServedScene ── take_job ──▶ LiveRender
//        ▲                                                                 │ take_picture
//        └── replies, events ◀───────────── PictureMemory ◀────────────────┘
//
// Messages that have come together become one job, so that a client may send a camera with each
// frame of its own. The server's thread; the live render has threads of its own.
#pragma once

#include <memory>
#include <string>

#include "app/serve/channel.h"
#include "app/serve/picture_memory.h"
#include "app/serve/served_scene.h"
#include "engine/live/live_render.h"

namespace weft::app::serve {

class Session {
public:
    // Channel and options outlive the session. The client may save files in `save_folder`; empty:
    // in none.
    Session(Channel& channel,
            const RenderOptions& usual,
            std::string save_folder,
            std::string command_line)
        : channel_(channel),
          save_folder_(std::move(save_folder)),
          scene_(usual, std::move(command_line)),
          live_(usual.threads) {}

    // Does what is to be done now, after waiting for it a while. Call it until is_over().
    void turn();

    // The client went, broke the protocol, or asked for the end.
    [[nodiscard]] bool is_over() const { return !channel_.is_open() || is_quitting_; }

    // The client has asked the server to end.
    [[nodiscard]] bool is_quitting() const { return is_quitting_; }

private:
    [[nodiscard]] int wait_ms() const;
    void answer(const std::string& message);
    void answer(u64 id, const Request& request);
    void answer_hello(u64 id, u64 version);
    void answer_change(u64 id, const base::Status& changed);
    void answer_load(u64 id, const Request& request);
    [[nodiscard]] base::Status save(const std::string& file);
    void wait_for_samples() const;
    [[nodiscard]] bool is_cancelled() const;
    void show_changes();
    void publish();
    [[nodiscard]] bool has_right_memory() const;
    void make_memory();

    Channel& channel_;
    const std::string save_folder_;
    ServedScene scene_;
    live::LiveRender live_;
    live::LivePicture picture_;
    std::unique_ptr<PictureMemory> memory_;  // null: none was needed yet
    std::string job_fault_;                  // why the newest changes make no job; empty: they do
    std::string memory_fault_;               // why a picture was not sent; empty: it was
    u64 job_ = 0;                            // the newest that was shown
    bool is_known_ = false;                  // the client has said hello
    bool is_quitting_ = false;
    bool has_unsent_picture_ = false;
};

}  // namespace weft::app::serve
