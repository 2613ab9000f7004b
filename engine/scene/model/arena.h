// arena.h — an array that copies share until one of them is changed.
//
// Copying a Scene copies no geometry: copies point to one block, which counts them. Reading is as
// with std::vector. The first access that could change a shared array copies it first. Importers,
// which never share, pay one load and one compare for each such access; loops should call own()
// once. Different copies may be used on different threads; one copy follows std::vector's rules.
//
// Arenas of triangles and vertices lie in the scene's GeometryFile where it has one: so do their
// copies, and whatever is assigned to them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/scene/model/geometry_allocator.h"
#include "scheduler/base/ids.h"

namespace weft::scene {

template <typename T, typename Items = std::vector<T>>
class Arena {
public:
    using value_type = T;
    using Allocator = typename Items::allocator_type;
    using iterator = T*;
    using const_iterator = const T*;

    Arena() = default;

    Arena(Items items)  // NOLINT(google-explicit-constructor)
        : block_(new Block{{1}, std::move(items)}) {}

    Arena(std::initializer_list<T> items) : Arena(Items(items)) {}

    // Items of another kind of vector are copied.
    template <typename Others>

    requires(!std::is_same_v<Items, Others> && std::is_same_v<std::vector<T>, Others>)
        Arena(const Others& items)  // NOLINT(google-explicit-constructor)
        : Arena(Items(items.begin(), items.end())) {}

    // An empty one.
    explicit Arena(const Allocator& allocator) : Arena(Items(allocator)) {}

    Arena(const Arena& other) : block_(other.block_) { block_->keep(); }

    Arena(Arena&& other) noexcept : block_(std::exchange(other.block_, &nothing_)) {}

    Arena& operator=(Arena other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }

    ~Arena() { block_->release(); }

    // Reading. References stay valid until this copy is changed or destroyed.
    [[nodiscard]] const Items& items() const { return block_->items; }

    [[nodiscard]] Allocator allocator() const { return items().get_allocator(); }

    [[nodiscard]] std::size_t size() const { return items().size(); }

    [[nodiscard]] bool empty() const { return items().empty(); }

    [[nodiscard]] const T* data() const { return items().data(); }

    [[nodiscard]] const T* begin() const { return data(); }

    [[nodiscard]] const T* end() const { return data() + size(); }

    [[nodiscard]] const T& operator[](std::size_t index) const { return items()[index]; }

    // Throws std::out_of_range where there is no such item.
    [[nodiscard]] const T& at(std::size_t index) const { return items().at(index); }

    [[nodiscard]] const T& front() const { return items().front(); }

    [[nodiscard]] const T& back() const { return items().back(); }

    // Whether both read the same memory.
    [[nodiscard]] bool shares_with(const Arena& other) const { return block_ == other.block_; }

    // The array for writing, copied first where it is shared, with room for `extra` more items.
    Items& own(std::size_t extra = 0) {
        // Pairs with the release in Block::release: all former readers of the block are done.
        if (block_->owners.load(std::memory_order_acquire) != 1) {
            Items copy(allocator());
            copy.reserve(size() + extra);
            copy.assign(items().begin(), items().end());
            *this = Arena(std::move(copy));
        }
        return block_->items;
    }

    // Changing, as with std::vector.
    T* data() { return own().data(); }

    T* begin() { return own().data(); }

    T* end() { return begin() + size(); }

    T& operator[](std::size_t index) { return own()[index]; }

    T& front() { return own().front(); }

    T& back() { return own().back(); }

    void push_back(T item) { own(1).push_back(std::move(item)); }

    void reserve(std::size_t count) { own().reserve(count); }

    void resize(std::size_t count) { own().resize(count); }

    void resize(std::size_t count, const T& item) { own().resize(count, item); }

    void assign(std::size_t count, const T& item) {
        *this = Arena(Items(count, item, allocator()));
    }

    template <std::input_iterator Iterator>
    void assign(Iterator first, Iterator last) {
        *this = Arena(Items(first, last, allocator()));
    }

    void clear() { *this = Arena(allocator()); }

    // Before `position`, which must be of this arena.
    template <std::forward_iterator Iterator>
    void insert(const T* position, Iterator first, Iterator last) {
        const std::ptrdiff_t at = position - std::as_const(*this).data();
        Items& items = own(static_cast<std::size_t>(std::distance(first, last)));
        items.insert(items.begin() + at, first, last);
    }

    void insert(const T* position, std::initializer_list<T> more) {
        insert(position, more.begin(), more.end());
    }

    friend bool operator==(const Arena& a, const Arena& b) {
        return a.block_ == b.block_ || a.items() == b.items();
    }

    friend bool operator==(const Arena& a, const std::vector<T>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    struct Block {
        std::atomic<u32> owners;
        Items items;

        void keep() {
            if (this != &nothing_) {
                owners.fetch_add(1, std::memory_order_relaxed);  // the caller's copy holds it
            }
        }

        void release() {
            // Pairs with the acquire in own() and with itself: the last owner sees all reads done.
            if (this != &nothing_ && owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                delete this;
            }
        }
    };

    // All empty arenas share this block; its count never falls to 1.
    static inline constinit Block nothing_{{2}, {}};

    Block* block_ = &nothing_;
};

// Of triangles and vertices.
template <typename T>
using GeometryArena = Arena<T, std::vector<T, GeometryAllocator<T>>>;

}  // namespace weft::scene
