// host.h — the other end of a session, for tests: sends messages, takes replies, events and the
// memory of pictures. It turns the session itself, so that no second thread is needed.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/serve/message_reader.h"
#include "app/serve/session.h"
#include "tests/app/serve/picture_reader.h"

namespace weft::app::serve::testing {

using Json = nlohmann::json;

inline const std::string kCornell = WEFT_SOURCE_DIR "/scenes/cornell.gltf";

class Host {
public:
    // Usual options of a server of two threads, where the client may save files in a folder.
    explicit Host(const std::string& save_folder = "") {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) ==
                0);
        socket_ = pages::FileDescriptor(ends[0]);
        channel_ = std::make_unique<Channel>(pages::FileDescriptor(ends[1]));
        RenderOptions usual;
        usual.threads = 2;
        session_ = std::make_unique<Session>(*channel_, usual, save_folder, "weft serve");
    }

    [[nodiscard]] Session& session() { return *session_; }

    [[nodiscard]] const Channel& channel() const { return *channel_; }

    // Sends bytes as they are; the session reads meanwhile.
    void put(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count =
                ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            REQUIRE((count > 0 || !session_->is_over()));
            bytes.remove_prefix(static_cast<std::size_t>(std::max(count, ssize_t{0})));
            if (!bytes.empty()) {
                session_->turn();
            }
        }
    }

    // Sends bytes with a descriptor, that of the host's own socket.
    void put_with_file(std::string bytes) {
        iovec part = {bytes.data(), bytes.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        msghdr message = {};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        const int number = socket_.number();
        std::memcpy(CMSG_DATA(head), &number, sizeof(number));
        REQUIRE(::sendmsg(socket_.number(), &message, MSG_NOSIGNAL) ==
                static_cast<ssize_t>(bytes.size()));
    }

    void put(const Json& message) { put(std::string_view(framed(message.dump()))); }

    void hang_up() { socket_ = pages::FileDescriptor(); }

    // Turns the session until the next reply or, where `takes_events`, event.
    Json next(bool takes_events = false) {
        for (;;) {
            while (const std::optional<std::string> text = reader_.next()) {
                Json message = Json::parse(*text);
                if (takes_events || !message.contains("event")) {
                    return message;
                }
            }
            REQUIRE(!(session_->is_over() && !read_more()));
            if (!session_->is_over()) {
                session_->turn();
            }
            read_more();
        }
    }

    // The reply to a message.
    Json ask(const Json& message) {
        put(message);
        return next();
    }

    // The same where it has to succeed.
    Json do_well(const Json& message) {
        Json reply = ask(message);
        REQUIRE_MESSAGE(reply.at("ok") == true, reply.dump());
        return reply;
    }

    std::string refusal_of(const Json& message) {
        const Json reply = ask(message);
        REQUIRE(reply.at("ok") == false);
        return reply.at("error");
    }

    // Turns the session until a picture of this job has so many samples.
    CopiedPicture await_picture(u64 job, u32 samples) {
        for (;;) {
            if (reader_of_pictures_) {
                const u64 number = reader_of_pictures_->newest();
                std::optional<CopiedPicture> copied = reader_of_pictures_->copy(number);
                if (copied && copied->header.job >= job && copied->header.samples >= samples) {
                    return std::move(*copied);
                }
            }
            next(true);
        }
    }

    // Memories that came so far.
    [[nodiscard]] u32 memories() const { return memories_; }

private:
    // Reads once; false: nothing came.
    bool read_more() {
        std::array<char, 4096> bytes;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        iovec part = {bytes.data(), bytes.size()};
        msghdr message = {};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t count = ::recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC);
        if (count <= 0) {
            return false;
        }
        if (const cmsghdr* const head = CMSG_FIRSTHDR(&message)) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(head), sizeof(number));
            take_memory(pages::FileDescriptor(number));
        }
        reader_.take({bytes.data(), static_cast<std::size_t>(count)});
        return true;
    }

    void take_memory(const pages::FileDescriptor& file) {
        struct stat status = {};
        REQUIRE(::fstat(file.number(), &status) == 0);
        reader_of_pictures_ =
            std::make_unique<PictureReader>(file.number(), static_cast<u64>(status.st_size));
        ++memories_;
    }

    pages::FileDescriptor socket_;
    std::unique_ptr<Channel> channel_;
    std::unique_ptr<Session> session_;
    MessageReader reader_;
    std::unique_ptr<PictureReader> reader_of_pictures_;
    u32 memories_ = 0;
};

}  // namespace weft::app::serve::testing
