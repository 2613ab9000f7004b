"""A viewport's link to a running `weft serve`: what was sent, what has come, what is shown.

The server runs as long as the viewport. Nothing here waits but for the start, and for the picture of
another camera as long as the caller says. This module knows
nothing of Blender.
"""

import os
import shutil
import tempfile
import time
import weakref

from .server import Client, Server, ServerFault

# How often the status is asked for.
STATUS_S = 0.25


class Viewport:
    """One viewport. All of it is used by one thread."""

    def __init__(self, program, options=()):
        """Starts a server and connects. Raises ServerFault."""
        self.folder = tempfile.mkdtemp(prefix="weft-viewport-")
        # Also where the host ends without ending its viewports; the server ends by itself then.
        self.remove_files = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.memories = set()  # of meshes that the server has not read yet
        self.client = None
        try:
            self.server = Server(program, ["--quiet", *options])
        except ServerFault:
            self.remove_files()
            raise
        try:
            self.client = Client(self.server.path)
        except ServerFault:
            self.close()
            raise
        self.exports = 0
        self.waiting = {}  # by id of a message: what to do with its reply
        self.settings = None  # as sent last
        self.camera = None
        self.camera_job = None  # whose picture shows it; None: not known
        self.status = {}
        self.status_time = 0.0
        self.fault = ""  # a sentence on the last message that failed
        self.must_export = True  # an edit failed, or nothing was exported yet
        self.shown = 0  # the number of the picture that is drawn
        self.told = ""  # the words beside it

    def close(self):
        """Ends the server and removes all files."""
        if self.client is not None:
            self.client.close()
        self.server.stop()
        self.remove_files()
        while self.memories:
            os.close(self.memories.pop())

    def new_folder(self):
        """A folder for the next export: the server may still read the one before."""
        self.exports += 1
        folder = os.path.join(self.folder, str(self.exports))
        os.mkdir(folder, 0o700)
        return folder

    def load(self, path, options):
        """Shows an exported scene; its folder is removed when it has been read."""
        self.must_export = False
        self.fault = ""
        self.send({"do": "load", "scenes": [path], "options": options}, lambda reply: self.loaded(path, reply))
        if self.camera is not None:  # a scene that is read has its own
            self.send_camera()

    def loaded(self, path, reply):
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        self.note(reply)

    def send_mesh(self, name, write):
        """Gives a mesh other triangles: `write` puts a file of them into a memory that the server reads."""
        memory = os.memfd_create("weft-mesh")
        with open(memory, "wb", closefd=False) as file:
            write(file)
        self.memories.add(memory)
        message = {"do": "mesh", "mesh": name, "file": f"/proc/{os.getpid()}/fd/{memory}"}
        self.send(message, lambda reply: self.mesh_read(memory, reply))

    def mesh_read(self, memory, reply):
        self.memories.discard(memory)
        os.close(memory)
        self.edited(reply)

    def edit(self, edits):
        """Makes edits; where they do not fit, the next update exports the scene."""
        if edits:
            self.send({"do": "edit", "edits": edits}, self.edited)

    def edited(self, reply):
        self.must_export = self.must_export or not reply["ok"]
        self.note(reply)

    def set_settings(self, settings):
        """How to render: the members of the message, sent where they changed."""
        if settings != self.settings:
            self.settings = settings
            self.send({"do": "settings", **settings}, self.note)

    def set_camera(self, camera, patience_s):
        """The value of the edit "camera", sent where it changed; waits so long at most for a picture of it."""
        if camera == self.camera:
            return
        self.camera = camera
        self.send_camera()
        end = time.monotonic() + patience_s
        while time.monotonic() < end and not self.shows_camera():
            self.client.rest(end)
            self.poll()

    def shows_camera(self):
        """Whether there is a picture of the camera that was sent last."""
        return self.camera_job is not None and self.client.newest_job() >= self.camera_job

    def send_camera(self):
        self.camera_job = None
        self.send({"do": "edit", "edits": [{"path": "camera", "value": self.camera}]}, self.camera_sent)

    def camera_sent(self, reply):
        self.camera_job = reply.get("job")
        self.note(reply)

    def send(self, message, on_reply):
        self.waiting[self.client.send(message)] = on_reply

    def note(self, reply):
        """Keeps the sentence of a message that failed."""
        if not reply["ok"]:
            self.fault = reply["error"]

    def take_status(self, reply):
        self.status = reply

    def poll(self):
        """Takes replies and asks for the status. Raises ServerFault where the server has ended."""
        now = time.monotonic()
        if now - self.status_time > STATUS_S:
            self.status_time = now
            self.send({"do": "status"}, self.take_status)
        self.client.poll()
        for number in list(self.waiting):
            reply = self.client.reply(number)
            if reply is not None:
                self.waiting.pop(number)(reply)

    def has_news(self):
        """Whether there is another picture than the one that is drawn, or more to tell of it."""
        self.poll()
        return self.must_export or self.client.newest() != self.shown or self.words() != self.told

    def new_picture(self):
        """A picture that is not drawn yet; None where there is none."""
        picture = self.client.picture() if self.client.newest() != self.shown else None
        if picture is not None:
            self.shown = picture.number
        return picture

    def words(self):
        """A line on how far the picture is."""
        fault = self.fault or self.status.get("fault", "")
        if fault:
            return fault
        if "samples" not in self.status:
            return "Starting"
        return f"{self.status['samples']:.0f} / {self.status['samples_wanted']} samples"
