// help_search.h — `weft help WORD`: what the options and the user's guide tell about a word.
//
// The options come from CommandLine::text(), the guide from the pages of docs/, as they were
// installed. Only read_guide() reads files. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command/command_text.h"

namespace weft::app {

// A page of the guide.
struct GuidePage {
    std::string name;   // of the file, without its ending: "lighting"
    std::string title;  // its first heading
    std::string text;   // Markdown, without its pictures
};

// The pages of a folder by name, without its README; none if it cannot be read.
std::vector<GuidePage> read_guide(const std::string& folder);

// The pages of the guide, and how to ask.
std::string help_topics(const std::vector<GuidePage>& guide);

// What is known about a word in any case, with or without dashes: the options and the page of that
// name, else all options, variables, exit codes and headings of the guide that have the word. None:
// nothing has it.
std::optional<std::string> help_about(const std::string& word,
                                      const ProgramText& program,
                                      const std::vector<GuidePage>& guide);

}  // namespace weft::app
