// layer_file.h — the layers of an EXR that holds means alone, of ours or of another renderer: what
// a denoiser reads where there are no sums (--keep-film).
//
// One thread per file.
#pragma once

#include <string>
#include <vector>

#include "engine/film/image_file.h"
#include "scheduler/base/result.h"

namespace weft::film {

// Layers over the same pixels, in any parts of the file.
struct StoredLayers {
    u32 full_width = 0;  // of the display window
    u32 full_height = 0;
    Picture colour;  // RGBA; alpha 1 where the file has none; not denoised, if both are there
    Picture albedo;  // RGB
    Picture normal;  // XYZ
    Picture depth;   // metres; 0 where nothing is hit, or the file says infinity
    u32 samples_per_pixel = 1;  // as the metadata of our files state
};

// Whether the file is an EXR without a record of its samples.
bool is_plain_exr(const std::string& path);

// Channels R, G, B (or noisy.R, …), albedo.R/G/B, normal.X/Y/Z and depth.Z. An error of kind Scene
// names the layer that is missing or covers other pixels.
base::Result<StoredLayers> read_stored_layers(const std::string& path);

}  // namespace weft::film
