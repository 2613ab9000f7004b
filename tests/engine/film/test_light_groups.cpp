// test_light_groups.cpp — what a user writes of light groups, and what is refused.
#include <string>

#include <doctest/doctest.h>

#include "engine/film/light_groups.h"

namespace weft::film {

namespace {

std::string refusal_of(const std::string& text) {
    const base::Result<LightGroups> groups = parse_light_groups(text);
    REQUIRE_FALSE(groups.is_ok());
    CHECK(groups.error().kind == base::ErrorKind::Usage);
    CHECK(groups.error().sentence.starts_with("--light-groups: "));
    return groups.error().sentence;
}

bool says(const std::string& sentence, const std::string& words) {
    return sentence.find(words) != std::string::npos;
}

}  // namespace

TEST_SUITE("engine/film/light_groups") {
    TEST_CASE("groups keep their order, and their text gives them again") {
        const std::string text = "key=lamp_*,Spot.001;windows_2=sun,environment";
        const base::Result<LightGroups> groups = parse_light_groups(text);
        REQUIRE(groups.is_ok());
        REQUIRE(groups.value().size() == 2);
        CHECK(groups.value()[0].name == "key");
        CHECK(groups.value()[0].patterns == std::vector<std::string>{"lamp_*", "Spot.001"});
        CHECK(groups.value()[1].patterns == std::vector<std::string>{"sun", "environment"});
        CHECK(text_of(groups.value()) == text);
        CHECK(light_layer_names(groups.value()) ==
              std::vector<std::string>{"light_key", "light_windows_2", "light_rest"});
        CHECK(light_layers(groups.value()) ==
              std::vector<Aov>{Aov::Light0, light_group(1), light_group(2)});
        CHECK(light_layer_names({}).empty());
        CHECK(light_layers({}).empty());
    }

    TEST_CASE("a pattern may hold an equals sign") {
        const base::Result<LightGroups> groups = parse_light_groups("a=b=c");
        REQUIRE(groups.is_ok());
        CHECK(groups.value()[0].patterns == std::vector<std::string>{"b=c"});
    }

    TEST_CASE("what is no list of groups is refused with a sentence") {
        CHECK(says(refusal_of(""), "without ="));
        CHECK(says(refusal_of("key"), "'key' without ="));
        CHECK(says(refusal_of("key=a;"), "without ="));
        CHECK(says(refusal_of("key="), "empty pattern"));
        CHECK(says(refusal_of("key=a,,b"), "empty pattern"));
        CHECK(says(refusal_of("=a"), "expected letters"));
        CHECK(says(refusal_of("k.ey=a"), "expected letters"));
        CHECK(says(refusal_of("key=a;key=b"), "there twice"));
        CHECK(says(refusal_of("rest=a"), "all other lights"));
        CHECK(says(refusal_of(std::string(56, 'k') + "=a"), "has 56 letters; expected at most 55"));
    }

    TEST_CASE("as many groups as a film holds are allowed, and no more") {
        std::string text = "g0=a";
        for (u32 k = 1; k + 1 < kMostLightGroups; ++k) {
            text += ";g" + std::to_string(k) + "=a";
        }
        CHECK(parse_light_groups(text).is_ok());
        CHECK(says(refusal_of(text + ";more=a"), "found 16 groups; at most 15"));
    }

    TEST_CASE("stars and question marks stand for letters") {
        CHECK(is_match("lamp", "lamp"));
        CHECK_FALSE(is_match("lamp", "lamps"));
        CHECK_FALSE(is_match("lamps", "lamp"));
        CHECK(is_match("lamp*", "lamp"));
        CHECK(is_match("*", ""));
        CHECK_FALSE(is_match("?", ""));
        CHECK(is_match("l?m*", "lamp_3"));
        CHECK(is_match("*lamp*", "old lamp 3"));
        CHECK(is_match("*ab*ab", "ababxabab"));
        CHECK_FALSE(is_match("*ab*abc", "ababxabab"));
        CHECK(is_match("a**b", "axxb"));
        // A letter has up to four bytes of UTF-8.
        CHECK(is_match("l?mpe ?", "l\u00e4mpe \U0001f4a1"));
        CHECK(is_match("*?b", "\u00e4b"));
        CHECK_FALSE(is_match("??", "\u00e4"));
        CHECK_FALSE(is_match("*??b", "\u00e4b"));
        CHECK_FALSE(is_match("*????", "a\u20acb"));
        // Many stars take no time.
        CHECK_FALSE(is_match(std::string("*a*a*a*a*a*a*a*a*a*a*b"), std::string(5000, 'a')));
    }
}

}  // namespace weft::film
