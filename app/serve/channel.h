// channel.h — the connection to one client: whole messages in, one message out at a time.
//
// Nothing here waits but wait(). A client that does not read what it was sent gets nothing more,
// and nothing more of it is read: so memory is bounded by one message each way. Descriptors that a
// client sends are dropped. One thread, but for is_gone().
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/serve/message_reader.h"
#include "engine/pages/file_descriptor.h"

namespace weft::app::serve {

class Channel {
public:
    // A connected socket that does not block.
    explicit Channel(pages::FileDescriptor socket) : socket_(std::move(socket)) {}

    // Waits for bytes of the client, or for room for those that wait to be sent, for so many
    // milliseconds at most.
    void wait(int most_ms);

    // The next whole message, as far as bytes have come. Only where is_free().
    std::optional<std::string> next();

    // Sends a message; a descriptor goes with its first byte, and has to stay open until
    // is_free(). Only where that is so.
    void send(std::string_view text, const pages::FileDescriptor* maybe_file = nullptr);

    // The sentence on bytes that are no messages, found by next(); empty: there is none. Nothing
    // more can be read.
    [[nodiscard]] const std::string& broken_by() const { return reader_.fault(); }

    // Everything was sent. A closed channel is not free.
    [[nodiscard]] bool is_free() const { return is_open() && unsent_.empty(); }

    [[nodiscard]] bool is_open() const { return socket_.is_open(); }

    // Whether the client has hung up. Any thread.
    [[nodiscard]] bool is_gone() const;

    // Why the channel was closed; empty: the client went, after a whole message.
    [[nodiscard]] const std::string& fault() const { return fault_; }

    void close(const std::string& fault);

private:
    // Reads once. False: nothing has come.
    bool read_more();
    // Sends as much as goes.
    void flush();

    pages::FileDescriptor socket_;
    MessageReader reader_;
    std::string unsent_;
    const pages::FileDescriptor* maybe_file_ = nullptr;  // goes with the next byte
    std::string fault_;
};

}  // namespace weft::app::serve
