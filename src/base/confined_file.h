#pragma once

#include <fcntl.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Opens a file in a folder whose content is not trusted, such as a run's folder. Opens only a
// regular file below the folder: no path component after the folder may be a link, and pipes and
// devices are refused without blocking. `file` is relative to the folder, or begins with it. With
// O_CREAT the file is created with mode 0644, less the umask.
//
// Every file of a run is opened by this function. Returns ErrorCode::invalid if the path is
// something other than a regular file.
Result<UniqueFd> open_confined(const std::filesystem::path& folder,
                               const std::filesystem::path& file, int flags = O_RDONLY);
Result<std::string> read_confined(const std::filesystem::path& folder,
                                  const std::filesystem::path& file, Bytes limit = Bytes{1 << 30});

// Reads the rest of an open file. `path` appears in the error message.
Result<std::string> read_rest(int fd, const std::filesystem::path& path, Bytes limit);

}  // namespace tacho
