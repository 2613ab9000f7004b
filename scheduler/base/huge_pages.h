// huge_pages.h — large arrays on transparent huge pages, sized once.
//
// BVH nodes, rays and lists are read in random order; with 4 KiB pages, page-table walks cost 12 to
// 22 % of a render of 8 M triangles (measured). The kernel zeroes the memory, and the destructor
// unmaps it. An array has one owner; the caller synchronises access to elements.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace weft::base {

// Returns `size_bytes` of zeroed memory, aligned to 64 B, or nullptr if none is left.
void* allocate_pages(std::size_t size_bytes);
void release_pages(void* memory, std::size_t size_bytes);

// A fixed-size array of trivial elements. Empty if allocation failed: check is_allocated().
template <typename T>
class PageArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    PageArray() = default;

    explicit PageArray(std::size_t count)
        : elements_(static_cast<T*>(count ? allocate_pages(count * sizeof(T)) : nullptr)),
          count_(elements_ ? count : 0) {}

    PageArray(PageArray&& other) noexcept
        : elements_(std::exchange(other.elements_, nullptr)),
          count_(std::exchange(other.count_, 0)) {}

    PageArray& operator=(PageArray&& other) noexcept {
        std::swap(elements_, other.elements_);
        std::swap(count_, other.count_);
        return *this;
    }

    PageArray(const PageArray&) = delete;
    PageArray& operator=(const PageArray&) = delete;

    ~PageArray() {
        if (elements_) {
            release_pages(elements_, count_ * sizeof(T));
        }
    }

    [[nodiscard]] bool is_allocated() const { return elements_ != nullptr; }

    [[nodiscard]] std::size_t size() const { return count_; }

    [[nodiscard]] std::size_t size_bytes() const { return count_ * sizeof(T); }

    [[nodiscard]] T* data() { return elements_; }

    [[nodiscard]] const T* data() const { return elements_; }

    T& operator[](std::size_t index) { return elements_[index]; }

    const T& operator[](std::size_t index) const { return elements_[index]; }

    [[nodiscard]] std::span<T> span() { return {elements_, count_}; }

    [[nodiscard]] std::span<const T> span() const { return {elements_, count_}; }

private:
    T* elements_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace weft::base
