# Writes a source file that embeds texts: cmake -DOUT=file.cpp "-DFILES=path|as|…" -P embed_text.cmake,
# FILES being pairs of a file and its path in #include.
string(REPLACE "|" ";" pairs "${FILES}")
file(WRITE ${OUT}.new "// Written by shaders/kernels/embed_text.cmake.\n#include <array>\n#include <cstddef>\n\n#include \"shaders/kernels/kernel_text.h\"\n\nnamespace weft::shaders {\n\nnamespace {\n\n// Its length is that of the array: counting letters would be too much for the compiler.\ntemplate <std::size_t N>\nconstexpr TextFile file(std::string_view path, const char (&text)[N]) {\n    return {path, {text, N - 1}};\n}\n\nconstexpr auto kFiles = std::to_array<TextFile>({\n")
while(pairs)
    list(POP_FRONT pairs path as)
    file(READ ${path} text)
    file(APPEND ${OUT}.new "file(\"${as}\", R\"~weft~(${text})~weft~\"),\n")
endwhile()
file(APPEND ${OUT}.new "});\n\n}  // namespace\n\nstd::span<const TextFile> scene_shade_text() {\n    return kFiles;\n}\n\n}  // namespace weft::shaders\n")
file(RENAME ${OUT}.new ${OUT})
