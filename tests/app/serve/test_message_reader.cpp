// test_message_reader.cpp — messages in a stream of bytes, wherever it is cut, and lengths that no
// message has.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/serve/message_reader.h"

namespace {

using namespace weft;
using app::serve::framed;
using app::serve::MessageReader;

std::string length_bytes(u32 length) {
    std::string bytes;
    for (u32 k = 0; k < 4; ++k) {
        bytes += static_cast<char>(length >> (8 * k) & 0xff);
    }
    return bytes;
}

}  // namespace

TEST_SUITE("app/serve/message_reader") {
    TEST_CASE("messages are the same wherever the stream is cut") {
        const std::string stream = framed("{}") + framed("{\"do\":\"status\"}") + framed("x");
        for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
            MessageReader reader;
            std::vector<std::string> found;
            for (const std::string& part : {stream.substr(0, cut), stream.substr(cut)}) {
                reader.take(part);
                while (const std::optional<std::string> message = reader.next()) {
                    found.push_back(*message);
                }
            }
            CHECK(found == std::vector<std::string>{"{}", "{\"do\":\"status\"}", "x"});
            CHECK(!reader.is_inside_message());
            CHECK(reader.fault().empty());
        }
    }

    TEST_CASE("a message that is not whole is none yet") {
        MessageReader reader;
        const std::string whole = framed("{\"do\":\"status\"}");
        reader.take(whole.substr(0, whole.size() - 1));
        CHECK(!reader.next());
        CHECK(reader.is_inside_message());
        reader.take(whole.substr(whole.size() - 1));
        CHECK(reader.next() == "{\"do\":\"status\"}");
        CHECK(!reader.is_inside_message());
    }

    TEST_CASE("a length of 4 GB is a fault before any of its bytes come") {
        for (const u32 length : {0xffffffffU, 0x80000000U, app::serve::kMostMessageBytes + 1, 0U}) {
            CAPTURE(length);
            MessageReader reader;
            reader.take(length_bytes(length));
            CHECK(!reader.next());
            CHECK(reader.fault() ==
                  "a message of " + std::to_string(length) + " bytes; expected 1 to 1048576");
            // Nothing is read after it, however well it looks.
            reader.take(framed("{}"));
            CHECK(!reader.next());
        }
    }

    TEST_CASE("the longest message is read") {
        MessageReader reader;
        const std::string text(app::serve::kMostMessageBytes, 'x');
        reader.take(framed(text));
        CHECK(reader.next() == text);
    }
}
