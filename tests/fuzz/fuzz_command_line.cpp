// fuzz_command_line.cpp — the options of `weft render`: the input is the words after the command,
// one per line.
#include <string_view>
#include <vector>

#include "app/command/edit_options.h"
#include "app/command/exit_code.h"
#include "app/command/render_options.h"
#include "scheduler/base/ensure.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    constexpr std::size_t kMostWords = 200;
    std::vector<std::string> words = {"weft", "render"};
    std::string_view left(reinterpret_cast<const char*>(bytes), size_bytes);
    while (!left.empty() && words.size() < kMostWords) {
        const std::size_t end = std::min(left.find('\n'), left.size());
        // As the system does, a word ends at its first zero.
        words.emplace_back(left.substr(0, std::min(end, left.find('\0'))));
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    app::CommandLine line("weft", "weft", "");
    app::RenderOptions options;
    app::Command render = line.add_command("render", "path trace scenes to a picture");
    app::add_render_options(render, options);
    const std::optional<int> exit_code = line.parse(static_cast<int>(argv.size()), argv.data());
    if (exit_code) {
        const bool is_known = *exit_code == app::kExitDone || *exit_code == app::kExitUsage ||
                              *exit_code == app::kExitOutput;
        ENSURE(is_known, ==, true);
        return 0;
    }
    ENSURE(render.is_chosen(), ==, true);
    ENSURE(app::pixel_samples(options), >, 0U);
    return 0;
}
