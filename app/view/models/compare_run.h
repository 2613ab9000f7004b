// compare_run.h — renders one view under keyed, unkeyed and embree, which share the machine in
// turns.
//
// Each mode has its own renderer; all but one are paused. The next turn goes to the mode with the
// least rendering time, so that no mode is ahead of another by more than a turn; the time to
// prepare a scene does not count. When all modes have their samples, the run compares their film
// hashes. Owner: the interface thread; step() and begin() return at once.
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

// What decides whether a mode gets the next turn.
struct TurnClaim {
    double elapsed_s = 0;
    bool is_done = false;
};

// The mode that gets the next turn: of those not done, the one with the least time, the first of
// equals; none if all are done.
std::optional<u32> whose_turn(std::span<const TurnClaim> claims);

class CompareRun {
public:
    static constexpr double kTurn_s = 0.4;

    struct Variant {
        const char* name = "";
        trace::SchedulerMode mode = trace::SchedulerMode::Keyed;
        // Set from the mode's first turn on. Shared with pixel reports.
        std::shared_ptr<live::LiveRender> live;
        u64 job = 0;
        live::LiveStatus status;
        live::LivePicture picture;
        u32 picture_version = 0;  // rises with each picture
        u64 rays = 0;
        double elapsed_s = 0;  // rendering time at the end of its last turn
        std::future<std::string> asked_hash;
        std::string film_hash;  // set when the mode is done
        std::string error;      // of a renderer that failed; it gets no more turns

        [[nodiscard]] bool is_done() const { return !error.empty() || !film_hash.empty(); }

        // Over its own turns; 0 before the first one ends.
        [[nodiscard]] double rays_per_s() const {
            return elapsed_s > 0 ? static_cast<double>(rays) / elapsed_s : 0;
        }
    };

    // Restarts with this job (its mode is ignored) and this many samples.
    void begin(const live::LiveJob& job,
               const live::LiveView& view,
               u32 samples_per_pixel,
               u32 thread_count);
    // Sets the exposure and view transform of the pictures.
    void set_view(const live::LiveView& view);

    // Stops rendering; the pictures stay.
    void stop();
    // Frees the memory of all renderers, each once it has finished its current work.
    void forget();

    // Call once per frame while is_running().
    void step(double now_s);

    [[nodiscard]] bool is_running() const { return is_running_; }

    // Whether a run is under way or its pictures exist.
    [[nodiscard]] bool has_begun() const { return is_running_ || variants_[0].live != nullptr; }

    [[nodiscard]] const std::array<Variant, kComparedModes>& variants() const { return variants_; }

    // The job of begin(); empty after forget().
    [[nodiscard]] const live::LiveJob& job() const { return job_; }

    // The mode that renders now.
    [[nodiscard]] std::optional<u32> turn() const { return turn_; }

    // Whether the keyed and unkeyed films are the same bits; nothing until both are done.
    [[nodiscard]] std::optional<bool> are_bits_same() const;

private:
    void follow(Variant& variant);
    void begin_turn(u32 index);
    [[nodiscard]] bool is_turn_over(Variant& variant, double now_s);

    std::array<Variant, kComparedModes> variants_;
    live::LiveJob job_;
    live::LiveView view_;
    u32 thread_count_ = 0;
    bool is_running_ = false;
    std::optional<u32> turn_;
    double turn_began_s_ = -1;               // below 0: the renderer still prepares
    bool is_pausing_ = false;                // the turn ends once its renderer has paused
    std::vector<std::future<void>> ending_;  // of discarded renderers
};

}  // namespace weft::app
