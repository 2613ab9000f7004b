// panel_rows.h — rows of the panels: a label on the left, a widget on the right, all aligned.
//
// Each widget is marked "Panel/Label" for scripts. The panel_*.cpp files call these within an ImGui
// window; interface thread only.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::app {

struct Session;
struct Ui;

// Width of the reset button that ends a row.
float reset_width();

// Width of the label that begins a row.
float label_width();

// Starts the last line of a tip, which names the field for the command line.
inline constexpr std::string_view kSetLine = "\n--set ";

// Draws the label and leaves room for one widget beside it, or below it if the label is too wide;
// `tip` shows while the mouse is over the label.
void begin_row(std::string_view label, std::string_view tip = {});

// The same for several numbers side by side, each as wide as `sample`, and something `beside` them.
// They go below the label if they do not fit beside it, and lose their margins if that is still too
// wide. False: they do not fit even then; the caller must put one below another.
bool begin_numbers(
    std::string_view label, std::string_view tip, u32 count, const char* sample, float beside = 0);
// Draws the numbers of such a row as drag fields. True: changed. `low` and `high` both 0: no
// bounds.
bool drag_numbers(std::span<float> values,
                  float speed,
                  float low,
                  float high,
                  const char* format,
                  bool is_side_by_side);

// Format and drag speed of numbers about some size: a drag changes at least the last digit shown.
struct NumberLook {
    u32 whole = 2;   // digits before the point
    u32 behind = 3;  // digits after the point
    float speed = 0.01F;

    [[nodiscard]] std::string format(const std::string& unit = {}) const;
    [[nodiscard]] std::string widest() const;  // the widest number of this format
};

NumberLook look_of(float size);
// For positions: the scene may measure a millimetre or a hundred kilometres.
NumberLook look_of_places(const Session& session);

// Starts a row with an ImGui::BeginCombo list; returns the flags for it. The widest title fits: the
// list goes below the label if it does not fit beside it, and loses its arrow if it is still too
// wide.
int begin_choice(std::string_view label, std::string_view tip, const char* widest);
// Call after the numbers or the list.
void end_numbers();
// Stays in the line of the last widget if this width fits there; else starts a new line.
void same_line_if_fits(float width);

// Call before a number: focuses it if the first number field was requested.
void take_keyboard(Ui& ui);

// Names the widget just drawn.
void mark_row(Ui& ui, std::string_view panel, std::string_view label);

// Draws a choice as buttons of equal width that fill the row, marked "Panel/Title"; returns the
// index that is on after this frame.
std::size_t choice_buttons(Ui& ui,
                           std::string_view panel,
                           std::span<const char* const> titles,
                           std::size_t now);

// A collapsible part of a panel, marked "Panel/Title"; true while it is open.
bool begin_part(Ui& ui, std::string_view panel, const char* title, bool opens = true);

// A small flat square button with a sign; true when clicked.
bool sign_button(const char* id, const char* sign, std::string_view tip);

// An eye, open or closed, as a button.
bool eye_button(const char* id, bool is_open);

// A line of faint text that wraps.
void faint_text(std::string_view text);

// A row without a widget. The value goes below the label if it does not fit beside it.
void tell_row(std::string_view label, std::string_view value, std::string_view tip = {});

// Wraps only at spaces: ImGui also breaks at the point of a number.
void draw_lines(const std::string& text);

}  // namespace weft::app
