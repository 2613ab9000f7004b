// tinygltf.cpp — the code of tinygltf, which is a single header, apart from ours.
//
// CMakeLists.txt compiles it with -O1, because tinygltf parses the structure of a document, never
// its bytes. The options that leave out its reader of images are there as well.
#define TINYGLTF_IMPLEMENTATION
#include <tiny_gltf.h>
#undef TINYGLTF_IMPLEMENTATION
