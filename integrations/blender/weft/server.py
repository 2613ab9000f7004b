"""A client of `weft serve`: starts the program, sends it messages, and takes pictures from shared memory.

app/serve/protocol.md describes the protocol. Nothing here waits but `Server.start`, `Client.wait` and `Client.rest`: a
viewport asks between two frames of its own. This module knows nothing of Blender.
"""

import json
import mmap
import os
import select
import signal
import socket
import stat
import struct
import subprocess
import time
from dataclasses import dataclass

VERSION = 1
MOST_MESSAGE_BYTES = 1 << 20
LENGTH = struct.Struct("<I")
MAGIC = b"WEFTPIC1"
MEMORY_HEADER = struct.Struct("<8sQIIQ")
PLACE_HEADER = struct.Struct("<QQ10I")
MEMORY_HEADER_BYTES = 64
FIRST_PIXEL = 192
COARSE, DENOISED = 1, 2

# How long a program may take to say where it listens.
START_TIMEOUT_S = 20
# How often a picture is copied anew because another one was written meanwhile.
MOST_COPIES = 8


class ServerFault(Exception):
    """A server that cannot be started, is gone or speaks something else; the text is a sentence."""


@dataclass
class Picture:
    """A whole picture. `pixels` are bytes, rows from the top: floats or bytes, four a pixel."""

    number: int
    job: int
    width: int
    height: int
    full_width: int
    full_height: int
    region: tuple  # x0, y0, x1, y1 of the full picture
    samples: int  # the least of all pixels; 0 while coarse
    is_coarse: bool
    is_denoised: bool
    is_linear: bool
    pixels: bytes


class Server:
    """A running `weft serve`."""

    def __init__(self, program, options=()):
        """Starts the program and waits until it listens. Raises ServerFault."""
        line = [program, "serve", *options]
        try:
            # A group of its own: a signal from the host's terminal does not reach it.
            self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True, errors="replace",
                                            start_new_session=True)
        except OSError as fault:
            raise ServerFault(f"{program} cannot be started ({fault})") from fault
        self.path = self.read_path(program)
        # What the server says later goes nowhere: a full pipe must not stop it.
        self.process.stderr.close()

    def read_path(self, program):
        """The line with the socket's path, or a ServerFault with what the program said instead."""
        if select.select([self.process.stdout], [], [], START_TIMEOUT_S)[0]:
            path = self.process.stdout.readline().strip()
            if path:
                return path
        self.process.kill()
        said = self.process.communicate()[1].strip().splitlines()
        raise ServerFault(said[-1].removeprefix("weft: ") if said else f"{program} serve does not listen")

    def stop(self):
        """Ends the program."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()


def check_socket(path):
    """Refuses a socket that another user may have put there."""
    folder = os.lstat(os.path.dirname(path))
    if folder.st_uid != os.geteuid() or stat.S_IMODE(folder.st_mode) & 0o077:
        raise ServerFault(f"{os.path.dirname(path)} is not a folder of this user alone")
    if os.lstat(path).st_uid != os.geteuid():
        raise ServerFault(f"{path} belongs to another user")


class Client:
    """A connection. Replies and events are taken by `poll`; pictures by `picture`."""

    def __init__(self, path):
        """Connects and says hello. Raises ServerFault."""
        self.memory = None
        self.received = b""
        self.unsent = b""
        self.next_id = 0
        self.has_ended = False
        self.replies = {}  # by id, until they are asked for
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            check_socket(path)
            self.socket.connect(path)
        except OSError as fault:
            self.socket.close()
            raise ServerFault(f"{path} does not answer ({fault})") from fault
        self.socket.setblocking(False)
        reply = self.wait(self.send({"do": "hello", "version": VERSION}))
        if not reply["ok"]:
            raise ServerFault(reply["error"])

    def close(self):
        self.socket.close()
        if self.memory is not None:
            self.memory.close()
            self.memory = None

    def send(self, message):
        """Sends a message as far as the socket takes it; returns its id."""
        self.next_id += 1
        text = json.dumps({**message, "id": self.next_id}).encode()
        if len(text) > MOST_MESSAGE_BYTES:
            raise ServerFault(f"a message of {len(text)} bytes is too long")
        self.unsent += LENGTH.pack(len(text)) + text
        self.flush()
        return self.next_id

    def flush(self):
        """Sends what waits, as far as the socket takes it."""
        while self.unsent:
            try:
                count = self.socket.send(self.unsent)
            except BlockingIOError:
                return
            except (BrokenPipeError, ConnectionResetError):
                self.unsent = b""  # `receive` tells of the end, after what came before it
                return
            except OSError as fault:
                raise ServerFault(f"Weft has ended ({fault})") from fault
            self.unsent = self.unsent[count:]

    def poll(self):
        """Takes what has come, without waiting. Raises ServerFault where the server refuses the client."""
        self.flush()
        while self.receive():
            while True:
                message = self.next_message()
                if message is None:
                    break
                if "event" in message:
                    continue
                if message["id"] == 0 and not message["ok"]:  # of no message that was sent
                    raise ServerFault(message["error"])
                self.replies[message["id"]] = message

    def receive(self):
        """Reads once; False where nothing has come."""
        try:
            data, files, _, _ = socket.recv_fds(self.socket, 1 << 16, 4)
        except BlockingIOError:
            return False
        except OSError as fault:
            raise ServerFault(f"Weft has ended ({fault})") from fault
        for file in files:
            self.map_memory(file)
        if not data and self.has_ended:
            raise ServerFault("Weft has ended")
        if not data:  # told by the next call, for what came before is to be read
            self.has_ended = True
            return False
        self.received += data
        return True

    def next_message(self):
        """The next whole message; None where it has not come yet."""
        if len(self.received) < LENGTH.size:
            return None
        end = LENGTH.size + LENGTH.unpack_from(self.received)[0]
        if len(self.received) < end:
            return None
        text, self.received = self.received[LENGTH.size:end], self.received[end:]
        return json.loads(text)

    def map_memory(self, file):
        """Takes the memory of pictures from now on."""
        try:
            mapped = mmap.mmap(file, os.fstat(file).st_size, mmap.MAP_SHARED, mmap.PROT_READ)
        finally:
            os.close(file)
        if self.memory is not None:
            self.memory.close()
        self.memory = mapped

    def reply(self, number):
        """The reply to a message; None where it has not come yet."""
        return self.replies.pop(number, None)

    def wait(self, number, timeout_s=None):
        """Waits for the reply to a message. Raises ServerFault, also where it does not come in time."""
        while True:
            self.poll()
            reply = self.reply(number)
            if reply is not None:
                return reply
            writing = [self.socket] if self.unsent else []
            if not any(select.select([self.socket], writing, [], timeout_s)):
                raise ServerFault("Weft does not answer")

    def rest(self, end):
        """Waits until something has come, until `end` (time.monotonic) at most."""
        select.select([self.socket], [], [], max(end - time.monotonic(), 0))

    def newest(self):
        """The number of the newest picture; 0: none."""
        return MEMORY_HEADER.unpack_from(self.memory)[1] if self.memory is not None else 0

    def newest_job(self):
        """The job that the newest picture shows; 0: there is none."""
        number = self.newest()
        if number == 0:
            return 0
        header_bytes = MEMORY_HEADER.unpack_from(self.memory)[3]
        return PLACE_HEADER.unpack_from(self.memory, MEMORY_HEADER_BYTES + header_bytes * (number % 2))[1]

    def picture(self):
        """The newest picture, whole; None where there is none."""
        for _ in range(MOST_COPIES):
            number = self.newest()
            if number == 0:
                return None
            copied = self.copy_place(number)
            if copied is not None:
                return copied
        return None

    def copy_place(self, number):
        """The picture of this number; None where another one is being written in its place."""
        magic, _, kind, header_bytes, place_bytes = MEMORY_HEADER.unpack_from(self.memory)
        if magic != MAGIC:
            raise ServerFault("the memory of the pictures is of another version")
        header_at = MEMORY_HEADER_BYTES + header_bytes * (number % 2)
        header = PLACE_HEADER.unpack_from(self.memory, header_at)
        sequence, job, width, height, full_width, full_height, x0, y0, x1, y1, samples, flags = header
        begin = FIRST_PIXEL + place_bytes * (number % 2)
        size = width * height * (16 if kind == 0 else 4)
        if sequence != 2 * number or size > place_bytes:
            return None
        pixels = self.memory[begin:begin + size]
        if PLACE_HEADER.unpack_from(self.memory, header_at)[0] != sequence:
            return None
        return Picture(number, job, width, height, full_width, full_height, (x0, y0, x1, y1), samples,
                       bool(flags & COARSE), bool(flags & DENOISED), kind == 0, pixels)

