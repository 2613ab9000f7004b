#include "app/view/picture_texture.h"

#include <cstdint>

#include <GLFW/glfw3.h>

#include "scheduler/base/ensure.h"

namespace weft::app {

namespace {

constexpr GLint kClampToEdge = 0x812F;  // of OpenGL 1.2; the header has 1.1

}  // namespace

PictureTexture::~PictureTexture() {
    if (name_ != 0) {
        glDeleteTextures(1, &name_);
    }
}

void PictureTexture::upload(u32 width, u32 height, std::span<const u8> rgba, bool is_smooth) {
    ENSURE(rgba.size(), ==, std::size_t{4} * width * height);
    const bool is_new = name_ == 0;
    if (is_new) {
        glGenTextures(1, &name_);
    }
    glBindTexture(GL_TEXTURE_2D, name_);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    const auto columns = static_cast<GLsizei>(width);
    const auto rows = static_cast<GLsizei>(height);
    if (is_new || width != width_ || height != height_) {
        glTexImage2D(
            GL_TEXTURE_2D, 0, GL_RGBA8, columns, rows, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, kClampToEdge);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, kClampToEdge);
    } else {
        glTexSubImage2D(
            GL_TEXTURE_2D, 0, 0, 0, columns, rows, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
    }
    const GLint filter = is_smooth ? GL_LINEAR : GL_NEAREST;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    width_ = width;
    height_ = height;
}

ImTextureID PictureTexture::id() const {
    static_assert(sizeof(ImTextureID) == sizeof(std::uintptr_t));
    return reinterpret_cast<ImTextureID>(std::uintptr_t{name_});
}

}  // namespace weft::app
