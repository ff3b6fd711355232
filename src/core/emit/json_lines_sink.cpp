#include "core/emit/json_lines_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/confined_file.h"

namespace tacho {

Result<std::unique_ptr<JsonLinesSink>> JsonLinesSink::open(
    const std::filesystem::path& events_jsonl) {
  TACHO_TRY(fd, open_confined(events_jsonl.parent_path(), events_jsonl.filename(),
                              O_RDWR | O_CREAT | O_APPEND));
  char last = '\n';
  const off_t size = ::lseek(fd.get(), 0, SEEK_END);
  if (size > 0 && ::pread(fd.get(), &last, 1, size - 1) < 0) {
    return system_error(events_jsonl, errno);
  }
  AppendFile file(std::move(fd), events_jsonl);
  if (last != '\n') TACHO_CHECK(file.append("\n"));
  return std::make_unique<JsonLinesSink>(std::move(file));
}

}  // namespace tacho
