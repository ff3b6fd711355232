#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "image/crop.h"

// What the readers of all formats say and refuse.
namespace tacho {

// The format, what its library says; the caller puts the file's name in front.
Error damaged(std::string_view format, std::string_view why);

// A decoded image beyond this is a mistake or an attack.
inline constexpr std::int64_t kMostPixels = 100'000'000;

// Refuses an image of nothing, and one that is too large. Asked with what a header says, before
// anything is decoded.
Result<void> check_size(ImageSize size, std::int64_t most_pixels = kMostPixels);

}  // namespace tacho
