// recorded_words.h — records the words of the texel arena that kernels of the device ask for, as
// tiles of one word.
#pragma once

#include <array>
#include <vector>

#include "shaders/host/local_texels.h"
#include "shaders/host/scene_view.h"

namespace weft::tests {

class RecordedWords {
public:
    // The arena must outlive this.
    explicit RecordedWords(const u32* arena) : arena_(arena) {}

    RecordedWords(const RecordedWords&) = delete;
    RecordedWords& operator=(const RecordedWords&) = delete;

    // The same scene, whose texels kernels can reach through this alone.
    shaders::SceneView watched(const shaders::SceneView& scene) {
        shaders::SceneView view = scene;
        view.texels = nullptr;
        view.local_texels = &texels_;
        return view;
    }

    // In order; one that follows itself is there once.
    [[nodiscard]] const std::vector<u32>& words() const { return words_; }

    // Words read, by lane.
    [[nodiscard]] u64 reads() const { return texels_.reads; }

private:
    // Every word comes into one place, so a kernel that keeps an address of the word before fails.
    static const u32* bring(void* context, u32 word) {
        auto& self = *static_cast<RecordedWords*>(context);
        self.words_.push_back(word);
        self.place_ = self.arena_[word];
        return &self.place_;
    }

    const u32* arena_;
    std::vector<u32> words_;
    u32 place_ = 0;
    shaders::LocalTexels texels_{.bring = bring, .context = this, .tile_shift = 0};
};

}  // namespace weft::tests
