// texels.h — the words of all mip levels of a scene, in memory or, beyond a budget, in a file.
//
// A growing array, whose copies share memory. Words never change once they are appended. Without a
// budget, or as long as they fit into it, they lie in an arena. The append that would exceed the
// budget moves them all into a TexelFile, where they stay: readers see flat memory either way.
// Copies may be used on different threads; one copy follows std::vector's rules.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "engine/scene/model/arena.h"
#include "engine/scene/model/texel_file.h"

namespace weft::scene {

struct TexelFigures {
    u64 bytes = 0;           // of all texels
    u64 budget_bytes = 0;    // 0: none
    u64 resident_bytes = 0;  // at most, now
    u64 let_go = 0;          // how often a chunk of the file left memory
    u64 let_go_bytes = 0;    // of those
};

class Texels {
public:
    using value_type = u32;

    Texels() = default;

    explicit Texels(TextureMemory memory) : memory_(std::move(memory)) {}

    Texels(std::vector<u32> words)  // NOLINT(google-explicit-constructor)
        : arena_(std::move(words)) {}

    Texels(std::initializer_list<u32> words) : arena_(words) {}

    // Empty, with the same budget; what is appended as it stands in `former` takes no more room
    // in the file.
    static Texels like(const Texels& former);

    [[nodiscard]] std::size_t size() const { return file_ ? size_ : arena_.size(); }

    [[nodiscard]] bool empty() const { return size() == 0; }

    // Valid until this copy is changed or destroyed. Not for system calls (bounded_mapping.h).
    [[nodiscard]] const u32* data() const { return file_ ? file_->words() : arena_.data(); }

    [[nodiscard]] const u32* begin() const { return data(); }

    [[nodiscard]] const u32* end() const { return data() + size(); }

    [[nodiscard]] const u32& operator[](std::size_t index) const { return data()[index]; }

    // Whether both read the same words in the same memory.
    [[nodiscard]] bool shares_with(const Texels& other) const;

    friend bool operator==(const Texels& a, const Texels& b);

    // Errors: as of TexelFile::make and append; then nothing has changed.
    base::Status append(std::span<const u32> words);
    // The same with words of another scene.
    base::Status append_from(const Texels& other, std::size_t first, std::size_t count);

    // Makes room for this many words in all; if the budget does not hold them, in the file. Errors:
    // as of append.
    base::Status reserve(std::size_t count);

    // Bytes that may still come into memory before the budget is used up; all where there is none.
    [[nodiscard]] u64 left_of_budget() const;

    // The file that holds the texels; null where they are in memory.
    [[nodiscard]] const TexelFile* maybe_file() const { return file_.get(); }

    [[nodiscard]] TexelFigures figures() const;

private:
    [[nodiscard]] bool fits(std::size_t count) const {
        return memory_.bytes == 0 || count * sizeof(u32) <= memory_.bytes;
    }

    base::Status move_to_file();

    TextureMemory memory_;
    Arena<u32> arena_;                 // empty where there is a file
    std::shared_ptr<TexelFile> file_;  // the first size_ words of it
    std::size_t size_ = 0;
};

}  // namespace weft::scene
