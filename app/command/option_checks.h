// option_checks.h — validators for the value of a single option.
//
// A refusal states the expected value, then the found one; the parser puts the option's name in
// front. Numbers are decimal: 010 is ten.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::app {

// Accepts a whole number in [least, most].
CLI::Validator whole(u64 least, u64 most);

// Accept a finite number: any; at least 0; above 0; in [least, most].
CLI::Validator finite();
CLI::Validator not_negative();
CLI::Validator positive();
CLI::Validator number_between(double least, double most);

// Accept `count` numbers with commas between them. number_list() accepts any count if `count` is 0.
CLI::Validator number_list(std::size_t count, float least);
CLI::Validator whole_list(std::size_t count, u64 most);

// Parses a text that number_list() has accepted.
std::vector<float> numbers_of(const std::string& text);

// Accepts one of these words.
CLI::Validator one_of(const std::vector<std::string>& words);

// Accepts a folder that exists.
CLI::Validator existing_folder();

// Accepts what parse_size() reads.
CLI::Validator memory_size();

}  // namespace weft::app
