#include "training/data/fetch/store_image.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "training/data/image_folder.h"

namespace tacho {
namespace {

constexpr Bytes kLargestImage{64 << 20};  // the largest image of ImageNet has 15 MiB

}  // namespace

Result<void> store_image(EntryReader& reader, const std::filesystem::path& target) {
  TACHO_TRY(bytes, reader.content(kLargestImage));
  if (!begins_like_an_image(bytes)) return reader.bad("not a JPEG or PNG image");
  const int fd = ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EEXIST) return reader.bad("occurs twice");
  if (fd < 0) return system_error(target, errno);
  auto written = write_all(fd, bytes, target);
  // A network file system may report only now that it is full.
  if (::close(fd) != 0 && written.ok()) return system_error(target, errno);
  return written;
}

}  // namespace tacho
