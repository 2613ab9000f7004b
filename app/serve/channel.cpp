#include "app/serve/channel.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace weft::app::serve {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 16;

bool is_not_now(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

// One call of the system; `maybe_file` goes with the first byte.
ssize_t send_once(int socket, std::string_view bytes, const pages::FileDescriptor* maybe_file) {
    iovec part = {const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (maybe_file != nullptr) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* const head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        const int number = maybe_file->number();
        std::memcpy(CMSG_DATA(head), &number, sizeof(number));
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace

void Channel::wait(int most_ms) {
    const bool is_sending = !unsent_.empty();
    pollfd watched = {socket_.number(), static_cast<short>(is_sending ? POLLOUT : POLLIN), 0};
    if (is_open() && ::poll(&watched, 1, most_ms) > 0 && is_sending) {
        flush();
    }
}

std::optional<std::string> Channel::next() {
    std::optional<std::string> message = reader_.next();
    while (!message && reader_.fault().empty() && read_more()) {
        message = reader_.next();
    }
    return message;
}

bool Channel::read_more() {
    if (!is_open()) {
        return false;
    }
    std::array<char, kReadBytes> bytes;
    const ssize_t count = ::recv(socket_.number(), bytes.data(), bytes.size(), 0);
    if (count > 0) {
        reader_.take({bytes.data(), static_cast<std::size_t>(count)});
        return true;
    }
    if (count == 0) {
        close(reader_.is_inside_message() ? "the client went in the middle of a message" : "");
    } else if (!is_not_now(errno)) {
        close(std::string("the client cannot be read: ") + std::strerror(errno));
    }
    return false;
}

void Channel::send(std::string_view text, const pages::FileDescriptor* maybe_file) {
    unsent_ = framed(text);
    maybe_file_ = maybe_file;
    flush();
}

void Channel::flush() {
    while (is_open() && !unsent_.empty()) {
        const ssize_t count = send_once(socket_.number(), unsent_, maybe_file_);
        if (count > 0) {
            unsent_.erase(0, static_cast<std::size_t>(count));
            maybe_file_ = nullptr;
        } else if (count < 0 && is_not_now(errno)) {
            return;
        } else {
            close("the client does not take what it is sent");
        }
    }
}

bool Channel::is_gone() const {
    pollfd watched = {socket_.number(), POLLRDHUP, 0};
    return !is_open() || (::poll(&watched, 1, 0) > 0 && (watched.revents & ~POLLIN) != 0);
}

void Channel::close(const std::string& fault) {
    fault_ = fault;
    socket_ = pages::FileDescriptor();
}

}  // namespace weft::app::serve
