#include "app/comparison_json.h"

#include <nlohmann/json.hpp>

namespace weft::app {

nlohmann::json spread_json(const bench::Spread& spread) {
    return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

std::string comparison_json(const BenchFigures& figures,
                            const char* name,
                            const nlohmann::json& rows) {
    using nlohmann::json;
    const json out = {
        {"scene", figures.scene},
        {"triangles", figures.triangles},
        {"machine",
         {{"processor", figures.processor}, {"isa", figures.isa}, {"threads", figures.threads}}},
        {"command_line", figures.command_line},
        {"width", figures.width},
        {"height", figures.height},
        {"peak_rss_bytes", figures.peak_rss_bytes},
        {name, rows}};
    return out.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace weft::app
