// panel_rows.h — rows of the panels: a label on the left, a widget on the right, all aligned.
//
// Each widget is marked "Panel/Label" for scripts. Called by the panel_*.cpp files within an ImGui
// window; interface thread only.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/view/session/view_state.h"

namespace weft::app {

// Of the small button that ends a row.
float reset_width();

// Of the label that begins a row.
float label_width();

// What begins the last line of a tip that names the field for the command line.
inline constexpr std::string_view kSetLine = "\n--set ";

// The label, and room for one widget beside it, or below it where the label does not fit there;
// `tip` is shown while the mouse is over the label.
void begin_row(std::string_view label, std::string_view tip = {});

// The same for some numbers side by side, each as wide as `sample`, and something `beside` them.
// They go below the label where they do not fit beside it, in frames without margins where that is
// too little. False: not even then; whoever draws them puts one below another.
bool begin_numbers(
    std::string_view label, std::string_view tip, u32 count, const char* sample, float beside = 0);
// The numbers of such a row, to be pulled at. True: changed. `low` and `high` both 0: no bounds.
bool drag_numbers(std::span<float> values,
                  float speed,
                  float low,
                  float high,
                  const char* format,
                  bool is_side_by_side);

// How numbers about some size are shown, and how far they go per pixel of a drag: a drag sees no
// less than what is shown.
struct NumberLook {
    u32 whole = 2;   // digits before the point
    u32 behind = 3;  // and behind it
    float speed = 0.01F;

    [[nodiscard]] std::string format(const std::string& unit = {}) const;
    [[nodiscard]] std::string widest() const;  // a number as wide as they come
};

NumberLook look_of(float size);
// Of places in the scene: it may be a millimetre wide, or a hundred kilometres.
NumberLook look_of_places(const Session& session);

// A list that opens, for ImGui::BeginCombo with the flags that this returns: `widest` of its titles
// is seen whole, below the label where it does not fit beside it, without an arrow where it must
// be.
int begin_choice(std::string_view label, std::string_view tip, const char* widest);
// After the numbers, after the list.
void end_numbers();
// In the line of the widget before, where so much still fits there; else in the next one.
void same_line_if_fits(float width);

// Before a number: the keyboard goes into it, where it wants to go into the first one.
void take_keyboard(Ui& ui);

// Names the widget just drawn.
void mark_row(Ui& ui, std::string_view panel, std::string_view label);

// One of a few, as buttons of one width that fill the row and are marked "Panel/Title"; which one
// is on after this frame.
std::size_t choice_buttons(Ui& ui,
                           std::string_view panel,
                           std::span<const char* const> titles,
                           std::size_t now);

// A part of a panel that opens and closes, marked "Panel/Title"; true while it is open.
bool begin_part(Ui& ui, std::string_view panel, const char* title, bool opens = true);

// A small flat button with a sign in it, square; true when it was clicked.
bool sign_button(const char* id, const char* sign, std::string_view tip);

// An eye, open or closed, as a button.
bool eye_button(const char* id, bool is_open);

// A line of faint text that wraps.
void faint_text(std::string_view text);

// A row that only tells. The value goes below the label where it does not fit beside it.
void tell_row(std::string_view label, std::string_view value, std::string_view tip = {});

// Lines that end at spaces alone: ImGui's own end at the point of a number, too.
void draw_lines(const std::string& text);

}  // namespace weft::app
