#include "app/serve/session.h"

#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "app/command/signals.h"
#include "app/serve/reply.h"

namespace weft::app::serve {

namespace {

// How long to wait for messages: pictures are looked for in between.
constexpr int kBusyWait_ms = 2;
constexpr int kIdleWait_ms = 100;

}  // namespace

// Short while another picture may come.
int Session::wait_ms() const {
    const live::LiveStatus status = live_.status();
    const bool is_waiting = has_unsent_picture_ && !channel_.is_free();
    const bool is_busy =
        status.state == live::LiveState::Preparing || status.state == live::LiveState::Rendering;
    return is_busy && !is_waiting ? kBusyWait_ms : kIdleWait_ms;
}

void Session::turn() {
    channel_.wait(wait_ms());
    while (channel_.is_free() && !is_quitting_) {
        const std::optional<std::string> message = channel_.next();
        if (!message) {
            break;
        }
        answer(*message);
    }
    if (channel_.is_free() && !channel_.broken_by().empty()) {
        channel_.send(error_reply(0, channel_.broken_by()));
        channel_.close("the client sent " + channel_.broken_by());
    }
    if (!is_over()) {
        show_changes();
        publish();
    }
}

void Session::answer(const std::string& message) {
    const ReadRequest read = read_request(message);
    if (!read.request.is_ok()) {
        channel_.send(error_reply(read.id, read.request.error().sentence));
    } else if (!is_known_ && read.request.value().action != Action::Hello) {
        channel_.send(error_reply(read.id, "expected hello before any other message"));
    } else {
        answer(read.id, read.request.value());
    }
}

void Session::answer(u64 id, const Request& request) {
    switch (request.action) {
        case Action::Hello:
            return answer_hello(id, request.version);
        case Action::Load:
            return answer_load(id, request);
        case Action::Settings:
            return answer_change(id, scene_.take_settings(request));
        case Action::Edit:
            return answer_change(id, scene_.edit(request.edits));
        case Action::Mesh:
            return answer_change(id,
                                 scene_.replace_mesh(request, [this] { return is_cancelled(); }));
        case Action::Save: {
            const base::Status saved = save(request.file);
            return channel_.send(saved.is_ok() ? done_reply(id)
                                               : error_reply(id, saved.error().sentence));
        }
        case Action::Pause:
            live_.set_paused(request.is_paused);
            return channel_.send(done_reply(id));
        case Action::Status: {
            live::LiveStatus status = live_.status();
            const std::string& fault = job_fault_.empty() ? memory_fault_ : job_fault_;
            status.error = fault.empty() ? status.error : fault;
            return channel_.send(status_reply(id, status));
        }
        case Action::Quit:
            channel_.send(done_reply(id));
            is_quitting_ = true;
    }
}

void Session::answer_hello(u64 id, u64 version) {
    if (version != kProtocolVersion) {
        channel_.send(error_reply(
            id, fmt::format("version {}: expected version {}", version, kProtocolVersion)));
        return;
    }
    is_known_ = true;
    channel_.send(hello_reply(id));
}

void Session::answer_change(u64 id, const base::Status& changed) {
    // What has come together becomes the next job. An edit may change nothing that is shown.
    const bool becomes_job = scene_.has_changes() || !scene_.scene();
    channel_.send(changed.is_ok() ? job_reply(id, becomes_job ? job_ + 1 : job_)
                                  : error_reply(id, changed.error().sentence));
}

void Session::answer_load(u64 id, const Request& request) {
    const base::Status loaded = scene_.load(request, [this] { return is_cancelled(); });
    if (loaded.is_ok()) {
        channel_.send(scene_reply(id, job_ + 1, *scene_.scene()));
    } else {
        answer_change(id, loaded);
    }
}

bool Session::is_cancelled() const {
    return channel_.is_gone() || was_interrupted();
}

base::Status Session::save(const std::string& file) {
    if (save_folder_.empty()) {
        return base::Error{base::ErrorKind::Usage,
                           "save: the server has no folder for files of its clients; expected it "
                           "to be started with --save-folder"};
    }
    const std::string path = save_folder_ + "/" + file;
    if (file.ends_with(".json")) {
        return scene_.save_edits(path);
    }
    const film::ImageConfig config = scene_.image_config();
    WEFT_TRY(film::check_image_target(path, config));
    show_changes();
    if (!job_fault_.empty()) {
        return base::Error{base::ErrorKind::Output, path + ": there is no picture: " + job_fault_};
    }
    wait_for_samples();
    return live_.save(path, config, [this] { return is_cancelled(); });
}

// Until the newest job has its first samples, unless none come.
void Session::wait_for_samples() const {
    const auto are_coming = [this] {
        const live::LiveStatus status = live_.status();
        return status.state == live::LiveState::Preparing ||
               (status.state == live::LiveState::Rendering &&
                (status.prepared_job < job_ || status.samples_mean == 0));
    };
    while (are_coming() && !is_cancelled()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kBusyWait_ms));
    }
}

void Session::show_changes() {
    if (!scene_.has_changes()) {
        return;
    }
    base::Result<live::LiveJob> job = scene_.take_job();
    job_fault_ = job.is_ok() ? "" : job.error().sentence;
    memory_fault_.clear();
    if (job.is_ok()) {
        live_.set_view(scene_.view());
        job_ = live_.show(std::move(job.value()));
    }
}

void Session::publish() {
    has_unsent_picture_ = live_.take_picture(picture_) || has_unsent_picture_;
    // A picture of the settings before may be of another kind; the next one is not.
    const bool is_linear = !picture_.linear.empty();
    if (!has_unsent_picture_ || !channel_.is_free() ||
        is_linear != (scene_.pixels() == PixelKind::Linear)) {
        return;
    }
    if (!has_right_memory()) {
        make_memory();
    }
    if (has_right_memory() && channel_.is_free()) {
        has_unsent_picture_ = false;
        const u64 number = memory_->write(picture_);
        channel_.send(picture_event(number, picture_.job));
    }
}

bool Session::has_right_memory() const {
    return memory_ &&
           memory_->suits(u64{picture_.full_width} * picture_.full_height, scene_.pixels());
}

void Session::make_memory() {
    base::Result<std::unique_ptr<PictureMemory>> made =
        PictureMemory::make(u64{picture_.full_width} * picture_.full_height, scene_.pixels());
    if (!made.is_ok()) {
        memory_fault_ = made.error().sentence;
        has_unsent_picture_ = false;  // the next picture tries again
        return;
    }
    memory_ = std::move(made.value());
    channel_.send(memory_event(memory_->size_bytes()), &memory_->file());
}

}  // namespace weft::app::serve
