#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/record/environment_spec.h"

namespace tacho {

// Creates an empty folder or file in an image's folder, over which `bind` can be mounted. Never
// leaves the image: a link in the path is an error, because it may lead to files of the machine.
// Does nothing below /tmp, /dev, /proc and /sys, which are those of the machine.
Result<void> make_mount_point(const std::filesystem::path& image, const Bind& bind);

}  // namespace tacho
