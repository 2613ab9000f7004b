// picture_texture.h — an 8-bit picture as an OpenGL texture that ImGui draws.
//
// A smaller picture is stretched smoothly, one at full size shown pixel by pixel. Interface thread
// only, while the window's context lives.
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

    // It is drawn so large next, in pixels of the screen for each of its own: pixels are seen as
    // such where they are large, and none is left out where they are small.
    void show_at(float scale) const;

    [[nodiscard]] bool is_empty() const { return width_ == 0; }

    [[nodiscard]] u32 width() const { return width_; }

    [[nodiscard]] u32 height() const { return height_; }

    [[nodiscard]] ImTextureID id() const;

private:
    unsigned name_ = 0;
    u32 width_ = 0;
    u32 height_ = 0;
    bool is_smooth_ = false;
    mutable bool has_mips_ = false;  // of the picture uploaded last
};

}  // namespace weft::app
