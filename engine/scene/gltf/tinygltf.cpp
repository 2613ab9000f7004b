// tinygltf.cpp — the code of tinygltf, which is a single header, apart from ours.
//
// It takes longer to compile than any file of the importer, so this file holds nothing else, and
// CMakeLists.txt compiles it with -O1: tinygltf parses the structure of a document, never its
// bytes. The options that leave out its reader of images are there as well.
#define TINYGLTF_IMPLEMENTATION
#include <tiny_gltf.h>
