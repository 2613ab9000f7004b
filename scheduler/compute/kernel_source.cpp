#include "scheduler/compute/kernel_source.h"

#include <algorithm>
#include <sstream>

#include "scheduler/compute/sha256.h"

namespace weft::compute {

namespace {

// With its length before it, so that two lists of texts never look the same.
void add_text(Sha256& hash, std::string_view text) {
    hash.add(std::to_string(text.size())).add(":").add(text);
}

bool is_word(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= 'a' && letter <= 'z') || letter == '_';
}

bool is_definition(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    return !name.empty() && (name[0] < '0' || name[0] > '9') &&
           std::all_of(name.begin(), name.end(), is_word) &&
           std::all_of(value.begin(), value.end(), is_word);
}

std::vector<std::string> words_of(std::string_view options) {
    std::istringstream text{std::string(options)};
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
        words.push_back(word);
    }
    return words;
}

}  // namespace

std::string source_hash(const KernelSource& source) {
    Sha256 hash;
    for (const SourceFile& file : source.files) {
        add_text(hash, file.path);
        add_text(hash, file.text);
    }
    add_text(hash, source.symbol);
    for (const std::string& flag : source.flags) {
        add_text(hash, flag);
    }
    for (const auto& [set, flags] : source.set_flags) {
        add_text(hash, set);
        for (const std::string& flag : flags) {
            add_text(hash, flag);
        }
    }
    return hash.hex();
}

base::Status check_options(std::string_view options) {
    for (const std::string& word : words_of(options)) {
        if (!is_definition(word)) {
            return base::Error{base::ErrorKind::Render,
                               "option \"" + word + "\" of a kernel: expected NAME or NAME=VALUE"};
        }
    }
    return base::Done{};
}

std::vector<std::string> definition_flags(std::string_view options) {
    std::vector<std::string> flags;
    for (const std::string& word : words_of(options)) {
        flags.push_back("-D" + word);
    }
    return flags;
}

}  // namespace weft::compute
