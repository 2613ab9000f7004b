// interleaved.h — frames of several contenders in turn, so that whatever else the machine does
// meets all of them alike.
//
// A contender has `row`, with `repeats`, `seconds` and `variant`, and the list of its seconds. The
// thread that calls it renders.
#pragma once

#include <utility>
#include <vector>

#include "engine/bench/ray_bench.h"
#include "scheduler/base/result.h"

namespace weft::bench {

template <typename Row>
struct FrameContender {
    Row row;
    std::vector<double> seconds;
};

// Calls `render` for each contender, `config.repeats` times in turn, until config.is_stopped().
// Returns the rows of those that have a frame. Error: the first one of `render`.
template <typename Row, typename Config, typename Render>
base::Result<std::vector<Row>> interleaved_rows(std::vector<FrameContender<Row>> contenders,
                                                const Config& config,
                                                const Render& render) {
    bool is_stopped = false;
    for (u32 repeat = 0; repeat < config.repeats && !is_stopped; ++repeat) {
        for (FrameContender<Row>& contender : contenders) {
            is_stopped = is_stopped || (config.is_stopped && config.is_stopped());
            if (is_stopped) {
                break;
            }
            if (config.on_frame) {
                config.on_frame(contender.row.variant, repeat);
            }
            WEFT_TRY(render(contender));
        }
    }
    std::vector<Row> rows;
    for (FrameContender<Row>& contender : contenders) {
        if (contender.row.repeats != 0) {
            contender.row.seconds = Spread::of(std::move(contender.seconds));
            rows.push_back(std::move(contender.row));
        }
    }
    return rows;
}

}  // namespace weft::bench
