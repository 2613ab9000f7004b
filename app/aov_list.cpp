#include "app/aov_list.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "app/command/exit_code.h"
#include "app/command/standard_output.h"
#include "engine/film/aov_facts.h"

namespace weft::app {

std::string aov_list_text() {
    using Row = std::array<std::string, 4>;
    std::vector<Row> rows = {{"LAYER", "CHANNELS", "UNIT", "MEANING"}};
    const auto add = [&rows](film::Aov layer, std::string_view name) {
        const film::AovFacts facts = film::aov_facts(layer, name);
        rows.push_back({std::string(name),
                        fmt::format("{}", fmt::join(facts.channels, " ")),
                        facts.unit,
                        facts.meaning});
    };
    for (const film::Aov layer : film::kAovs) {
        add(layer, film::aov_name(layer));
    }
    add(film::light_group(0), "light_NAME");
    // Columns are as wide as their widest text, but for the last one.
    std::array<std::size_t, 3> widths{};
    for (const Row& row : rows) {
        for (std::size_t column = 0; column < widths.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    std::string text;
    for (const Row& row : rows) {
        text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n",
                            row[0],
                            widths[0],
                            row[1],
                            widths[1],
                            row[2],
                            widths[2],
                            row[3]);
    }
    return text;
}

int run_aov_list() {
    return put_on_stdout(aov_list_text()) ? kExitDone : kExitOutput;
}

}  // namespace weft::app
