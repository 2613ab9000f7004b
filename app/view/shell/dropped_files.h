// dropped_files.h — files dropped on the window: scenes, edits and pictures.
//
// A picture dropped on an object opens a menu of its material's maps; on the background it becomes
// the environment. Interface thread only; asking the renderer for the object there takes about a
// millisecond.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace weft::app {

struct PictureSight;
struct RenderLink;
struct Selection;
struct Session;
struct Ui;

// A picture dropped on an object, and the menu that asks for its field.
struct PictureDrop {
    std::string file;
    std::string material;  // path
    std::string object;    // name
    bool is_new = true;    // the menu must be opened
};

class DroppedFiles {
public:
    DroppedFiles(Session& session, const RenderLink& link, Selection& selection, Ui& ui)
        : session_(session), link_(link), selection_(selection), ui_(ui) {}

    // Handles files dropped at the mouse: a picture goes to the object there or becomes the
    // environment, edits apply to the open scene, anything else is opened as a scene.
    void take(const std::vector<std::string>& files, const PictureSight& sight);

    // Draws the menu that asks which map a dropped picture becomes, while it is open. Call once per
    // frame.
    void draw_menu();

private:
    void take_picture(const std::string& file, const PictureSight& sight);
    void take_edits(const std::vector<std::string>& files);
    void draw_slots(const PictureDrop& drop);

    Session& session_;
    const RenderLink& link_;
    Selection& selection_;
    Ui& ui_;
    std::optional<PictureDrop> drop_;
};

}  // namespace weft::app
