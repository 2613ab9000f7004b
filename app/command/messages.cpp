#include "app/command/messages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "app/command/exit_code.h"
#include "app/command/standard_output.h"
#include "scheduler/base/printable.h"

namespace weft::app {

namespace {

constexpr std::array<std::string_view, 4> kLevels = {"error", "warning", "info", "debug"};

// relaxed, both: set before other threads start.
std::atomic<Level> most_level{Level::Info};
std::atomic<MessageStyle> wanted_style{MessageStyle::Text};

constexpr std::size_t kReserveBytes = std::size_t{1} << 20;
// Of the thread that main() runs on.
std::vector<char> reserve;

}  // namespace

std::string_view level_name(Level level) {
    return kLevels[static_cast<std::size_t>(level)];
}

void choose_messages(Level most, MessageStyle style) {
    most_level.store(most, std::memory_order_relaxed);
    wanted_style.store(style, std::memory_order_relaxed);
}

void put_on_stderr(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
        if (count > 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return;
        }
    }
}

std::string message_line(Level level, std::string_view sentence) {
    if (level > most_level.load(std::memory_order_relaxed)) {
        return {};
    }
    if (wanted_style.load(std::memory_order_relaxed) != MessageStyle::Json) {
        return "weft: " + base::printable(sentence) + "\n";
    }
    using nlohmann::json;
    const json object = {{"schema", kLineSchema},
                         {"level", kLevels[static_cast<std::size_t>(level)]},
                         {"message", sentence}};
    return base::printable(object.dump(-1, ' ', false, json::error_handler_t::replace)) + "\n";
}

void say(Level level, std::string_view sentence) {
    put_on_stderr(message_line(level, sentence));
}

base::Error no_thread(const std::system_error& refusal) {
    return {base::ErrorKind::Render,
            std::string("a thread could not be started (") + refusal.what() +
                "); expected room for as many as --threads says"};
}

void say_failed(std::string_view sentence) {
    if (wanted_style.load(std::memory_order_relaxed) == MessageStyle::OpenJd) {
        put_on_stdout("openjd_fail: " + base::printable(sentence) + "\n");
    }
}

std::string with_page(std::string sentence, std::string_view page) {
    if (page.empty() || sentence.find("see weft") != std::string::npos) {
        return sentence;
    }
    if (sentence.ends_with('.')) {
        sentence.pop_back();
    }
    return sentence + "; see weft help " + std::string(page);
}

std::string with_page(const base::Error& error) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const std::string& sentence = error.sentence;
    const std::size_t end = std::min(sentence.find_first_not_of(kLetters), sentence.size());
    if (sentence.starts_with("--") && end > 2) {
        return with_page(sentence, sentence.substr(2, end - 2));
    }
    const bool is_of_output = error.kind == base::ErrorKind::Output || sentence.starts_with("-o ");
    return with_page(sentence, is_of_output ? kFilesPage : "");
}

void reserve_failure() {
    reserve.assign(kReserveBytes, 1);
}

int fail_without_memory(const char* sentence) noexcept {
    std::vector<char>().swap(reserve);
    try {
        return fail({base::ErrorKind::Memory, sentence});
    } catch (const std::bad_alloc&) {
        for (const std::string_view text :
             {std::string_view("weft: "), std::string_view(sentence), std::string_view("\n")}) {
            put_on_stderr(text);
        }
        return kExitMemory;
    }
}

int fail(const base::Error& error) {
    if (error.kind == base::ErrorKind::Memory) {
        std::vector<char>().swap(reserve);
    }
    const std::string sentence = with_page(error);
    say(Level::Error, sentence);
    say_failed(sentence);
    return exit_code(error.kind);
}

}  // namespace weft::app
