// installation.h — where the files lie that come with the program.
//
// This is the one place that decides it:
//
//                          installed: the program    built: the program lies
//                          lies in a folder bin      anywhere else
//     installed_part(NAME)   ../lib/weft/NAME          beside the program
//     shared_path(NAME)      ../share/weft/NAME        NAME in the checkout it was built from
//
// A file that is missing from an installation is searched as for a built program. No other place is
// searched, above all not the current folder, whose files must never run as code. Links to the
// program are followed first. A module of another program, such as Python, says with
// set_program_folder() where the program would lie. Reads the file system only. Any thread, but for
// that function.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft::base {

// The folder to take for that of the running program. Once, before any other call into Weft.
void set_program_folder(std::filesystem::path folder);

// Whether the running program is one of Weft's, which states no folder, and not one that has Weft
// as a module.
bool is_own_program();

// A module or program that belongs to this build, such as weft-images.so. Empty if the place of the
// running program is unknown; the file need not exist.
std::string installed_part(std::string_view name);

// A file or folder that is only read, such as "scenes". It need not exist.
std::string shared_path(std::string_view name);

}  // namespace weft::base
