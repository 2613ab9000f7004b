// option_checks.h — what one option allows by itself, and the sentence where it does not.
//
// Every sentence says what was expected, then what was found. The parser puts the option's name in
// front. Numbers are decimal: 010 is ten.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::app {

// A whole number from `least` to `most`.
CLI::Validator whole(u64 least, u64 most);

// Finite numbers: any, from 0, above 0, within bounds.
CLI::Validator finite();
CLI::Validator not_negative();
CLI::Validator positive();
CLI::Validator number_between(double least, double most);

// Numbers with commas between them: `count` of them, or any number of them for 0.
CLI::Validator number_list(std::size_t count, float least);
CLI::Validator whole_list(std::size_t count, u64 most);

// Those of a text that such a check has let pass.
std::vector<float> numbers_of(const std::string& text);

// One of a few words.
CLI::Validator one_of(const std::vector<std::string>& words);

// A folder that is there.
CLI::Validator existing_folder();

// What parse_size() reads.
CLI::Validator memory_size();

}  // namespace weft::app
