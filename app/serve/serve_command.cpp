#include "app/serve/serve_command.h"

#include <filesystem>
#include <new>
#include <system_error>
#include <unistd.h>

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/option_values.h"
#include "app/command/signals.h"
#include "app/command/standard_output.h"
#include "app/serve/listening_socket.h"
#include "app/serve/reply.h"
#include "app/serve/session.h"
#include "scheduler/base/clock.h"

namespace weft::app {

namespace {

using serve::Channel;
using serve::ListeningSocket;
using serve::Session;

// A signal waits so long at most while nobody is connected.
constexpr int kAcceptWait_ms = 200;
// A client that is refused has said hello by then, which it does at once.
constexpr int kHelloWait_ms = 200;
// A host that has not connected by then has ended.
constexpr double kMostWait_s = 60;

// Tells a client that it is not served, and why.
void refuse(pages::FileDescriptor socket, const std::string& why) {
    say(Level::Warning, "refused " + why);
    Channel channel(std::move(socket));
    // A connection that is closed with bytes unread is reset, and the reply may be lost with it.
    channel.wait(kHelloWait_ms);
    static_cast<void>(channel.next());
    if (channel.is_free()) {
        channel.send(serve::error_reply(0, why));
    }
}

// Whether the client belongs to this user. Refuses the clients of other users with a reason.
bool is_own(pages::FileDescriptor& client) {
    const base::Status checked = serve::check_peer(client, ::geteuid());
    if (!checked.is_ok()) {
        refuse(std::move(client), checked.error().sentence);
    }
    return checked.is_ok();
}

// The next client of this user; none: a signal, or nobody has come.
std::optional<pages::FileDescriptor> await_client(const ListeningSocket& socket, bool stays) {
    const auto begin = base::Clock::now();
    while (!was_interrupted() && (stays || base::seconds_since(begin) < kMostWait_s)) {
        std::optional<pages::FileDescriptor> client = socket.accept(kAcceptWait_ms);
        if (client && is_own(*client)) {
            return client;
        }
    }
    return std::nullopt;
}

// What is left when a client has gone.
struct Left {
    bool is_asked_to_end = false;
    std::optional<pages::FileDescriptor> next;  // a client that came meanwhile
};

// Serves a client until it goes.
Left serve_client(pages::FileDescriptor client,
                  const ListeningSocket& socket,
                  const ServeOptions& options) {
    Channel channel(std::move(client));
    Session session(channel, options.render, options.save_folder, options.command_line);
    Left left;
    while (!session.is_over() && !was_interrupted()) {
        session.turn();
        std::optional<pages::FileDescriptor> other = socket.accept(0);
        if (!other || !is_own(*other)) {
            continue;
        }
        // One that connects after the first has hung up is the next one.
        if (channel.is_gone() && !left.next) {
            left.next = std::move(other);
        } else {
            refuse(std::move(*other), "a second client: another one is served");
        }
    }
    if (!channel.fault().empty()) {
        say(Level::Warning, channel.fault());
    }
    left.is_asked_to_end = session.is_quitting();
    return left;
}

// Error: the folder for files of clients is none.
base::Status check_save_folder(const std::string& folder) {
    std::error_code error;
    if (folder.empty() || std::filesystem::is_directory(folder, error)) {
        return base::Done{};
    }
    return base::Error{
        base::ErrorKind::Output,
        folder + ": is no folder; expected one for files of clients (--save-folder)"};
}

// Folders of a server are explained with its command.
base::Error with_command_page(const base::Error& error) {
    return {error.kind, with_page(error.sentence, "serve")};
}

int serve_all(const ServeOptions& options) {
    const base::Status folder = check_save_folder(options.save_folder);
    if (!folder.is_ok()) {
        return fail(with_command_page(folder.error()));
    }
    const base::Result<ListeningSocket> socket = ListeningSocket::open(options.folder);
    if (!socket.is_ok()) {
        return fail(with_command_page(socket.error()));
    }
    stop_on_signal();
    if (!put_on_stdout(socket.value().path() + "\n")) {
        return kExitOutput;
    }
    Left left;
    do {
        std::optional<pages::FileDescriptor> client =
            left.next ? std::move(left.next) : await_client(socket.value(), options.stays);
        if (!client && !was_interrupted()) {
            return fail({base::ErrorKind::Render, "no client has come within a minute"});
        }
        if (client) {
            left = serve_client(std::move(*client), socket.value(), options);
        }
    } while (options.stays && !left.is_asked_to_end && !was_interrupted());
    return was_interrupted() ? kExitSignal : kExitDone;
}

}  // namespace

void add_serve_options(Command& command, ServeOptions& options) {
    command.add({"--folder",
                 "folder of the socket, which nobody else may enter",
                 "",
                 "weft in $XDG_RUNTIME_DIR, else a new one for temporary files"},
                any_text(options.folder, "FOLDER"));
    command.add(
        {"--save-folder", "folder that the client may save pictures and edits in", "", "none"},
        any_text(options.save_folder, "FOLDER"));
    command.add_flag({"--stay", "wait for another client when one has gone"}, options.stays);
    add_device_options(command, options.render);
    add_cache_options(command, "Machine", options.render);
    add_message_options(command, options.render);
}

int run_serve(const ServeOptions& options) {
    try {
        return serve_all(options);
    } catch (const std::bad_alloc&) {
        return fail_without_memory(
            "out of memory: the scene or the picture is too large for this machine");
    } catch (const std::system_error& error) {
        return fail(no_thread(error));
    }
}

}  // namespace weft::app
