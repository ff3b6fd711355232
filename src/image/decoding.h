#pragma once

#include <string_view>

#include "base/result.h"
#include "image/crop.h"

// What the readers of all formats say and refuse.
namespace tacho {

// The format, what its library says; the caller puts the file's name in front.
Error damaged(std::string_view format, std::string_view why);

// Refuses an image of nothing, and one so large that it is a mistake or an attack.
Result<void> check_size(ImageSize size);

}  // namespace tacho
