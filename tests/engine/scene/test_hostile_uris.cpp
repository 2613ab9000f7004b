// test_hostile_uris.cpp — data URIs that are not what they say, and names that lead to another
// machine: each is refused or replaced with one sentence that names its place, and nothing calls.
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "scheduler/base/memory_limit.h"
#include "tests/engine/scene/gltf_writer.h"
#include "tests/engine/scene/hostile_pictures.h"
#include "tests/engine/scene/scene_files.h"

namespace weft::scene::testing {

namespace {

std::string base64_of(const std::string& text) {
    return base64(std::vector<u8>(text.begin(), text.end()));
}

std::string triangle_text() {
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    return {reinterpret_cast<const char*>(corners), sizeof corners};
}

// A triangle whose bytes are `buffer`, and whose colour is the picture `image` if it is not empty.
std::string triangle_gltf(const std::string& buffer, const std::string& image = "") {
    Writer writer;
    writer.add_triangle();
    writer.json["buffers"] = {{{"byteLength", 36}, {"uri", buffer}}};
    if (!image.empty()) {
        writer.json["images"] = {{{"uri", image}}};
        writer.json["textures"] = {{{"source", 0}}};
        writer.json["materials"] = {
            {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}};
        writer.json["meshes"][0]["primitives"][0]["material"] = 0;
    }
    return writer.json.dump();
}

const std::string kGoodBuffer = "data:application/octet-stream;base64,";

// Imports the scene; returns its sentence, or an empty text for a scene.
std::string end_of(const std::string& path, const ImportConfig& config = {}) {
    const auto scene = import_scene({path}, config);
    if (scene.is_ok()) {
        return "";
    }
    const std::string& sentence = scene.error().sentence;
    CHECK(scene.error().kind == base::ErrorKind::Scene);
    CHECK(sentence.starts_with(path));
    CHECK(sentence.find('\n') == std::string::npos);
    CHECK(sentence.size() < 600);
    return sentence;
}

// A server on this machine that notices who calls.
class Listener {
public:
    Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(socket_, any, size) == 0);
        REQUIRE(::listen(socket_, 1) == 0);
        REQUIRE(::getsockname(socket_, any, &size) == 0);
        port_ = ntohs(address.sin_port);
    }

    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    ~Listener() { ::close(socket_); }

    // "127.0.0.1:PORT".
    [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }

    // A call is complete for the caller before it is accepted, so that none is missed here.
    [[nodiscard]] bool was_called() const {
        const int call = ::accept(socket_, nullptr, nullptr);
        if (call >= 0) {
            ::close(call);
        }
        return call >= 0;
    }

private:
    int socket_;
    u32 port_ = 0;
};

}  // namespace

TEST_SUITE("engine/scene/hostile_uris") {
    TEST_CASE("a buffer's data URI has a type of buffers or none") {
        const Folder folder("buffer_types");
        const std::string bytes = base64_of(triangle_text());
        for (const std::string head : {"data:application/octet-stream;base64,",
                                       "data:application/gltf-buffer;base64,",
                                       "DATA:Application/OCTET-stream;charset=binary;Base64,",
                                       "data:;base64,"}) {
            CAPTURE(head);
            CHECK(end_of(folder.write("a.gltf", triangle_gltf(head + bytes))).empty());
        }
        for (const std::string type : {"text/html",
                                       "text/plain",
                                       "image/png",
                                       "application/json",
                                       "application/octet-stream2",
                                       " application/octet-stream"}) {
            CAPTURE(type);
            const std::string file =
                folder.write("a.gltf", triangle_gltf("data:" + type + ";base64," + bytes));
            const std::string sentence = end_of(file);
            CHECK(
                contains(sentence, file + ": /buffers/0/uri is a data URI of the type \"" + type));
            CHECK(contains(sentence, "expected application/octet-stream or application/gltf-"));
        }
    }

    TEST_CASE("a picture's data URI has a type of pictures or none") {
        const Folder folder("picture_types");
        const std::string corners = kGoodBuffer + base64_of(triangle_text());
        const std::string png = base64_of(plain_png(32, 32, 8));
        // The first bytes say which format it is.
        for (const std::string type :
             {"image/png", "IMAGE/jpeg", "image/x-unheard-of", "application/octet-stream", ""}) {
            CAPTURE(type);
            const std::string text = triangle_gltf(corners, "data:" + type + ";base64," + png);
            CHECK(end_of(folder.write("a.gltf", text)).empty());
        }
        for (const std::string type : {"text/html", "text/plain", "application/gltf-buffer"}) {
            CAPTURE(type);
            const std::string file =
                folder.write("a.gltf", triangle_gltf(corners, "data:" + type + ";base64," + png));
            CHECK(contains(end_of(file),
                           file + ": /images/0/uri is a data URI of the type \"" + type));
            ImportConfig config;
            config.missing_file = MissingFile::Checker;
            CHECK(has_note(read({file}, config), Note::Kind::Replaced, "/images/0/uri"));
        }
        // A web page as a picture.
        const std::string page = triangle_gltf(
            corners, "data:image/png;base64," + base64_of("<html><body>hello</body></html>"));
        CHECK(contains(end_of(folder.write("a.gltf", page)), "not a picture"));
    }

    TEST_CASE("a data URI without base64 or with other letters is refused at its place") {
        const Folder folder("letters");
        const std::string good = base64_of(triangle_text());
        const auto end_with = [&](const std::string& uri) {
            const std::string file = folder.write("a.gltf", triangle_gltf(uri));
            const std::string sentence = end_of(file);
            CHECK(contains(sentence, file + ": /buffers/0/uri is a data URI "));
            return sentence;
        };
        const std::string type = "data:application/octet-stream";
        CHECK(contains(end_with(type + "," + good), "without \";base64\""));
        CHECK(contains(end_with(type + ";base64;charset=x," + good), "without \";base64\""));
        CHECK(contains(end_with(type + ";base64"), "without a comma"));
        CHECK(contains(end_with("data:"), "without a comma"));
        for (const std::string letters : {" ", "\n", "%3D", "-", "_", "\xc3\xa4", "=A", "{"}) {
            CAPTURE(letters);
            CHECK(contains(end_with(kGoodBuffer + letters + good), "not base64"));
            CHECK(contains(end_with(kGoodBuffer + good.substr(0, 20) + letters + good.substr(20)),
                           "not base64"));
        }
        // One letter too many is six bits without a byte.
        CHECK(contains(end_with(kGoodBuffer + good + "A"), "not base64"));
        // Too few bytes are an error about the length of the buffer.
        const std::string file = folder.write("a.gltf", triangle_gltf(kGoodBuffer + "AAAA"));
        CHECK(contains(end_of(file), "/buffers/0/byteLength"));
    }

    TEST_CASE("a huge data URI takes memory in proportion to its file") {
        const Folder folder("huge");
        constexpr std::size_t kLetters = std::size_t{32} << 20;
        const u64 before = base::resident_bytes();
        const std::string huge = base64_of(triangle_text()) + std::string(kLetters, 'A');
        CHECK(end_of(folder.write("a.gltf", triangle_gltf(kGoodBuffer + huge))).empty());
        const std::string long_type(kLetters, 'x');
        CHECK(contains(
            end_of(folder.write("b.gltf", triangle_gltf("data:" + long_type + ";base64,AAAA"))),
            "xxx..."));
        CHECK(contains(end_of(folder.write("c.gltf", triangle_gltf(long_type + ":x"))),
                       "a relative file name expected"));
        CHECK(base::resident_bytes() < before + 24 * kLetters);
    }

    TEST_CASE("names of other machines and schemes are refused and nothing calls") {
        const Folder folder("schemes");
        std::filesystem::create_directory(folder.file("scene"));
        const Listener listener;
        const std::string corners = kGoodBuffer + base64_of(triangle_text());
        folder.write("secret.bin", triangle_text());
        const std::string uris[] = {"http://" + listener.host() + "/a.bin",
                                    "https://" + listener.host() + "/a.bin",
                                    "ftp://" + listener.host() + "/a.bin",
                                    "HTTP://" + listener.host() + "/a.bin",
                                    "file:///etc/passwd",
                                    std::string("file:secret.bin"),
                                    std::string("blob:x"),
                                    "//" + listener.host() + "/a.bin",
                                    "\\\\" + listener.host() + "\\share\\a.bin",
                                    std::string("%2e%2e%2fsecret.bin"),
                                    std::string("%2E%2E/secret.bin"),
                                    std::string("..%5csecret.bin"),
                                    std::string("%252e%252e/secret.bin"),
                                    std::string("C:\\secret.bin"),
                                    std::string("C:../secret.bin"),
                                    std::string("c:/../secret.bin"),
                                    std::string("x/../../secret.bin"),
                                    std::string("../secret.bin%00"),
                                    std::string("../secret.bin\0.png", 18),
                                    std::string("~/secret.bin"),
                                    std::string("$HOME/secret.bin"),
                                    std::string(100000, '/') + "etc/passwd",
                                    std::string(100000, 'a')};
        for (const std::string& uri : uris) {
            CAPTURE(uri.substr(0, 60));
            const std::string file = folder.write("scene/a.gltf", triangle_gltf(uri));
            CHECK(contains(end_of(file), file + ": /buffers/0/uri"));
            const std::string picture = folder.write("scene/b.gltf", triangle_gltf(corners, uri));
            const auto refused = import_scene({picture}, {});
            REQUIRE(!refused.is_ok());
            CHECK(refused.error().sentence.find('\n') == std::string::npos);
            ImportConfig config;
            config.missing_file = MissingFile::Black;
            CHECK(import_scene({picture}, config).is_ok());
        }
        CHECK(!listener.was_called());
    }

    TEST_CASE("an OBJ whose library or picture lies on another machine calls nobody") {
        const Folder folder("obj_schemes");
        const Listener listener;
        const std::string faces = "usemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n";
        for (const std::string scheme : {"http://", "https://", "//", "\\\\", "smb://"}) {
            CAPTURE(scheme);
            const std::string url = scheme + listener.host() + "/far";
            const Scene scene = read({folder.write("a.obj", "mtllib " + url + ".mtl\n" + faces)});
            CHECK(has_note(scene, Note::Kind::Replaced, "is not there; plain materials stand in"));
            folder.write("near.mtl", "newmtl m\nmap_Kd " + url + ".png\n");
            const auto refused =
                import_scene({folder.write("b.obj", "mtllib near.mtl\n" + faces)}, {});
            REQUIRE(!refused.is_ok());
            CHECK(refused.error().kind == base::ErrorKind::Scene);
            CHECK(contains(refused.error().sentence, "far.png"));
            CHECK(refused.error().sentence.find('\n') == std::string::npos);
        }
        CHECK(!listener.was_called());
    }

    TEST_CASE("pictures of 65535 by 65535 pixels in few bytes are refused in little memory") {
        const Folder folder("wide");
        constexpr u32 kSide = 65535;
        const std::string side = "\xff\xff";
        const std::string zeros(64, '\0');
        std::string png_head;
        put_big(png_head, kSide);
        put_big(png_head, kSide);
        png_head += {8, 2, 0, 0, 0};
        const std::string names_of_sides[][2] = {
            {"a.png",
             "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", png_head) +
                 png_chunk("IDAT", packed_zeros(1000)) + png_chunk("IEND", "")},
            {"a.jpg",
             "\xff\xd8\xff\xdb" + std::string("\0\x43\0", 3) + std::string(64, '\1') + "\xff\xc0" +
                 std::string("\0\x11\x08", 3) + side + side +
                 std::string("\3\1\x11\0\2\x11\0\3\x11\0", 10) + "\xff\xda" +
                 std::string("\0\x0c\3\1\0\2\0\3\0\0\x3f\0", 12) + zeros},
            {"a.tga",
             std::string("\0\0\x0a\0\0\0\0\0\0\0\0\0", 12) + side + side +
                 std::string("\x20\0", 2) + zeros},
            {"a.bmp",
             "BM" + zeros.substr(0, 8) + std::string("\x36\0\0\0\x28\0\0\0", 8) + side +
                 std::string("\0\0", 2) + side + std::string("\0\0\1\0\x18\0", 6) + zeros},
            {"a.hdr", hdr_header(kSide, kSide) + zeros}};
        const u64 before = base::resident_bytes();
        const std::string corners = kGoodBuffer + base64_of(triangle_text());
        for (const auto& [name, bytes] : names_of_sides) {
            CAPTURE(name);
            CHECK(!read_environment(folder.write(name, bytes)).is_ok());
            CHECK(
                !import_scene({folder.write("a.gltf", triangle_gltf(corners, name))}, {}).is_ok());
            const std::string inside = "data:image/png;base64," + base64_of(bytes);
            const std::string file = folder.write("b.gltf", triangle_gltf(corners, inside));
            CHECK(contains(end_of(file), "/images/0"));
        }
        CHECK(base::resident_bytes() < before + (u64{256} << 20));
    }
}

}  // namespace weft::scene::testing
