// guide.h — makes the guide of cosine lobes (shaders/host/guide_view.h) from what pilots tell.
//
// A pure function of the set of records: their order, and so the schedule of the pilot, does not
// count.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "shaders/host/guide_view.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

// Light that came back to a vertex of a pilot's path, weighted so that its mean over draws of the
// bin is the mean radiance from there.
struct GuideRecord {
    float position[3];
    u32 bin;  // as in shaders::GuideVertex; kGuideNoKey: the path has no more
    float light;
};

// The records of a pilot. Any thread may add.
class GuideLog {
public:
    // `records`: kMostGuideVertices of each of `count` paths.
    void add(const GuideRecord* records, u64 count);

    // Once all paths are added.
    [[nodiscard]] std::vector<GuideRecord> take();

private:
    std::mutex mutex_;
    std::vector<GuideRecord> records_;
};

struct Guide {
    std::vector<shaders::GuideSlot> slots;  // a power of two
    std::vector<shaders::GuideTable> tables;
    float low[3] = {};  // corner of the cube, metres
    float cells_per_m = 0;

    [[nodiscard]] bool is_empty() const { return tables.empty(); }

    [[nodiscard]] u64 bytes() const {
        return slots.size() * sizeof(shaders::GuideSlot) +
               tables.size() * sizeof(shaders::GuideTable);
    }
};

// Points a view at a guide, whose arrays may be copies on a device.
void point_at(const Guide& guide,
              const shaders::GuideSlot* slots,
              const shaders::GuideTable* tables,
              shaders::SceneView& view);

// Empty where they are too few.
Guide make_guide(std::span<const GuideRecord> records);

}  // namespace weft::trace
