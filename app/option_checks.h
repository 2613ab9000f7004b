// option_checks.h — what one option allows by itself, and the sentence where it does not.
//
// Every sentence says what was expected, then what was found. The parser puts the option's name in
// front. Numbers are decimal: 010 is ten.
#pragma once

#include <CLI/CLI.hpp>
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

// One of a few words.
CLI::Validator one_of(const std::vector<std::string>& words);

// 512M, 8G, 2GiB, a number of bytes.
CLI::Validator memory_size();

// The bytes that such a text says; 0 where it is none.
u64 parse_size(const std::string& text);

}  // namespace weft::app
