// panel_material.h — every parameter of the selected material, in groups.
//
// The fields come from the table of edits; this panel only groups them. A group starts closed if
// none of its lobes is in use. Interface thread only.
#pragma once

#include <memory>
#include <string>

#include "app/view/models/material_users.h"

namespace weft::app {

class PictureRows;
struct Selection;
struct Session;
struct Ui;

class MaterialPanel {
public:
    MaterialPanel(Session& session, Selection& selection, Ui& ui, PictureRows& pictures)
        : session_(session), selection_(selection), ui_(ui), pictures_(pictures) {}

    void draw();

private:
    const MaterialUsers& users();
    void draw_users();

    Session& session_;
    Selection& selection_;
    Ui& ui_;
    PictureRows& pictures_;
    // The users of the shown material; counted again when the material, the object or the list of
    // instances changes.
    std::shared_ptr<const scene::Scene> scene_;
    u32 material_ = kNone;
    std::string object_;
    MaterialUsers users_;
};

}  // namespace weft::app
