// zip_file.h — ZIP and 3MF files for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"
#include "tests/engine/scene/hostile_pictures.h"

namespace weft::scene::testing {

inline std::string little(u64 value, u32 bytes) {
    std::string text;
    for (u32 k = 0; k < bytes; ++k) {
        text += static_cast<char>(k < 8 ? value >> 8 * k & 0xff : 0);
    }
    return text;
}

// A ZIP file whose parts are stored as they are.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& parts) {
    std::string file;
    std::string directory;
    for (const auto& [name, bytes] : parts) {
        const std::string sizes = little(0, 8) + little(crc_of(bytes), 4) +
                                  little(bytes.size(), 4) + little(bytes.size(), 4) +
                                  little(name.size(), 2) + little(0, 2);
        directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + sizes + little(0, 10) +
                     little(file.size(), 4) + name;
        file += "PK\x03\x04" + little(20, 2) + sizes + name + bytes;
    }
    return file + directory + "PK\x05\x06" + little(0, 4) + little(parts.size(), 2) +
           little(parts.size(), 2) + little(directory.size(), 4) + little(file.size(), 4) +
           little(0, 2);
}

// A 3MF whose model holds these elements.
inline std::string zip_3mf(const std::string& elements) {
    return zip(
        {{"[Content_Types].xml",
          "<?xml version=\"1.0\"?><Types "
          "xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default "
          "Extension=\"rels\" "
          "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default "
          "Extension=\"model\" "
          "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>"},
         {"_rels/.rels",
          "<?xml version=\"1.0\"?><Relationships "
          "xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
          "Target=\"/3D/3dmodel.model\" Id=\"rel0\" "
          "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></"
          "Relationships>"},
         {"3D/3dmodel.model",
          "<?xml version=\"1.0\"?><model unit=\"millimeter\" "
          "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">" +
              elements + "</model>"}});
}

}  // namespace weft::scene::testing
