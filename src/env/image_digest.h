#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace tacho {

// Of an image that is a file: "sha256:…" of its bytes. Of one that is a folder:
// "listing-sha256:…" of the name, kind, mode, size and time of change of every file that is not
// empty, which an update of it alters, and which takes no reading of gigabytes.
Result<std::string> image_digest(const std::filesystem::path& image);

// Of a text: 64 hexadecimal digits.
Result<std::string> text_digest(const std::string& text);

}  // namespace tacho
