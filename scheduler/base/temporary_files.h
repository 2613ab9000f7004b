// temporary_files.h — names of the temporary files that this process is writing, for a signal
// handler that ends it.
//
// Whoever writes a file under a temporary name lists the name before it creates the file. The
// handler removes what is listed, so that a process that leaves at once leaves no half file. Any
// thread; remove_temporary_files() in a signal handler too.
#pragma once

#include <string>

namespace weft::base {

// Lists a name; at most 16 at once are listed. The text lives until the process ends: list few
// different names, again and again.
const char* list_temporary_file(const std::string& path);

// Takes a name off the list, after the file was removed or has its final name.
void unlist_temporary_file(const char* listed);

// Unlinks the files that are listed. Only reads atomics and calls unlink.
void remove_temporary_files();

}  // namespace weft::base
