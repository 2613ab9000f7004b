// hostile_pictures.h — makes picture files of few bytes that claim many pixels.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene::testing {

inline void put_big(std::string& bytes, u32 word) {
    for (const u32 shift : {24U, 16U, 8U, 0U}) {
        bytes += static_cast<char>(word >> shift & 255U);
    }
}

inline u32 crc_of(const std::string& bytes) {
    u32 crc = ~0U;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (u32 bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
        }
    }
    return ~crc;
}

inline std::string png_chunk(const std::string& name, const std::string& content) {
    std::string chunk;
    put_big(chunk, static_cast<u32>(content.size()));
    chunk += name + content;
    put_big(chunk, crc_of(name + content));
    return chunk;
}

// `count` zeros, at least 259, as zlib packs them best: one literal, then copies of 258 bytes.
inline std::string packed_zeros(u64 count) {
    std::string bytes = "\x78\x9c";
    u32 kept = 0;
    u32 kept_bits = 0;
    const auto put = [&](u32 bits, u32 number) {  // lowest bit first
        kept |= bits << kept_bits;
        for (kept_bits += number; kept_bits >= 8; kept_bits -= 8, kept >>= 8) {
            bytes += static_cast<char>(kept & 255U);
        }
    };
    const auto put_code = [&](u32 code, u32 number) {  // Huffman codes: highest bit first
        for (u32 bit = number; bit-- > 0;) {
            put(code >> bit & 1U, 1);
        }
    };
    put(1, 1);  // the last block
    put(1, 2);  // of fixed codes
    u64 left = count;
    for (; left % 258 != 0; --left) {
        put_code(0x30, 8);  // the literal 0
    }
    if (left == count) {
        for (u32 i = 0; i < 258; ++i, --left) {
            put_code(0x30, 8);
        }
    }
    for (; left > 0; left -= 258) {
        put_code(0xc5, 8);  // length 258
        put_code(0, 5);     // from one byte before
    }
    put_code(0, 7);  // the end
    put(0, kept_bits == 0 ? 0 : 8 - kept_bits);
    put_big(bytes, static_cast<u32>(count % 65521) << 16 | 1U);
    return bytes;
}

// A whole PNG of one value; type 0 is grey, 2 RGB, 6 RGBA.
inline std::string plain_png(u32 width, u32 height, u32 bits, u32 type = 0) {
    const u32 channels = type == 0 ? 1 : type == 2 ? 3 : 4;
    std::string header;
    put_big(header, width);
    put_big(header, height);
    header += {static_cast<char>(bits), static_cast<char>(type), 0, 0, 0};
    const u64 row_bytes = 1 + (u64{width} * channels * bits + 7) / 8;
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) +
           png_chunk("IDAT", packed_zeros(row_bytes * height)) + png_chunk("IEND", "");
}

// The header of a Radiance picture, and no pixel.
inline std::string hdr_header(u32 width, u32 height) {
    return "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(height) + " +X " +
           std::to_string(width) + "\n";
}

// A glTF document of one triangle whose base colour is the picture at `uri`.
inline std::string gltf_with_picture(const std::string& uri) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
           R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],)"
           R"("materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],)"
           R"("textures":[{"source":0}],"images":[{"uri":")" +
           uri +
           R"("}],)"
           R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
           R"("bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":)"
           R"("data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";
}

}  // namespace weft::scene::testing
