#pragma once

#include <filesystem>

#include "base/result.h"
#include "record/environment_spec.h"

namespace tacho {

// Makes an empty folder or file in an image's folder, over which `bind` can be mounted. Never
// leaves the image: a link on the way is an error, for it may lead to the machine's own files. What
// lies below /tmp, /dev, /proc and /sys is the machine's already.
Result<void> make_mount_point(const std::filesystem::path& image, const Bind& bind);

}  // namespace tacho
