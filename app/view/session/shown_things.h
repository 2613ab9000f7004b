// shown_things.h — what is hidden and shown: things by their eyes, the selection, all but it.
//
// Each call is one step of undo. Hiding goes by name for lights; groups and collections hide
// what is in them without a change of its own eyes. Interface thread only.
#pragma once

#include <span>
#include <string>

namespace weft::app {

struct MovedThing;
struct Selection;
struct Session;
struct Ui;

// Shows or hides nodes, groups, lights and collections; leaves out other paths.
void show_things(Session& session, Ui& ui, std::span<const std::string> paths, bool is_shown);

// Hides all selected things.
void hide_selected(Session& session, const Selection& selection, Ui& ui);

// Draws only what stands in these things.
void solo(Session& session, Ui& ui, std::span<const MovedThing> things);

// Shows all nodes, groups and collections, and switches all lights on.
void show_all(Session& session, Ui& ui);

}  // namespace weft::app
