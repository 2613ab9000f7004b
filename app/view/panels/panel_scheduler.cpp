#include "app/view/panels/panel_scheduler.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <span>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr double kEvery_s = 0.1;

// A short form such as "12.3 M".
std::string short_number(double value) {
    return value >= 1e9   ? fmt::format("{:.1f} G", value * 1e-9)
           : value >= 1e6 ? fmt::format("{:.1f} M", value * 1e-6)
           : value >= 1e3 ? fmt::format("{:.1f} k", value * 1e-3)
                          : fmt::format("{:.0f}", value);
}

// The first text that fits in a widget of this width, else the last.
const std::string& fitting(std::span<const std::string> texts, float width) {
    const auto found = std::find_if(texts.begin(), texts.end(), [width](const std::string& text) {
        return ImGui::CalcTextSize(text.c_str()).x <= width;
    });
    return found == texts.end() ? texts.back() : *found;
}

// Draws the text inside the bar; at its end ImGui would cut it on the left.
void share_bar(double share, std::span<const std::string> texts) {
    constexpr float kMargin = 4;
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ImVec4(kAccent.x, kAccent.y, kAccent.z, 0.55F));
    ImGui::ProgressBar(static_cast<float>(share), ImVec2(-1, ImGui::GetTextLineHeight()), "");
    ImGui::PopStyleColor();
    ImGui::GetWindowDrawList()->AddText({low.x + kMargin, low.y},
                                        ImGui::GetColorU32(ImGuiCol_Text),
                                        fitting(texts, width - 2 * kMargin).c_str());
}

// All the available width, but at least `least` letter heights.
ImVec2 table_size(float least) {
    return {std::max(ImGui::GetContentRegionAvail().x, least * ImGui::GetFontSize()), 0};
}

void curve(const char* id,
           const std::vector<float>& points,
           float most,
           std::span<const std::string> titles) {
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string& title = fitting(titles, width - 2 * ImGui::GetStyle().FramePadding.x);
    ImGui::PushStyleColor(ImGuiCol_PlotLines, kAccent);
    ImGui::PlotLines(id,
                     points.data(),
                     static_cast<int>(points.size()),
                     0,
                     title.c_str(),
                     0,
                     most,
                     ImVec2(width, ImGui::GetTextLineHeight() * 2.6F));
    ImGui::PopStyleColor();
}

void draw_curves(Ui& ui, const SchedulerHistory& history) {
    const std::vector<float>& rays = history.rays_curve();
    const std::vector<float>& lanes = history.occupancy_curve();
    const float most = rays.empty() ? 1 : *std::max_element(rays.begin(), rays.end()) * 1.15F;
    const double millions = history.rates().rays_per_s * 1e-6;
    const float active = lanes.empty() ? 0 : lanes.back() * 100;
    curve("##rays",
          rays,
          most,
          std::array{fmt::format("{:.2f} Mrays/s", millions), fmt::format("{:.2f} M/s", millions)});
    ui.marks.mark("Scheduler/Rays");
    curve("##lanes",
          lanes,
          1,
          std::array{fmt::format("{:.0f} % of lanes active", active),
                     fmt::format("{:.0f} % active", active)});
    ui.marks.mark("Scheduler/Lanes");
}

constexpr ImGuiTableFlags kTable =
    ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_PadOuterX;

void headers(std::initializer_list<std::pair<const char*, float>> columns) {
    for (const auto& [name, weight] : columns) {
        ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, weight);
    }
    ImGui::TableHeadersRow();
}

void cell(const std::string& text) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
}

void draw_kernels(const SchedulerRates& rates) {
    if (!ImGui::BeginTable("kernels", 2, kTable, table_size(11.5F))) {
        return;
    }
    headers({{"Kernel", 1}, {"Active lanes", 2.2F}});
    for (const LaneShare& kernel : rates.kernels) {
        cell(kernel.name);
        ImGui::TableNextColumn();
        const double per_s =
            rates.seconds > 0 ? static_cast<double>(kernel.issued) / rates.seconds : 0;
        const std::string share = fmt::format("{:.0f} %", kernel.occupancy() * 100);
        share_bar(kernel.occupancy(), std::array{share + "  " + short_number(per_s) + "/s", share});
    }
    ImGui::EndTable();
}

// Draws packets by the number of occupied lanes in their last lane group; full ones are at the
// right.
void draw_fullness(const fibre::RoutineCounters& counters) {
    std::array<float, fibre::kFullnessBins> bins{};
    for (std::size_t k = 0; k < bins.size(); ++k) {
        bins[k] = static_cast<float>(counters.by_fullness[k]);
    }
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ImVec4(kAccent.x, kAccent.y, kAccent.z, 0.75F));
    ImGui::PlotHistogram(
        "##bins",
        bins.data(),
        static_cast<int>(bins.size()),
        0,
        nullptr,
        0,
        *std::max_element(bins.begin(), bins.end()),
        ImVec2(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 1.3F));
    ImGui::PopStyleColor();
}

// By LeaveReason: the accent's blue for full packets, warm colours for those that left early.
constexpr std::array<ImU32, fibre::kLeaveReasons> kReasonColours = {
    IM_COL32(92, 157, 222, 255),
    IM_COL32(222, 160, 74, 255),
    IM_COL32(214, 92, 80, 255),
    IM_COL32(120, 120, 128, 255),
    IM_COL32(96, 186, 150, 255),
    IM_COL32(150, 130, 205, 255),
    IM_COL32(205, 130, 170, 255),
};

void tell_reasons(const fibre::RoutineCounters& counters, double packets) {
    ImGui::BeginTooltip();
    for (u32 k = 0; k < fibre::kLeaveReasons; ++k) {
        if (counters.by_reason[k] > 0) {
            ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(kReasonColours[k]),
                               "%5.1f %%  %s",
                               100 * static_cast<double>(counters.by_reason[k]) / packets,
                               fibre::leave_reason_name(static_cast<fibre::LeaveReason>(k)));
        }
    }
    ImGui::EndTooltip();
}

// Draws the share of each reason why packets left; the tip names them.
void draw_reasons(const fibre::RoutineCounters& counters) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight());
    const double packets = std::max(1.0, static_cast<double>(counters.packets));
    float x = low.x;
    for (u32 k = 0; k < fibre::kLeaveReasons; ++k) {
        const double share = static_cast<double>(counters.by_reason[k]) / packets;
        const float right = std::min(x + size.x * static_cast<float>(share), low.x + size.x);
        ImGui::GetWindowDrawList()->AddRectFilled(
            ImVec2(x, low.y + 2), ImVec2(right, low.y + size.y), kReasonColours[k]);
        x = right;
    }
    ImGui::Dummy(size);
    if (ImGui::IsItemHovered() && counters.packets > 0) {
        tell_reasons(counters, packets);
    }
}

// Draws the legend of the reasons' colours.
void draw_reason_names() {
    const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    const float gap = ImGui::GetFontSize() * 0.45F;
    for (u32 k = 0; k < fibre::kLeaveReasons; ++k) {
        const char* const name = fibre::leave_reason_name(static_cast<fibre::LeaveReason>(k));
        if (k > 0 && ImGui::GetItemRectMax().x + gap + ImGui::CalcTextSize(name).x <= end) {
            ImGui::SameLine(0, gap);
        }
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(kReasonColours[k]), "%s", name);
    }
}

void draw_packets(const SchedulerRates& rates) {
    if (!ImGui::BeginTable("packets", 7, kTable, table_size(22.5F))) {
        return;
    }
    headers({{"Packets", 1.4F},
             {"Per s", 1.15F},
             {"Fibres", 1.1F},
             {"Keys", 1},
             {"On", 1.25F},
             {"Full", 0.9F},
             {"Why", 1}});
    for (std::size_t k = 0; k < rates.routines.size(); ++k) {
        const fibre::RoutineCounters& counters = rates.routines[k];
        const double packets = std::max(1.0, static_cast<double>(counters.packets));
        ImGui::PushID(static_cast<int>(k));
        cell(rates.routine_names[k]);
        cell(rates.seconds > 0 ? short_number(static_cast<double>(counters.packets) / rates.seconds)
                               : "–");
        cell(fmt::format("{:.0f}", static_cast<double>(counters.fibres) / packets));
        cell(fmt::format(
            "{:.0f} %",
            100 * std::min(1.0, static_cast<double>(counters.distinct_keys) / packets)));
        cell(short_number(static_cast<double>(counters.rekeyed_fibres)));
        ImGui::TableNextColumn();
        draw_fullness(counters);
        ImGui::TableNextColumn();
        draw_reasons(counters);
        ImGui::PopID();
    }
    ImGui::EndTable();
    draw_reason_names();
}

// "≤ 63 packets"; the last bin is unbounded.
std::string wait_text(u64 age_packets) {
    return fibre::age_bin(age_packets) + 1 == fibre::kAgeBins
               ? fmt::format("> {} packets", age_packets / 2)
               : fmt::format("≤ {} packets", age_packets);
}

// Draws fibres by waiting time: none at the left, the longest at the right.
void draw_ages(Ui& ui, const SchedulerRates& rates) {
    const fibre::AgeBins& ages = rates.ages;
    const auto last = std::find_if(ages.rbegin(), ages.rend(), [](u64 n) { return n > 0; });
    const auto used = std::max<std::ptrdiff_t>(ages.rend() - last, 1);
    std::array<float, fibre::kAgeBins> bins{};
    std::transform(
        ages.begin(), ages.end(), bins.begin(), [](u64 n) { return static_cast<float>(n); });
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, ImVec4(kAccent.x, kAccent.y, kAccent.z, 0.75F));
    ImGui::PlotHistogram(
        "##ages",
        bins.data(),
        static_cast<int>(used),
        0,
        nullptr,
        0,
        std::max(*std::max_element(bins.begin(), bins.end()), 1.0F),
        ImVec2(ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight() * 1.6F));
    ImGui::PopStyleColor();
    ui.marks.mark("Scheduler/Ages");
    if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip(
            "How long fibres waited, in packets run meanwhile:\n"
            "0, 1, up to 3, 7, 15, ...");
    }
    tell_row("Wait p50", wait_text(fibre::age_of_quantile(ages, 0.5)));
    tell_row("Wait p95", wait_text(fibre::age_of_quantile(ages, 0.95)));
}

// Draws the curve of the queue's depth, then figures without a curve.
void draw_queue(Ui& ui, const SchedulerHistory& history, const fibre::FibreCounters& total) {
    const SchedulerRates& rates = history.rates();
    const std::vector<float>& waiting = history.waiting_curve();
    const float most =
        waiting.empty() ? 1 : *std::max_element(waiting.begin(), waiting.end()) * 1.15F;
    const std::string mean = short_number(rates.mean_waiting);
    curve("##waiting", waiting, most, std::array{mean + " waiting", mean});
    ui.marks.mark("Scheduler/Queue");
    tell_row("At most", short_number(static_cast<double>(total.max_waiting_fibres)));
    draw_ages(ui, rates);
    tell_row("Longest", fmt::format("{} packets", total.max_age_packets));
    tell_row("A packet", fmt::format("{:.1f} fibres", rates.fibres_per_packet));
    tell_row("Evicted", fmt::format("{} keys", total.evicted_collections));
    tell_row("Aside", fmt::format("{} parents", total.put_aside_packets));
    tell_row("Steals", short_number(rates.steals_per_s) + " /s");
    tell_row("Doorbells", short_number(rates.doorbells_per_s) + " /s");
}

// The number of a unit behind a box that takes it out of the render and puts it back (W9).
void draw_attached(live::LiveRender& live, Ui& ui, u32 unit, u32 unit_count, bool is_lost) {
    ImGui::TableNextColumn();
    bool is_attached = live.is_unit_attached(unit);
    const std::string label = fmt::format("{}{}", unit, is_lost ? " lost" : "");
    if (ImGui::Checkbox(label.c_str(), &is_attached)) {
        u32 others = 0;
        for (u32 k = 0; k < unit_count; ++k) {
            others += k != unit && live.is_unit_attached(k) ? 1U : 0U;
        }
        if (is_attached || others > 0) {
            live.set_unit_attached(unit, is_attached);
            ui.say(fmt::format("Unit {} {}", unit, is_attached ? "renders again" : "is detached"));
        } else {
            ui.say("The last unit cannot be detached");
        }
    }
    if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip(
            "Whether this unit takes part. The others go on; the picture is the same.");
    }
    ui.marks.mark(fmt::format("Scheduler/Unit {}", unit));
}

void draw_devices(live::LiveRender& live, Ui& ui, const frame::FrameFigures& figures) {
    if (ImGui::BeginTable("devices", 3, kTable, table_size(11))) {
        headers({{"On", 0.8F}, {"Share", 1.8F}, {"Units", 1}});
        for (const frame::DeviceFigures& device : figures.devices) {
            cell(device.name);
            ImGui::TableNextColumn();
            share_bar(device.share, std::array{fmt::format("{:.0f} %", device.share * 100)});
            cell(fmt::format("{}×{}", device.units, device.lane_count));
        }
        ImGui::EndTable();
    }
    if (ImGui::BeginTable("units", 4, kTable, table_size(11))) {
        headers({{"Unit", 0.8F}, {"Work/s", 1.3F}, {"Leaves", 1.3F}, {"Ring", 1.1F}});
        for (std::size_t k = 0; k < figures.run.units.size(); ++k) {
            const unit::UnitFigures& unit = figures.run.units[k];
            draw_attached(live,
                          ui,
                          static_cast<u32>(k),
                          static_cast<u32>(figures.run.units.size()),
                          unit.is_lost);
            cell(short_number(unit.work_per_s));
            cell(fmt::format("{}", unit.shares));
            cell(fmt::format("{:.1f} µs", unit.late_round_trip_ns * 1e-3));
        }
        ImGui::EndTable();
    }
}

using Parts = std::span<const std::function<void()>>;

void draw_side_by_side(Parts parts) {
    constexpr std::array<float, 4> kWeights = {1.25F, 2.4F, 1.1F, 1.2F};
    if (!ImGui::BeginTable("columns",
                           static_cast<int>(parts.size()),
                           ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerV |
                               ImGuiTableFlags_ScrollY)) {
        return;
    }
    for (const float weight : kWeights) {
        ImGui::TableSetupColumn("", 0, weight);
    }
    for (const auto& draw : parts) {
        ImGui::TableNextColumn();
        draw();
    }
    ImGui::EndTable();
}

// Scrolls tables that are wider than the panel; curves always fit.
void draw_below(Parts parts) {
    ImGui::BeginChild("parts", ImVec2(0, 0), false, ImGuiWindowFlags_HorizontalScrollbar);
    for (const auto& draw : parts) {
        draw();
        ImGui::Spacing();
    }
    ImGui::EndChild();
}

}  // namespace

void SchedulerPanel::refresh() {
    const double now = ImGui::GetTime();
    if (now - refreshed_s_ >= kEvery_s) {
        refreshed_s_ = now;
        figures_ = link_.live->figures();
        history_.add(now, figures_);
    }
}

void SchedulerPanel::draw() {
    if (!link_.live) {
        return;
    }
    refresh();
    const SchedulerRates& rates = history_.rates();
    if (rates.routines.empty()) {
        faint_text("Nothing is rendered yet.");
        return;
    }
    const std::array<std::function<void()>, 4> parts = {
        [&] {
            draw_curves(ui_, history_);
            draw_kernels(rates);
        },
        [&] { draw_packets(rates); },
        [&] { draw_queue(ui_, history_, figures_.fibre); },
        [&] { draw_devices(*link_.live, ui_, figures_); }};
    // Below this width, parts side by side would cut words.
    constexpr float kLeast = 56;
    if (ImGui::GetContentRegionAvail().x < kLeast * ImGui::GetFontSize()) {
        draw_below(parts);
    } else {
        draw_side_by_side(parts);
    }
}

}  // namespace weft::app
