#include "engine/live/shown_filter.h"

#include <utility>

namespace weft::live {

void ShownFilter::use_quality(QualityFilter& quality, shaders::Isa isa) {
    maybe_quality_ = &quality;
    isa_ = isa;
}

// False colours and layers show what the film holds.
void ShownFilter::set_view(const LiveView& view) {
    const bool is_plain = view.layer || view.has_false_colours || !LiveFilter::can_filter(film_);
    wanted_ = is_plain ? LiveDenoise::Off : view.denoise;
}

bool ShownFilter::keeps_quality() const {
    return made_by_ == LiveDenoise::Quality && wanted_ == LiveDenoise::Quality && !is_refused_;
}

// The last picture is always worth it. A single sample has no second half.
bool ShownFilter::is_quality_due(const frame::Generation& generation) const {
    const bool is_wanted = maybe_quality_ && wanted_ == LiveDenoise::Quality && !is_refused_;
    if (!is_wanted || !is_allowed_ || generation.step_log2 > 0 || generation.samples < 2) {
        return false;
    }
    const film::Region crop = film_.crop();
    const double expected_s = maybe_quality_->expected_s(u64{crop.width()} * crop.height());
    return generation.is_last || pace_.is_due(generation.samples,
                                              generation.is_of_attended,
                                              expected_s,
                                              base::seconds_since(born_));
}

void ShownFilter::begin(const frame::Generation& generation) {
    generation_ = generation;
    is_due_ = is_quality_due(generation);
    is_stopped_ = false;
}

bool ShownFilter::set_due(bool is_due) {
    return std::exchange(is_due_, is_due);
}

bool ShownFilter::run(ShownLight& light, const std::function<bool()>& should_stop) {
    if (is_due_ && is_allowed_ && (!is_stopped_ || generation_.is_last)) {
        const QualityFilter::Ended ended = run_quality(light, should_stop);
        if (ended != QualityFilter::Ended::Refused) {
            return ended == QualityFilter::Ended::Done;
        }
    }
    if (keeps_quality()) {
        return true;
    }
    const bool is_whole = fast_.run(light.means(), light.filtered(), should_stop);
    made_by_ = is_whole ? LiveDenoise::Fast : LiveDenoise::Off;
    pace_.lose();
    return is_whole;
}

QualityFilter::Ended ShownFilter::run_quality(ShownLight& light,
                                              const std::function<bool()>& should_stop) {
    const base::Clock::time_point begin = base::Clock::now();
    const QualityFilter::Ended ended =
        maybe_quality_->run(film_, isa_, light.filtered(), should_stop);
    pace_.spend(base::seconds_since(begin));
    is_stopped_ = ended == QualityFilter::Ended::Stopped;
    is_refused_ = ended == QualityFilter::Ended::Refused;
    if (ended == QualityFilter::Ended::Done) {
        made_by_ = LiveDenoise::Quality;
        pace_.show(generation_.samples);
    }
    return ended;
}

}  // namespace weft::live
