// nameless_file.h — a temporary file that has no name once it is open: it goes with the process
// however that ends, and nobody else can open it. Any thread.
#pragma once

#include <string>

namespace weft::scene {

// Opens one for reading and writing in a folder, which is made, for this user alone, where it is
// missing. -1: the folder takes no file; errno says why. The caller closes it.
int open_nameless(const std::string& folder);

}  // namespace weft::scene
