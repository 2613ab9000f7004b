// test_printable.cpp — characters that a terminal would execute are escaped, all others stay.
#include <doctest/doctest.h>

#include "scheduler/base/printable.h"

using weft::base::LineEnds;
using weft::base::printable;

TEST_SUITE("scheduler/base/printable") {
    TEST_CASE("plain text of any language stays as it is") {
        for (const char* text : {"", "oak 2", "Größe ≤ 3 µm", "木の床", "😀", "a\\b"}) {
            CHECK(printable(text) == text);
        }
    }

    TEST_CASE("control characters become escapes") {
        CHECK(printable("\x1b]0;title\x07") == "\\u001b]0;title\\u0007");
        CHECK(printable("a\rb\tc\x7f") == "a\\u000db\\u0009c\\u007f");
        CHECK(printable("\xc2\x9b"
                        "2J") == "\\u009b2J");  // the C1 form of ESC [
        CHECK(printable(std::string_view("a\0b", 3)) == "a\\u0000b");
        CHECK(printable("gpj\xe2\x80\xae"
                        "exe") == "gpj\\u202eexe");
    }

    TEST_CASE("a line end is kept in reports alone") {
        CHECK(printable("a\nb") == "a\\u000ab");
        CHECK(printable("a\nb\x1b", LineEnds::Kept) == "a\nb\\u001b");
    }

    TEST_CASE("bytes that are no UTF-8 become escapes one by one") {
        CHECK(printable("\xff") == "\\xff");
        CHECK(printable("a\xc3") == "a\\xc3");                  // cut off
        CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
        CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");  // overlong C1
        CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // surrogate
        CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
        CHECK(printable("\x9b"
                        "2J") == "\\x9b2J");  // Latin-1 C1
    }
}
