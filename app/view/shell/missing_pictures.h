// missing_pictures.h — the list over the picture of the pictures that could not be read, with a
// button to name their folder.
//
// Interface thread only.
#pragma once

namespace weft::app {

struct PicturePlace;
struct Session;
struct Ui;

class MissingWindow {
public:
    // Draws the list at the lower edge of this part of the window, while pictures are missing and
    // the person has not closed it.
    void draw(Session& session, Ui& ui, const PicturePlace& place);

    // Call when another scene is open.
    void reopen() { is_closed_ = false; }

private:
    bool is_closed_ = false;
};

}  // namespace weft::app
