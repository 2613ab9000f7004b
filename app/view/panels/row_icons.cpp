#include "app/view/panels/row_icons.h"

#include <array>
#include <cmath>
#include <numbers>

namespace weft::app {

namespace {

// Lines and shapes within the square; the unit is its side.
struct Pen {
    ImDrawList& list;
    ImVec2 low;
    float side;
    ImU32 colour;

    [[nodiscard]] ImVec2 at(float x, float y) const { return {low.x + x * side, low.y + y * side}; }

    void line(ImVec2 from, ImVec2 to) const { list.AddLine(from, to, colour, 1.2F); }

    void frame(ImVec2 from, ImVec2 to) const { list.AddRect(from, to, colour, 1, 0, 1.2F); }
};

// A cube from its corner.
void draw_object(const Pen& pen) {
    const std::array<ImVec2, 6> rim = {pen.at(0.5F, 0.1F),
                                       pen.at(0.85F, 0.3F),
                                       pen.at(0.85F, 0.7F),
                                       pen.at(0.5F, 0.9F),
                                       pen.at(0.15F, 0.7F),
                                       pen.at(0.15F, 0.3F)};
    pen.list.AddPolyline(rim.data(), 6, pen.colour, ImDrawFlags_Closed, 1.2F);
    pen.line(pen.at(0.5F, 0.5F), rim[1]);
    pen.line(pen.at(0.5F, 0.5F), rim[3]);
    pen.line(pen.at(0.5F, 0.5F), rim[5]);
}

// Two things on one branch.
void draw_group(const Pen& pen) {
    pen.line(pen.at(0.25F, 0.1F), pen.at(0.25F, 0.75F));
    pen.line(pen.at(0.25F, 0.35F), pen.at(0.5F, 0.35F));
    pen.line(pen.at(0.25F, 0.75F), pen.at(0.5F, 0.75F));
    pen.list.AddRectFilled(pen.at(0.5F, 0.22F), pen.at(0.82F, 0.48F), pen.colour);
    pen.list.AddRectFilled(pen.at(0.5F, 0.62F), pen.at(0.82F, 0.88F), pen.colour);
}

void draw_light(const Pen& pen) {
    pen.list.AddCircleFilled(pen.at(0.5F, 0.5F), pen.side * 0.2F, pen.colour);
    for (u32 ray = 0; ray < 8; ++ray) {
        const float angle = std::numbers::pi_v<float> / 4 * static_cast<float>(ray);
        const float x = std::cos(angle);
        const float y = std::sin(angle);
        pen.line(pen.at(0.5F + 0.3F * x, 0.5F + 0.3F * y),
                 pen.at(0.5F + 0.44F * x, 0.5F + 0.44F * y));
    }
}

void draw_camera(const Pen& pen) {
    pen.list.AddRectFilled(pen.at(0.1F, 0.3F), pen.at(0.6F, 0.75F), pen.colour, 1);
    pen.list.AddTriangleFilled(
        pen.at(0.62F, 0.52F), pen.at(0.92F, 0.3F), pen.at(0.92F, 0.75F), pen.colour);
}

// A globe with its horizon.
void draw_environment(const Pen& pen) {
    pen.list.AddCircle(pen.at(0.5F, 0.5F), pen.side * 0.38F, pen.colour, 0, 1.2F);
    pen.line(pen.at(0.12F, 0.5F), pen.at(0.88F, 0.5F));
    pen.list.AddBezierQuadratic(
        pen.at(0.5F, 0.12F), pen.at(0.15F, 0.5F), pen.at(0.5F, 0.88F), pen.colour, 1.2F);
    pen.list.AddBezierQuadratic(
        pen.at(0.5F, 0.12F), pen.at(0.85F, 0.5F), pen.at(0.5F, 0.88F), pen.colour, 1.2F);
}

// A ball with a highlight.
void draw_material(const Pen& pen) {
    pen.list.AddCircle(pen.at(0.5F, 0.5F), pen.side * 0.36F, pen.colour, 0, 1.2F);
    pen.list.AddCircleFilled(pen.at(0.38F, 0.38F), pen.side * 0.11F, pen.colour);
}

// A box with a lid.
void draw_collection(const Pen& pen) {
    pen.frame(pen.at(0.12F, 0.18F), pen.at(0.88F, 0.4F));
    pen.frame(pen.at(0.18F, 0.4F), pen.at(0.82F, 0.85F));
    pen.line(pen.at(0.4F, 0.55F), pen.at(0.6F, 0.55F));
}

}  // namespace

void draw_row_icon(RowKind kind, ImU32 colour) {
    const float side = ImGui::GetFontSize();
    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    const Pen pen{*ImGui::GetWindowDrawList(), cursor, side, colour};
    switch (kind) {
        case RowKind::Section:
            break;
        case RowKind::Collection:
            draw_collection(pen);
            break;
        case RowKind::Group:
            draw_group(pen);
            break;
        case RowKind::Object:
            draw_object(pen);
            break;
        case RowKind::Light:
            draw_light(pen);
            break;
        case RowKind::Camera:
            draw_camera(pen);
            break;
        case RowKind::Environment:
            draw_environment(pen);
            break;
        case RowKind::Material:
            draw_material(pen);
            break;
    }
    ImGui::Dummy(ImVec2(side, side));
}

const char* kind_word(RowKind kind) {
    switch (kind) {
        case RowKind::Section:
            return "";
        case RowKind::Collection:
            return "Collection";
        case RowKind::Group:
            return "Group";
        case RowKind::Object:
            return "Object";
        case RowKind::Light:
            return "Light";
        case RowKind::Camera:
            return "Camera";
        case RowKind::Environment:
            return "Environment";
        case RowKind::Material:
            return "Material";
    }
    return "";
}

}  // namespace weft::app
