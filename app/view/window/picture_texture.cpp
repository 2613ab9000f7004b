#include "app/view/window/picture_texture.h"

#include <cstdint>

#include <GLFW/glfw3.h>

#include "scheduler/base/ensure.h"

namespace weft::app {

namespace {

constexpr float kSmallScale = 0.7F;
constexpr float kLargeScale = 2;
constexpr GLint kClampToEdge = 0x812F;  // from OpenGL 1.2; the header has 1.1

u64 upload_count = 0;

}  // namespace

PictureTexture::~PictureTexture() {
    if (name_ != 0) {
        glDeleteTextures(1, &name_);
    }
}

void PictureTexture::upload(u32 width, u32 height, std::span<const u8> rgba, bool is_smooth) {
    ENSURE(rgba.size(), ==, std::size_t{4} * width * height);
    ++upload_count;
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
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, is_smooth ? GL_LINEAR : GL_NEAREST);
    width_ = width;
    height_ = height;
    is_smooth_ = is_smooth;
    has_mips_ = false;
}

void PictureTexture::show_at(float scale) const {
    using GenerateMipmap = void (*)(GLenum);
    static const auto kGenerateMipmap =
        reinterpret_cast<GenerateMipmap>(glfwGetProcAddress("glGenerateMipmap"));
    glBindTexture(GL_TEXTURE_2D, name_);
    const bool is_small = scale < kSmallScale && kGenerateMipmap != nullptr;
    if (is_small && !has_mips_) {
        kGenerateMipmap(GL_TEXTURE_2D);
        has_mips_ = true;
    }
    // Between these scales nearest filtering would show stripes of unequal pixels.
    const bool is_between = scale > 1.001F && scale < kLargeScale;
    glTexParameteri(
        GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, is_small ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    glTexParameteri(
        GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, is_smooth_ || is_between ? GL_LINEAR : GL_NEAREST);
}

u64 PictureTexture::uploads() {
    return upload_count;
}

ImTextureID PictureTexture::id() const {
    static_assert(sizeof(ImTextureID) == sizeof(std::uintptr_t));
    return reinterpret_cast<ImTextureID>(std::uintptr_t{name_});
}

}  // namespace weft::app
