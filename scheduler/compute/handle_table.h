// handle_table.h — objects behind counted handles; a stale handle is an error, never a crash (R3).
//
// A handle is a place and its generation. When its count falls to zero, a place moves to the next
// generation, so that old handles are recognised. Users of an object hold the shared pointer from
// find(): releasing the last handle invalidates the name, and the object is destroyed after its
// last user (R12).
//
// Any thread may call anything. Fixed capacity: full is an error.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::compute {

// Tag is the type of what it names, so that a context's handle is no kernel's.
template <typename T>
struct Handle {
    u32 place = kNone;
    u32 generation = 0;

    friend bool operator==(const Handle&, const Handle&) = default;
};

// Objects of one kind since the table was made.
struct HandleCounts {
    u64 created = 0;
    u64 released = 0;  // whose last handle was
};

template <typename T>
class HandleTable {
public:
    // `noun` names an object in errors.
    HandleTable(std::string noun, u32 capacity) : noun_(std::move(noun)), places_(capacity) {}

    // Its count is 1.
    base::Result<Handle<T>> create(std::shared_ptr<T> thing) {
        const std::lock_guard lock(mutex_);
        for (u32 place = 0; place < places_.size(); ++place) {
            Place& p = places_[place];
            if (p.count == 0) {
                p.thing = std::move(thing);
                p.count = 1;
                ++counts_.created;
                return Handle<T>{place, p.generation};
            }
        }
        return error("there is room for " + std::to_string(places_.size()) + " and all are in use");
    }

    base::Status retain(Handle<T> handle) {
        const std::lock_guard lock(mutex_);
        Place* const place = live_place(handle);
        if (!place) {
            return stale(handle);
        }
        ++place->count;
        return base::Done{};
    }

    // The last release makes the handle stale.
    base::Status release(Handle<T> handle) {
        std::shared_ptr<T> last;  // ends after the lock
        const std::lock_guard lock(mutex_);
        Place* const place = live_place(handle);
        if (!place) {
            return stale(handle);
        }
        if (--place->count == 0) {
            ++place->generation;
            ++counts_.released;
            last = std::move(place->thing);
        }
        return base::Done{};
    }

    base::Result<std::shared_ptr<T>> find(Handle<T> handle) const {
        const std::lock_guard lock(mutex_);
        const Place* const place = live_place(handle);
        if (!place) {
            return stale(handle);
        }
        return place->thing;
    }

    // 0: stale.
    [[nodiscard]] u32 count(Handle<T> handle) const {
        const std::lock_guard lock(mutex_);
        const Place* const place = live_place(handle);
        return place ? place->count : 0;
    }

    [[nodiscard]] HandleCounts counts() const {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

    // All that live, by place.
    [[nodiscard]] std::vector<std::pair<Handle<T>, std::shared_ptr<T>>> live() const {
        const std::lock_guard lock(mutex_);
        std::vector<std::pair<Handle<T>, std::shared_ptr<T>>> found;
        for (u32 place = 0; place < places_.size(); ++place) {
            if (places_[place].count > 0) {
                found.emplace_back(Handle<T>{place, places_[place].generation},
                                   places_[place].thing);
            }
        }
        return found;
    }

private:
    struct Place {
        std::shared_ptr<T> thing;
        u32 count = 0;
        u32 generation = 1;
    };

    [[nodiscard]] bool is_live(Handle<T> handle) const {
        return handle.place < places_.size() && places_[handle.place].count > 0 &&
               places_[handle.place].generation == handle.generation;
    }

    Place* live_place(Handle<T> handle) {
        return is_live(handle) ? &places_[handle.place] : nullptr;
    }

    const Place* live_place(Handle<T> handle) const {
        return is_live(handle) ? &places_[handle.place] : nullptr;
    }

    base::Error stale(Handle<T> handle) const {
        if (handle.place >= places_.size()) {
            return error("the handle names none, expected one that was created");
        }
        return error("the handle " + std::to_string(handle.place) + "." +
                     std::to_string(handle.generation) + " is stale: it was released");
    }

    base::Error error(const std::string& what) const {
        return {base::ErrorKind::Render, noun_ + ": " + what};
    }

    std::string noun_;
    mutable std::mutex mutex_;
    HandleCounts counts_;
    std::vector<Place> places_;
};

}  // namespace weft::compute
