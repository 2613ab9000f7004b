#include "app/view/panels/panel_heat.h"

#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/render_link.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr const char* kColumnNames[kHeatColumns] = {
    "Name", "Time", "Lanes active", "Fibres queued", "Node visits", "Lanes wasted"};

// Stays in the line of the last widget if a button of this name fits there; else starts a new line.
void go_beside(const char* name, float gap) {
    const float width = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x +
                        ImGui::CalcTextSize(name).x;
    const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    if (ImGui::GetItemRectMax().x + gap + width <= end) {
        ImGui::SameLine(0, gap);
    }
}

bool choice(Ui& ui, const char* name, bool is_chosen, bool is_first) {
    go_beside(name, is_first ? ImGui::GetFontSize() * 1.2F : ImGui::GetStyle().ItemSpacing.x);
    const bool is_clicked = ImGui::RadioButton(name, is_chosen);
    ui.marks.mark(std::string("Heat/") + name);
    return is_clicked;
}

void draw_choices(RenderLink& link, Ui& ui, HeatCount& heat) {
    bool is_on = heat.is_on;
    if (ImGui::Checkbox("Count", &is_on)) {
        count_heat(link, ui, heat, is_on);
    }
    ui.marks.mark("Heat/Count");
    go_beside("On the picture", ImGui::GetStyle().ItemSpacing.x);
    ImGui::Checkbox("On the picture", &heat.is_over_picture);
    ui.marks.mark("Heat/On the picture");
    for (const HeatMetric metric : kHeatMetrics) {
        const bool is_first = metric == kHeatMetrics[0];
        if (choice(ui, heat_metric_name(metric), heat.metric == metric, is_first)) {
            heat.metric = metric;
        }
    }
    for (const auto& [name, by] : {std::pair{"Keys", HeatBy::Key},
                                   std::pair{"Meshes", HeatBy::Mesh},
                                   std::pair{"Materials", HeatBy::Material}}) {
        if (choice(ui, name, heat.by == by, by == HeatBy::Key)) {
            heat.by = by;
        }
    }
}

// Draws a bar behind the number: a widget would push its neighbours' text down.
void draw_share(double share) {
    ImGui::TableNextColumn();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x * static_cast<float>(share);
    ImGui::GetWindowDrawList()->AddRectFilled(
        low,
        ImVec2(low.x + width, low.y + ImGui::GetTextLineHeight()),
        ImGui::ColorConvertFloat4ToU32(ImVec4(kAccent.x, kAccent.y, kAccent.z, 0.55F)),
        2);
    ImGui::TextUnformatted(fmt::format("{:.1f} %", 100 * share).c_str());
}

void draw_text(const std::string& text) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
}

}  // namespace

// Lists the lines again if the counters or the choice changed.
void HeatPanel::follow_heat(const RenderLink& link, const HeatCount& heat) {
    const HeatInputs wanted = {heat.watch.version(), HeatMetric::Time, heat.by, true};
    if (listed_ == wanted || heat.watch.heat().map == nullptr) {
        return;
    }
    listed_ = wanted;
    const auto group =
        heat.by == HeatBy::Material ? trace::HeatGroup::Material : trace::HeatGroup::Mesh;
    lines_ = heat_lines(*heat.watch.heat().scene,
                        trace::heat_rows(*heat.watch.heat().map, heat.watch.heat().figures, group),
                        group);
    sort_lines(lines_, column_, is_descending_);
    const auto devices = link.live->figures().devices;
    lanes_ = devices.empty() ? 16 : devices.front().lane_count;
}

void HeatPanel::follow_order() {
    ImGuiTableSortSpecs* const order = ImGui::TableGetSortSpecs();
    if (order != nullptr && order->SpecsDirty && order->SpecsCount > 0) {
        column_ = static_cast<HeatColumn>(order->Specs[0].ColumnIndex);
        is_descending_ = order->Specs[0].SortDirection == ImGuiSortDirection_Descending;
        sort_lines(lines_, column_, is_descending_);
        order->SpecsDirty = false;
    }
}

void HeatPanel::draw_line(const HeatCount& heat, const HeatLine& line) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool is_selected = !line.path.empty() && selection_.path == line.path;
    const bool is_clicked =
        ImGui::Selectable(line.name.c_str(), is_selected, ImGuiSelectableFlags_SpanAllColumns);
    ui_.marks.mark("Heat/" + line.name);
    if (is_clicked && !line.path.empty()) {
        select_path(session_, selection_, line.path, line.row.instance);
        const scene::Scene& counted = *heat.watch.heat().scene;
        prefer_material(session_, selection_, counted.instances[line.row.instance].material);
        ui_.say(heat_sentence(line, lanes_));
    }
    draw_share(line.row.share);
    draw_text(fmt::format("{:.1f} / {}", line.occupancy() * lanes_, lanes_));
    draw_text(heat_text(static_cast<double>(line.row.sum.fibres), HeatMetric::Fibres));
    draw_text(heat_text(static_cast<double>(line.row.sum.visits), HeatMetric::Visits));
    draw_text(heat_text(static_cast<double>(line.row.sum.lanes_wasted()), HeatMetric::Wasted));
}

void HeatPanel::draw_table(const HeatCount& heat) {
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg |
                                       ImGuiTableFlags_ScrollY | ImGuiTableFlags_PadOuterX |
                                       ImGuiTableFlags_SizingStretchProp;
    if (!ImGui::BeginTable("heat", kHeatColumns, kFlags)) {
        return;
    }
    for (u32 k = 0; k < kHeatColumns; ++k) {
        const bool is_first = k == static_cast<u32>(HeatColumn::Share);
        ImGui::TableSetupColumn(kColumnNames[k],
                                (k == 0 ? ImGuiTableColumnFlags_PreferSortAscending
                                        : ImGuiTableColumnFlags_PreferSortDescending) |
                                    (is_first ? ImGuiTableColumnFlags_DefaultSort : 0),
                                k < 2 ? 2.0F : 1.0F);
    }
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    follow_order();
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        ImGui::PushID(static_cast<int>(k));
        draw_line(heat, lines_[k]);
        ImGui::PopID();
    }
    ImGui::EndTable();
}

void HeatPanel::draw(RenderLink& link, HeatCount& heat) {
    draw_choices(link, ui_, heat);
    if (!heat.is_on) {
        faint_text(
            "Counts what the keys of the tree, the meshes and the materials cost. The picture "
            "stays "
            "the same bit by bit; it takes about a third longer.");
        return;
    }
    follow_heat(link, heat);
    if (link.settings.integrator.mode != trace::SchedulerMode::Keyed) {
        faint_text("Rays have keys in the keyed mode alone: this table separates only shading.");
    }
    if (heat.watch.heat().map == nullptr) {
        faint_text("Nothing is counted yet.");
        return;
    }
    draw_table(heat);
}

}  // namespace weft::app
