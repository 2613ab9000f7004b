// test_json_text.cpp — texts that the reader of JSON refuses, with the line.
#include <nlohmann/json.hpp>
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/files/json_text.h"

using namespace weft;
using scene::parse_json;

namespace {

std::string complaint(const std::string& text) {
    const auto value = parse_json(text);
    REQUIRE_FALSE(value.is_ok());
    return value.error().sentence;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("engine/scene/json_text") {
    TEST_CASE("numbers beyond a double's range are refused with their line") {
        CHECK(complaint("[1,\n2, 1e999]") == "line 2 has the number 1e999, which is out of range");
        CHECK(complaint("-1e400") == "line 1 has the number -1e400, which is out of range");
        CHECK(parse_json("[1e308, 1e-999, 123456789012345678901234567890]").is_ok());
    }

    TEST_CASE("brackets nest 96 levels and no more") {
        const auto nested = [](std::size_t depth) {
            return std::string(depth, '[') + std::string(depth, ']');
        };
        CHECK(parse_json(nested(96)).is_ok());
        CHECK(complaint("\n" + nested(97)) == "line 2 nests brackets deeper than 96 levels");
        CHECK(has(complaint(nested(1000000)), "deeper than 96"));
        CHECK(has(complaint(std::string(100000, '{')), "deeper than 96"));
        std::string objects;
        for (int k = 0; k < 100000; ++k) {
            objects += "{\"a\":";
        }
        CHECK(has(complaint(objects), "deeper than 96"));
        // Brackets inside a string open nothing, with any escapes before them.
        CHECK(parse_json("\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"")
                  .is_ok());
    }

    TEST_CASE("broken syntax is refused with its line") {
        CHECK(has(complaint(""), "line 1 is no JSON ("));
        CHECK(has(complaint("{\"a\": 1,\n\"b\": [1, }"), "line 2 is no JSON ("));
        CHECK(has(complaint("\"\xff\""), "is no JSON ("));
        CHECK(has(complaint("nan"), "is no JSON ("));
        CHECK(has(complaint("1 2"), "is no JSON ("));
    }

    TEST_CASE("a zero byte ends no text before its end") {
        CHECK(complaint(std::string("{\"a\":\n1}\n\0{", 11)) ==
              "line 3 has a zero byte before more text");
        CHECK(complaint(std::string("[1, \0 2]", 8)) == "line 1 has a zero byte before more text");
        CHECK(parse_json(std::string_view("[1]\n\0\0\n\0", 8)).is_ok());
    }
}
