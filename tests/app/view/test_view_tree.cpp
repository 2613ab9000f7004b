// test_view_tree.cpp — the tree of a scene in the window: boxes over the picture, groups and
// collections, kept in a file of edits that renders the same film.
#include <fstream>

#include <doctest/doctest.h>

#include "tests/app/view/desk.h"

namespace weft::app::testing {

namespace {

// desk ⊃ {sheet on the left, page on the right}, wall in the middle, seen from the front.
std::string tree_scene(const Desk& desk) {
    const std::string triangle = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    std::ofstream(desk.file("tree.gltf"))
        << R"({"asset": {"version": "2.0"},
            "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,)"
        << triangle << R"("}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "cameras": [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}],
            "nodes": [
                {"name": "desk", "children": [1, 2]},
                {"name": "sheet", "mesh": 0, "translation": [-1.5, 0, 0]},
                {"name": "page", "mesh": 0, "translation": [0.6, 0, 0]},
                {"name": "wall", "mesh": 0, "translation": [-0.45, 0, 0]},
                {"name": "front", "camera": 0, "translation": [0, 0.5, 4]}],
            "scenes": [{"nodes": [0, 3, 4]}]})";
    return desk.file("tree.gltf");
}

Arguments small(const Desk& desk) {
    return {tree_scene(desk), "--width", "120", "--height", "90", "--spp", "4"};
}

constexpr const char* kSave =
    "click File\nclick \"File/Save edits as ...\"\nwait frames 5\n"
    "click \"Save edits as/Path\"\nkey ctrl+A\ntype @tree.json\n"
    "click \"Save edits as/Choose\"\nwait frames 5\n";

}  // namespace

TEST_SUITE("app/view/tree") {
    TEST_CASE("a box selects what is seen in it and hiding it gives the film of render") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @all\nkey Q\ndrag 3% 20% 60% 90% left\n"
            "expect \"Status/2 things are selected\"\nkey H\nwait frames 3\nwait done\n"
            "hash @hidden\nkey ctrl+Z\nkey Q\nhold shift\ndrag 66% 20% 97% 90% left\nlet shift\n"
            "expect \"Status/3 things are selected\"\nkey Q\ndrag 66% 20% 97% 90% left\n"
            "expect \"Status/1 thing is selected\"\nexpect Selected/nodes/page\n"
            "hold shift\nclick 20% 60%\nlet shift\nexpect Selected/nodes/sheet\nkey delete\n"
            "expect \"Status/Deleted 2 things; Ctrl+Z brings them back\"\nwait frames 3\n"
            "wait done\nhash @deleted\nkey ctrl+Z\nwait frames 3\nwait done\nhash @undone\nquit\n",
            small(desk));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("undone") == desk.line_of("all"));
        CHECK(desk.line_of("hidden") != desk.line_of("all"));
        CHECK(desk.line_of("hidden") ==
              desk.rendered_hash(with(small(desk), {"--hide", "sheet", "--hide", "wall"})));
        CHECK(desk.line_of("deleted") ==
              desk.rendered_hash(
                  with(small(desk), {"--set", "nodes/sheet=null", "--set", "nodes/page=null"})));
    }

    TEST_CASE("moved and hidden groups and collections are kept in the file of edits") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments moved =
            with(small(desk), {"--set", "groups/desk/transform=1,0,0,0.1,0,1,0,0.25,0,0,1,0"});
        const Ended ended = desk.view(
            std::string("wait done\nhash @moved\nclick \"Outliner/Fold desk\"\n"
                        "refuse Outliner/sheet\nclick 20% 50%\nexpect Selected/nodes/sheet\n"
                        "expect Outliner/sheet\nclick Outliner/wall\nkey ctrl+G\n"
                        "expect \"Outliner/Collection Collection\"\n"
                        "click \"Outliner/Eye Collection Collection\"\nwait frames 3\nwait done\n"
                        "hash @collection\nclick \"Outliner/Group desk\"\n"
                        "expect Selected/groups/desk\nkey H\nwait frames 3\nwait done\n"
                        "hash @hidden\nkey ctrl+Z\nwait frames 3\nwait done\nhash @undone\n") +
                kSave + "quit\n",
            moved);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("moved") == desk.rendered_hash(moved));
        CHECK(desk.line_of("collection") == desk.rendered_hash(with(moved, {"--hide", "wall"})));
        CHECK(desk.line_of("hidden") ==
              desk.rendered_hash(with(moved, {"--hide", "wall", "--hide", "desk"})));
        CHECK(desk.line_of("undone") == desk.line_of("collection"));
        const Arguments kept = with(small(desk), {"--edits", desk.file("tree.json")});
        CHECK(desk.line_of("collection") == desk.rendered_hash(kept));
        const Ended again = desk.view(
            "wait done\nhash @again\nexpect \"Outliner/Collection Collection\"\n"
            "click \"Outliner/Fold Collection\"\nexpect \"Outliner/Member wall\"\n"
            "click Outliner/front\nexpect Selected/cameras/front\nquit\n",
            kept);
        CHECK(again.err == "");
        REQUIRE(again.exit_code == 0);
        CHECK(desk.line_of("again") == desk.line_of("collection"));
    }

    TEST_CASE("the key renames what is selected and the file of edits keeps the name") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended =
            desk.view(std::string("click Outliner/wall\nkey F2\ntype \"screen\"\nkey enter\n"
                                  "expect Outliner/screen\nrefuse Outliner/wall\nkey ctrl+Z\n"
                                  "expect Outliner/wall\nkey ctrl+shift+Z\nexpect Outliner/screen\n"
                                  "key F2\ntype \"lost\"\nkey escape\nexpect Outliner/screen\n") +
                          kSave + "quit\n",
                      small(desk));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Ended again = desk.view(
            "expect Outliner/screen\nclick Outliner/screen\nexpect Selected/nodes/wall\nquit\n",
            with(small(desk), {"--edits", desk.file("tree.json")}));
        CHECK(again.err == "");
        CHECK(again.exit_code == 0);
    }
}

}  // namespace weft::app::testing
