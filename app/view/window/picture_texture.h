// picture_texture.h — an 8-bit picture as an OpenGL texture that ImGui draws.
//
// A picture smaller than its frame is filtered smoothly; one at full size is shown pixel by pixel.
// Interface thread only, while the window's context lives.
#pragma once

#include <span>

#include <imgui.h>

#include "scheduler/base/ids.h"

namespace weft::app {

class PictureTexture {
public:
    PictureTexture() = default;
    ~PictureTexture();
    PictureTexture(const PictureTexture&) = delete;
    PictureTexture& operator=(const PictureTexture&) = delete;

    // 4 bytes per pixel, top row first.
    void upload(u32 width, u32 height, std::span<const u8> rgba, bool is_smooth);

    // Chooses the filter for the next draw. `scale` is in screen pixels per picture pixel: nearest
    // if it is large, mipmaps if it is small.
    void show_at(float scale) const;

    [[nodiscard]] bool is_empty() const { return width_ == 0; }

    [[nodiscard]] u32 width() const { return width_; }

    [[nodiscard]] u32 height() const { return height_; }

    [[nodiscard]] ImTextureID id() const;

    // How often any texture's content has changed.
    [[nodiscard]] static u64 uploads();

private:
    unsigned name_ = 0;
    u32 width_ = 0;
    u32 height_ = 0;
    bool is_smooth_ = false;
    mutable bool has_mips_ = false;  // of the last uploaded picture
};

}  // namespace weft::app
