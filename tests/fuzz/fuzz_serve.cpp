// fuzz_serve.cpp — what a client sends to `weft serve`: a stream that is cut anywhere, and the text
// of one message with its options. fuzz_edits.cpp applies edits.
#include <string_view>

#include "app/serve/message_reader.h"
#include "app/serve/option_words.h"
#include "app/serve/request.h"
#include "scheduler/base/ensure.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace weft;

std::vector<std::string> messages_of(std::string_view stream, std::size_t cut) {
    app::serve::MessageReader reader;
    std::vector<std::string> messages;
    for (const std::string_view part : {stream.substr(0, cut), stream.substr(cut)}) {
        reader.take(part);
        while (std::optional<std::string> message = reader.next()) {
            messages.push_back(std::move(*message));
        }
    }
    ENSURE(messages.size() * (app::serve::kLengthBytes + 1), <=, stream.size());
    return messages;
}

void check_words(const std::vector<std::string>& words) {
    for (const auto& read :
         {app::serve::read_render_words({}, words), app::serve::read_scene_words({}, words)}) {
        if (!read.is_ok()) {
            fuzz::check_sentence(read.error(), "");
        }
    }
}

void check_message(std::string_view text) {
    const app::serve::ReadRequest read = app::serve::read_request(text);
    if (read.request.is_ok()) {
        check_words(read.request.value().options);
    } else {
        fuzz::check_sentence(read.request.error(), "");
        ENSURE(read.request.error().sentence.size(), <, 1000U);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const u8* bytes, std::size_t size_bytes) {
    static_cast<void>(fuzz::scratch());
    const std::string_view input(reinterpret_cast<const char*>(bytes), size_bytes);
    const std::vector<std::string> messages = messages_of(input, 0);
    const bool is_same = messages == messages_of(input, size_bytes / 2);
    ENSURE(is_same, ==, true);
    for (const std::string& message : messages) {
        check_message(message);
    }
    check_message(input);
    return 0;
}
