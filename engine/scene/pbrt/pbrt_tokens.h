// pbrt_tokens.h — the words of a pbrt-v4 scene file and of the files that it includes.
//
// A token is a directive or another bare word, a quoted string, a number, or a bracket; `#` starts
// a comment. In a string \" is a quote and \\ a backslash. Private to the pbrt importer; one
// thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/files/asset_root.h"
#include "engine/scene/model/size_rule.h"
#include "scheduler/base/result.h"

namespace weft::scene::pbrt {

// A file of the scene, and a line in it. The name outlives the import.
struct Place {
    const std::string* file = nullptr;
    u32 line = 0;

    [[nodiscard]] std::string text() const { return *file + ":" + std::to_string(line); }
};

base::Error error_at(const Place& place, const std::string& sentence);
// The error of a file that the scene names at `place`.
base::Error error_of_file(const Place& place, base::Error error);

struct Token {
    enum class Kind { Word, String, Number, Open, Close, End };
    Kind kind = Kind::End;
    std::string_view text;  // without quotes; valid while the reader lives
    double number = 0;
    Place place;
};

// Reads the tokens of a file, and of included files in its place.
class TokenReader {
public:
    // Files must lie in the folders of `roots`; `size` counts their bytes.
    TokenReader(const AssetRoots& roots, SizeRule& size) : roots_(roots), size_(size) {}

    base::Status open(const std::string& path);
    // Goes on with the file that the scene calls `name`, and comes back at its end.
    base::Status include(const std::string& name, const Place& place);

    // The next token; at the end of the last file, End.
    base::Result<Token> next();
    // The same without taking it.
    base::Result<Token> peek();

    // A place among the tokens, to come back to after reading on.
    struct Cursor;
    [[nodiscard]] Cursor cursor() const;
    void go_to(const Cursor& cursor);

    // How many files are open within each other where peek() looked or include() went; 0: none.
    [[nodiscard]] std::size_t depth() const { return open_.size(); }

private:
    struct File {
        std::string path;
        std::vector<u8> bytes;
    };

    struct Position {
        const File* file;
        std::size_t at;
        u32 line;
    };

    base::Status push(const std::string& path);
    base::Result<Token> read();
    void skip_space(Position& position) const;
    std::string_view without_escapes(std::string_view text);

    const AssetRoots& roots_;
    SizeRule& size_;
    std::vector<std::unique_ptr<File>> files_;  // all that were opened; tokens point into them
    std::deque<std::string> unescaped_;         // strings that had a backslash; tokens, too
    std::vector<Position> open_;                // the innermost last
    Place end_;                                 // of the file that ended last
    Token ahead_;
    bool has_ahead_ = false;
};

struct TokenReader::Cursor {
    std::vector<Position> open;
    Place end;
    Token ahead;
    bool has_ahead = false;
};

}  // namespace weft::scene::pbrt
