// guide.h — makes the guide of cosine lobes (shaders/host/guide_view.h) from what pilots tell.
//
// A pure function of the set of records: their order, and so the schedule of the pilot, does not
// count.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "scheduler/base/result.h"
#include "shaders/host/guide_view.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

// Light that came back to a vertex of a pilot's path, weighted so that its mean over draws of the
// bin is the mean radiance from there.
struct GuideRecord {
    float position[3];
    // Its low bits are shaders::GuideVertex::bin (kGuideNoKey: the path has no more); make_guide()
    // keeps the record's cell in the others.
    u32 bin;
    float light;
};

// The records of a pilot's rounds. Any thread may add; one thread calls the others, while none
// adds.
class GuideLog {
public:
    GuideLog() = default;
    GuideLog(const GuideLog&) = delete;
    GuideLog& operator=(const GuideLog&) = delete;
    ~GuideLog();

    // Takes memory for `count` records, which the caller has claimed: the log never holds more.
    // Call it once, before any record is added. Pages that no record has touched are pledged.
    void reserve(u64 count);

    // `records`: kMostGuideVertices of each of `count` paths.
    void add(const GuideRecord* records, u64 count);

    [[nodiscard]] std::span<GuideRecord> records() { return records_; }

    // Keeps the memory.
    void clear() { records_.clear(); }

private:
    std::mutex mutex_;
    std::vector<GuideRecord> records_;
    u64 untouched_ = 0;  // records of the memory that was reserved
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

// Empty where they are too few. Changes the order of the records, so that no copy is needed. Error
// (kind TooLarge): the guide does not fit into memory.
base::Result<Guide> make_guide(std::span<GuideRecord> records);

}  // namespace weft::trace
