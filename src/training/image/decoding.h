#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "training/image/crop.h"

// Errors and limits shared by the readers of all formats.
namespace tacho {

// `why` is the message of the format's library; the caller prefixes the file name.
Error damaged(std::string_view format, std::string_view why);

// Larger images are mistakes or attacks.
inline constexpr std::int64_t kMostPixels = 100'000'000;

// Refuses empty and too large images. Called with the size in the header, before decoding.
Result<void> check_size(ImageSize size, std::int64_t most_pixels = kMostPixels);

}  // namespace tacho
