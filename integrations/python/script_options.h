// script_options.h — options of the commands as keyword arguments of Python: which ones each
// function of the module takes, and the words that they become.
//
// The program's own table (app/command/option_words.h) reads them. What has no meaning in another
// program's process is left out here, by name: files that a command writes, progress and messages
// on its streams, checkpoints, limits of a whole process. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/bench_options.h"
#include "app/command/render_options.h"
#include "app/compare_command.h"

namespace weft::python {

// The options of weft.load(), of weft.Renderer(), of either, of Picture.save(), weft.bench() and
// weft.compare().
enum class OptionsOf { Load, Render, Either, Save, Bench, Compare };

// As JSON: a list of {"names", "has_value", "is_repeatable", "is_list", "kind", "usual", "help",
// "group"}; names as in Python: "film_transparent".
std::string options_json(OptionsOf function);

// Parses words such as "--spp=16" into `options`, whose other members stay. Errors (kind Usage)
// name the option.
base::Status read_words(OptionsOf function,
                        const std::vector<std::string>& words,
                        app::RenderOptions& options);
base::Status read_bench_words(const std::vector<std::string>& words, app::BenchOptions& options);
base::Status read_compare_words(const std::vector<std::string>& words,
                                app::CompareOptions& options);

}  // namespace weft::python
