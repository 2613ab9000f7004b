#include "engine/scene/model/texels.h"

#include <algorithm>
#include <utility>

namespace weft::scene {

Texels Texels::like(const Texels& former) {
    Texels texels(former.memory_);
    texels.file_ = former.file_;
    return texels;
}

bool Texels::shares_with(const Texels& other) const {
    return file_ ? file_ == other.file_ && size_ == other.size_
                 : !other.file_ && arena_.shares_with(other.arena_);
}

bool operator==(const Texels& a, const Texels& b) {
    return a.shares_with(b) || std::equal(a.begin(), a.end(), b.begin(), b.end());
}

base::Status Texels::append(std::span<const u32> words) {
    if (!file_ && fits(size() + words.size())) {
        std::vector<u32>& items = arena_.own(words.size());
        items.insert(items.end(), words.begin(), words.end());
        return base::Done{};
    }
    Texels grown = *this;
    if (!file_) {
        WEFT_TRY(grown.move_to_file());
    }
    base::Result<bool> is_put = grown.file_->append(grown.size_, words);
    WEFT_TRY(is_put);
    if (!is_put.value()) {
        // Other copies of the scene put other words there: go on in a file of its own.
        WEFT_TRY(grown.move_to_file());
        is_put = grown.file_->append(grown.size_, words);
        WEFT_TRY(is_put);
    }
    grown.size_ += words.size();
    *this = std::move(grown);
    return base::Done{};
}

base::Status Texels::append_from(const Texels& other, std::size_t first, std::size_t count) {
    if (file_ && file_ == other.file_ && first == size_ && first + count <= other.size_) {
        size_ += count;
        return base::Done{};
    }
    return append({other.data() + first, count});
}

base::Status Texels::move_to_file() {
    const u64 held_bytes = file_ ? 0 : u64{size()} * sizeof(u32);
    base::Result<std::shared_ptr<TexelFile>> made = TexelFile::make(memory_, held_bytes);
    WEFT_TRY(made);
    const std::size_t count = size();
    WEFT_TRY(made.value()->append(0, {data(), count}));
    file_ = std::move(made.value());
    size_ = count;
    arena_ = {};
    return base::Done{};
}

base::Status Texels::reserve(std::size_t count) {
    if (!file_ && !fits(count)) {
        return move_to_file();
    }
    if (!file_) {
        arena_.reserve(count);
    }
    return base::Done{};
}

u64 Texels::left_of_budget() const {
    const u64 held_bytes = file_ ? 0 : u64{size()} * sizeof(u32);
    return memory_.bytes == 0 ? ~u64{0} : memory_.bytes - std::min(memory_.bytes, held_bytes);
}

TexelFigures Texels::figures() const {
    TexelFigures figures;
    figures.bytes = u64{size()} * sizeof(u32);
    figures.budget_bytes = memory_.bytes;
    figures.resident_bytes = figures.bytes;
    if (file_) {
        const BoundedMapping::Figures mapping = file_->figures();
        figures.resident_bytes = mapping.open_bytes;
        figures.let_go = mapping.closed;
        figures.let_go_bytes = mapping.closed * mapping.chunk_bytes;
    }
    return figures;
}

}  // namespace weft::scene
