// shown_filter.h — which filter makes the pictures of a frame, fast or quality.
//
// The fast filter makes pictures that follow each other soon. Once the frame has rested, the
// quality filter (quality_filter.h) makes one whenever quality_pace.h says so, and at last one of
// all samples. Its picture stays until it makes the next, for a fast picture would be a step back:
//
//     fast, fast … ── due ──► quality ── stays while samples come ──► quality … ──► the last
//
// A filter runs while the frame stands still, and ends as soon as the frame has something else to
// do. The calls are those of ShownFrame, by the same threads.
#pragma once

#include <functional>

#include "engine/frame/frame_watcher.h"
#include "engine/live/live_filter.h"
#include "engine/live/quality_filter.h"
#include "engine/live/quality_pace.h"
#include "engine/live/shown_light.h"
#include "engine/live/shown_picture.h"
#include "scheduler/base/clock.h"

namespace weft::live {

class ShownFilter {
public:
    // Both outlive the frame's tasks.
    ShownFilter(const film::Film& film, LiveFilter& fast) : film_(film), fast_(fast) {}

    // Without it pictures are filtered fast only. `quality` outlives the frame's tasks.
    void use_quality(QualityFilter& quality, shaders::Isa isa);

    // Between runs: whether the next one may take the time for the quality filter.
    void allow_quality(bool is_allowed) { is_allowed_ = is_allowed; }

    void set_view(const LiveView& view);

    // Pictures are denoised.
    [[nodiscard]] bool is_wanted() const { return wanted_ != LiveDenoise::Off; }

    // What made the filtered light; Off: nothing.
    [[nodiscard]] LiveDenoise made_by() const { return made_by_; }

    // The filtered light is what the view wants, or that of the fast filter.
    [[nodiscard]] bool is_of_wanted() const {
        return made_by_ == LiveDenoise::Fast || keeps_quality();
    }

    // The filtered light is the quality filter's, and stays until its next.
    [[nodiscard]] bool keeps_quality() const;
    // Whether a picture of the generation is to be made by the quality filter.
    [[nodiscard]] bool is_quality_due(const frame::Generation& generation) const;

    // The filtered light is that of the quality filter with so many samples.
    [[nodiscard]] bool has_quality_of(u32 samples) const {
        return made_by_ == LiveDenoise::Quality && pace_.samples() >= samples;
    }

    // Before run().
    void begin(const frame::Generation& generation);
    // Until the next begin(): whether the quality filter is due. Returns what it was.
    bool set_due(bool is_due);
    // Writes the filtered light. False: given up because `should_stop` said so; called again, it
    // does not begin the quality filter once more where other pictures follow.
    bool run(ShownLight& light, const std::function<bool()>& should_stop);

private:
    QualityFilter::Ended run_quality(ShownLight& light, const std::function<bool()>& should_stop);

    const film::Film& film_;
    LiveFilter& fast_;
    QualityFilter* maybe_quality_ = nullptr;
    shaders::Isa isa_ = shaders::best_isa();  // of the quality filter
    LiveDenoise wanted_ = LiveDenoise::Off;
    LiveDenoise made_by_ = LiveDenoise::Off;
    const base::Clock::time_point born_ = base::Clock::now();
    QualityPace pace_;
    frame::Generation generation_;
    bool is_allowed_ = true;
    bool is_refused_ = false;  // the quality filter cannot take this film
    bool is_due_ = false;
    bool is_stopped_ = false;  // the quality filter, in this picture
};

}  // namespace weft::live
