#include "app/view/window/drawn_frame.h"

#include <span>
#include <utility>

#include <imgui.h>

namespace weft::app {

namespace {

template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
    const auto added = std::as_bytes(values);
    bytes.insert(bytes.end(), added.begin(), added.end());
}

template <typename T>
void append(std::vector<std::byte>& bytes, const ImVector<T>& values) {
    append(bytes, std::span<const int>(&values.Size, 1));
    append(bytes, std::span<const T>(values.Data, static_cast<std::size_t>(values.Size)));
}

}  // namespace

bool DrawnFrame::take(const ImDrawData& frame, u64 uploads) {
    std::swap(bytes_, before_);
    bytes_.clear();
    append(bytes_, std::span<const u64>(&uploads, 1));
    append(bytes_, std::span<const ImVec2>(&frame.DisplaySize, 1));
    append(bytes_, std::span<const ImVec2>(&frame.FramebufferScale, 1));
    for (int k = 0; k < frame.CmdListsCount; ++k) {
        const ImDrawList& list = *frame.CmdLists[k];
        append(bytes_, list.CmdBuffer);
        append(bytes_, list.IdxBuffer);
        append(bytes_, list.VtxBuffer);
    }
    return bytes_ != before_;
}

}  // namespace weft::app
