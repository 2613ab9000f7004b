// rename_field.h — the text field that a row of the outliner becomes while its thing is renamed.
//
// Enter or a click elsewhere ends it with the text, Escape with the name as it was. Interface
// thread only.
#pragma once

#include <optional>
#include <string>

namespace weft::app {

struct OutlinerRow;
struct Ui;

class RenameField {
public:
    // The row becomes the field in the next frame.
    void begin(Ui& ui, const OutlinerRow& row);

    [[nodiscard]] bool is_in(const OutlinerRow& row) const;

    // Draws the field; the name once it has ended.
    std::optional<std::string> draw(Ui& ui);

    // Call after the rows: ends the field without a name if its row is no longer drawn.
    void end_rows();

private:
    static constexpr unsigned kMostFramesUnseen = 3;  // while the list scrolls to the row

    std::string path_;  // of the row; empty: no field
    std::string name_;
    bool is_new_ = false;  // it gets the keyboard
    unsigned unseen_ = 0;  // frames since it was drawn
};

}  // namespace weft::app
