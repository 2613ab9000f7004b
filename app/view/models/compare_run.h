// compare_run.h — one view under keyed, unkeyed and embree, sharing the machine in turns.
//
// Each mode has a renderer of its own, all paused but one. The turn goes to the mode that has
// rendered for the shortest time, so that none is ahead of another by more than a turn; what a mode
// takes to prepare its scene is not counted. When all have their samples, their film hashes are
// compared. Owner: the interface thread; step() and begin() return at once.
#pragma once

#include <array>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/live/live_render.h"

namespace weft::app {

inline constexpr u32 kComparedModes = 3;

// Of one mode, for whose turn it is.
struct TurnClaim {
    double elapsed_s = 0;
    bool is_done = false;
};

// Who goes on: the one that is not done and has had the least time, the first of equals; none when
// all are done.
std::optional<u32> whose_turn(std::span<const TurnClaim> claims);

class CompareRun {
public:
    static constexpr double kTurn_s = 0.4;

    struct Arm {
        const char* name = "";
        trace::SchedulerMode mode = trace::SchedulerMode::Keyed;
        // From its first turn on. Shared with questions about its pixels.
        std::shared_ptr<live::LiveRender> live;
        u64 job = 0;
        live::LiveStatus status;
        live::LivePicture picture;
        u32 picture_version = 0;  // rises with each picture
        u64 rays = 0;
        double elapsed_s = 0;  // that it has rendered, as of the end of its last turn
        std::future<std::string> asked_hash;
        std::string film_hash;  // when it is done
        std::string error;      // of a renderer that failed; it has no more turns then

        [[nodiscard]] bool is_done() const { return !error.empty() || !film_hash.empty(); }

        // Of its own turns; 0 before the end of the first.
        [[nodiscard]] double rays_per_s() const {
            return elapsed_s > 0 ? static_cast<double>(rays) / elapsed_s : 0;
        }
    };

    // Begins again with this job, whatever its mode, and so many samples.
    void begin(const live::LiveJob& job,
               const live::LiveView& view,
               u32 samples_per_pixel,
               u32 thread_count);
    // How the pictures are shown from now on.
    void set_view(const live::LiveView& view);

    // What is there stays.
    void stop();
    // Gives the memory of all renderers back, as soon as each has ended what it is doing.
    void forget();

    // Once per frame while it is_running().
    void step(double now_s);

    [[nodiscard]] bool is_running() const { return is_running_; }

    // It runs, or what it has made is there.
    [[nodiscard]] bool has_begun() const { return is_running_ || arms_[0].live != nullptr; }

    [[nodiscard]] const std::array<Arm, kComparedModes>& arms() const { return arms_; }

    // What it was begun with; nothing after forget().
    [[nodiscard]] const live::LiveJob& job() const { return job_; }

    // Whose turn it is.
    [[nodiscard]] std::optional<u32> turn() const { return turn_; }

    // Whether keyed and unkeyed have made the same film, bit by bit; nothing until both are done.
    [[nodiscard]] std::optional<bool> are_bits_same() const;

private:
    void follow(Arm& arm);
    void begin_turn(u32 index);
    [[nodiscard]] bool is_turn_over(Arm& arm, double now_s);

    std::array<Arm, kComparedModes> arms_;
    live::LiveJob job_;
    live::LiveView view_;
    u32 thread_count_ = 0;
    bool is_running_ = false;
    std::optional<u32> turn_;
    double turn_began_s_ = -1;               // below 0: it prepares
    bool is_pausing_ = false;                // the turn is over as soon as its renderer rests
    std::vector<std::future<void>> ending_;  // of renderers that are not wanted any more
};

}  // namespace weft::app
