#pragma once

#include <fcntl.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Opens a file of a folder that others may have filled, as a run's folder. Whatever lies under that
// name, only a regular file below the folder is opened: no component behind the folder may be a
// link, and a pipe or a device is refused without waiting for its other end. `file` is relative to
// the folder, or begins with it. With O_CREAT the file is made for this user to write (0644, less
// the umask).
//
// Every file of a run is opened by this. ErrorCode::invalid: something else lies there.
Result<UniqueFd> open_confined(const std::filesystem::path& folder,
                               const std::filesystem::path& file, int flags = O_RDONLY);
Result<std::string> read_confined(const std::filesystem::path& folder,
                                  const std::filesystem::path& file, Bytes limit = Bytes{1 << 30});

// The rest of an open file. `path` is for the error's message.
Result<std::string> read_rest(int fd, const std::filesystem::path& path, Bytes limit);

}  // namespace tacho
