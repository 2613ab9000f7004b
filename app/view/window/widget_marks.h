// widget_marks.h — the rectangle of each named widget in the last frame, so that a script can click
// on it by name.
//
// Names are "Panel/Label". Code that draws a widget marks it right after; the marks of the previous
// frame stay readable until the current frame ends. Interface thread only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <imgui.h>

namespace weft::app {

struct MarkedPlace {
    ImVec2 low;
    ImVec2 high;

    [[nodiscard]] ImVec2 middle() const { return {(low.x + high.x) / 2, (low.y + high.y) / 2}; }
};

class WidgetMarks {
public:
    // Names the widget that was drawn last, if it is visible.
    void mark(std::string name) {
        if (ImGui::IsItemVisible()) {
            mark(std::move(name), {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()});
        }
    }

    void mark(std::string name, const MarkedPlace& place) {
        drawing_.insert_or_assign(std::move(name), place);
    }

    [[nodiscard]] std::optional<MarkedPlace> find(const std::string& name) const {
        const auto found = drawn_.find(name);
        return found == drawn_.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] const std::map<std::string, MarkedPlace>& all() const { return drawn_; }

    // Call after each frame.
    void end_frame() {
        drawn_.swap(drawing_);
        drawing_.clear();
    }

private:
    std::map<std::string, MarkedPlace> drawing_;
    std::map<std::string, MarkedPlace> drawn_;
};

}  // namespace weft::app
