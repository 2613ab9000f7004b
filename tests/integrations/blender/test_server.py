"""test_server.py — the client of `weft serve` that the add-on uses, without Blender.

    test_server.py WEFT                      the protocol: pictures, edits, errors, ends
    test_server.py WEFT orbit [SCENE…]       no test: from a camera to its first picture, 640×360, 30 orbits
"""

import array
import json
import math
import os
import select
import socket
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

from test_modules import check, load

HERE = Path(__file__).resolve().parent
SCENES = HERE.parents[2] / "scenes"
SIZE = (48, 32)
ORBITS = 30


def settings(size, samples, pixels="linear", denoise=False):
    return {"do": "settings", "pixels": pixels, "denoise": denoise,
            "options": ["--width", str(size[0]), "--height", str(size[1]), "--spp", str(samples)]}


def do(client, message):
    """The reply to a message, which has to succeed."""
    reply = client.wait(client.send(message))
    check(reply["ok"], f"{message['do']} succeeds: {reply.get('error', '')}")
    return reply


def await_picture(client, job, samples=0):
    """A picture of a job with so many samples."""
    while True:
        client.poll()
        picture = client.picture()
        if picture is not None and picture.job >= job and picture.samples >= samples:
            return picture
        select.select([client.socket], [], [])


def await_done(client):
    """The status after a job's last picture: the quality filter makes one more once all samples are there."""
    while True:
        status = client.wait(client.send({"do": "status"}))
        if not status["ok"] or status["state"] == "done":
            return status
        time.sleep(0.01)


def floats_of(picture):
    return array.array("f", picture.pixels)


def refusal_of(client, message):
    reply = client.wait(client.send(message))
    return "" if reply["ok"] else reply["error"]


def test_pictures(server, client):
    do(client, settings(SIZE, 4))
    job = do(client, {"do": "load", "scenes": [str(SCENES / "cornell.gltf")]})["job"]
    first = await_picture(client, job, 4)
    check((first.width, first.height, first.is_linear) == (*SIZE, True), "a picture has the size that was asked for")
    pixels = floats_of(first)
    check(len(pixels) == 4 * SIZE[0] * SIZE[1] and max(pixels) > 0.5, "and holds light")
    # The camera.
    camera = {"path": "camera", "value": {"yfov_deg": 20}}
    near = await_picture(client, do(client, {"do": "edit", "edits": [camera]})["job"], 4)
    check(floats_of(near) != pixels, "another camera gives another picture")
    # The same settings give the same bits, as another size and back does.
    larger = await_picture(client, do(client, settings((96, 64), 1))["job"], 1)
    check((larger.width, larger.height) == (96, 64), "pictures grow")
    again = await_picture(client, do(client, settings(SIZE, 4))["job"], 4)
    check(again.pixels == near.pixels, "and the picture before comes back with its bits")
    shown = await_picture(client, do(client, settings(SIZE, 2, "display", True))["job"], 2)
    check(not shown.is_linear and shown.is_denoised and len(shown.pixels) == 4 * SIZE[0] * SIZE[1],
          "display values are bytes, denoised")
    status = await_done(client)
    check(status["ok"] and status["samples"] >= 2, "the status tells the samples")


def test_mesh(server, client):
    """A mesh in a memory of this process; it is the one that the scene has, so that the picture stays."""
    do(client, settings(SIZE, 2))
    job = do(client, {"do": "load", "scenes": [str(SCENES / "cornell.gltf")]})["job"]
    before = await_picture(client, job, 2)
    box = json.loads((SCENES / "cornell.gltf").read_text(encoding="utf-8"))
    numbers = {mesh["name"]: number for number, mesh in enumerate(box["meshes"])}
    box.update(nodes=[{"mesh": numbers["short box"]}], scenes=[{"nodes": [0]}])
    memory = os.memfd_create("mesh")
    os.write(memory, json.dumps(box).encode())
    message = {"do": "mesh", "mesh": "short box", "file": f"/proc/{os.getpid()}/fd/{memory}"}
    after = await_picture(client, do(client, message)["job"], 2)
    os.close(memory)
    check(after.job > job and after.pixels == before.pixels, "a mesh of this process's memory is read")
    refusal = refusal_of(client, message)
    check("/proc/" in refusal, f"one that is gone is refused: {refusal}")


def test_save(server, client, folder):
    do(client, {"do": "save", "file": "picture.png"})
    check(os.listdir(folder) == ["picture.png"], "a picture is saved in the folder")
    check("without a folder" in refusal_of(client, {"do": "save", "file": "../picture.png"}), "and none outside of it")


def test_errors(server, client):
    check("expected one of hello" in refusal_of(client, {"do": "dance"}), "an unknown message is refused")
    check("no/such.gltf" in refusal_of(client, {"do": "load", "scenes": ["/no/such.gltf"]}), "so is a missing scene")
    check("--spp" in refusal_of(client, {"do": "settings", "options": ["--spp", "x"]}), "and a wrong option")
    check(client.wait(client.send({"do": "status"}))["ok"], "the connection goes on")


def test_second(module, server, client):
    """Another client, with wrong bytes: nothing happens to the first."""
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.connect(server.path)
    text = b""
    while len(text) < 4 or len(text) < 4 + struct.unpack_from("<I", text)[0]:
        text += other.recv(4096)
    check("another one is served" in json.loads(text[4:])["error"], "a second client is told so")
    other.close()
    for _ in range(5):
        try:
            module.Client(server.path)
            refusal = ""
        except module.ServerFault as fault:
            refusal = str(fault)
        check(refusal == "a second client: another one is served", f"the client's fault says so: {refusal}")
    check(client.wait(client.send({"do": "status"}))["ok"], "and the first one goes on")


def test_start(module, weft, folder):
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        try:
            module.Server(weft, ["--folder", place])
            sentence = ""
        except module.ServerFault as fault:
            sentence = str(fault)
        check("others may enter it" in sentence, f"a folder for everybody is refused: {sentence}")
        path = os.path.join(place, "serve.sock")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(path)
            listening.listen()
            try:
                module.Client(path)
                sentence = ""
            except module.ServerFault as fault:
                sentence = str(fault)
        check("is not a folder of this user alone" in sentence, f"so is a socket in one: {sentence}")
    for option, what in ((["--nonsense"], "unknown option"), (["--threads", "x"], "--threads"),
                         (["--save-folder", "/no/such"], "--save-folder")):
        try:
            module.Server(weft, option)
            sentence = ""
        except module.ServerFault as fault:
            sentence = str(fault)
        check(what in sentence, f"a server that does not start is told in its sentence: {sentence}")


def test_end(module, weft, folder):
    """A server whose client dies in the middle of a message ends."""
    server = module.Server(weft, ["--folder", folder, "--threads", "1"])
    client = module.Client(server.path)
    client.socket.send(struct.pack("<I", 1000) + b"{")
    client.close()
    check(server.process.wait() == 0, "a server ends when its client dies in the middle of a message")
    check(not os.path.exists(server.path), "and removes its socket")


def test_protocol(module, weft):
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "weft")
        saved = os.path.join(place, "saved")
        os.mkdir(saved)
        server = module.Server(weft, ["--folder", folder, "--save-folder", saved, "--threads", "2", "--quiet"])
        client = module.Client(server.path)
        for part in (test_pictures, test_mesh, test_errors):
            part(server, client)
        test_second(module, server, client)
        test_save(server, client, saved)
        check(client.wait(client.send({"do": "quit"}))["ok"], "quit is answered")
        check(server.process.wait() == 0, "and ends the server")
        client.close()
        test_end(module, weft, folder)
        test_start(module, weft, folder)


def orbit_camera(center, distance, height, turn):
    """The matrix of a camera that looks at a point from a circle around it, row by row."""
    eye = [center[0] + distance * math.sin(turn), center[1] + height, center[2] + distance * math.cos(turn)]
    back = [a - b for a, b in zip(eye, center)]
    length = math.hypot(*back)
    back = [x / length for x in back]
    right = [back[2], 0, -back[0]]
    length = math.hypot(*right)
    right = [x / length for x in right]
    up = [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2],
          back[0] * right[1] - back[1] * right[0]]
    return [x for row in zip(right, up, back, eye) for x in row]


def measure_orbit(module, weft, scene):
    """Milliseconds from each camera to the first complete picture of it that could be copied."""
    server = module.Server(weft)
    client = module.Client(server.path)
    do(client, settings((640, 360), 4096, denoise=True))
    job = do(client, {"do": "load", "scenes": [scene]})["job"]
    await_picture(client, job, 4)
    times_ms, widths = [], []
    for k in range(ORBITS):
        matrix = orbit_camera((0, 1.2, 0), 2.5, 0.4, 0.2 * k)
        begin = time.monotonic()
        reply = client.wait(client.send({"do": "edit", "edits": [{"path": "camera", "value": {"to_world": matrix}}]}))
        picture = await_picture(client, reply["job"])
        times_ms.append(1e3 * (time.monotonic() - begin))
        widths.append(picture.width)
        time.sleep(0.5)
    print(f"{os.path.basename(scene)}: first picture after {statistics.median(times_ms):.0f} ms in the median, "
          f"{max(times_ms):.0f} ms at worst, of {min(widths)} to {max(widths)} pixels' width", flush=True)
    client.close()
    server.stop()


def main():
    weft = os.path.abspath(sys.argv[1])
    module = load("server")
    if sys.argv[2:3] == ["orbit"]:
        for scene in sys.argv[3:] or ["interior"]:
            measure_orbit(module, weft, scene)
    else:
        test_protocol(module, weft)


if __name__ == "__main__":
    main()
