// collections.h — makes and changes collections: named sets of things, kept with the edits.
//
// Each call is one step of undo. Interface thread only.
#pragma once

#include <span>
#include <string>

namespace weft::app {

struct Session;
struct Ui;

// Makes a collection of these things under a free name.
void add_collection(Session& session, Ui& ui, std::span<const std::string> members);

// Puts things into the collection at `path`, or takes them out of it.
void add_members(Session& session,
                 Ui& ui,
                 const std::string& path,
                 std::span<const std::string> members);
void remove_members(Session& session,
                    Ui& ui,
                    const std::string& path,
                    std::span<const std::string> members);

// Another one has the name already: the status line says so.
void rename_collection(Session& session, Ui& ui, const std::string& path, const std::string& name);

void delete_collection(Session& session, Ui& ui, const std::string& path);

}  // namespace weft::app
