// given_names.h — renames things of the scene: what lists, mattes and light groups call them.
//
// Paths of edits keep the names of the file. Each call is one step of undo; interface thread only.
#pragma once

#include <string>

namespace weft::app {

struct Session;
struct Ui;

// Gives the node, group, light, camera or collection at `path` this name; an empty one takes a
// given name back. The status line says why it cannot be.
void rename_thing(Session& session, Ui& ui, const std::string& path, const std::string& name);

}  // namespace weft::app
