#include "tracing/inject/trace_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tacho {
namespace {

std::string system_problem(const std::string& path, int error_number) {
  return path + ": " + std::strerror(error_number);  // NOLINT: the text is copied at once
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace

void write_problem(const std::string& folder, std::string_view sentence) {
  const std::string path = folder + "/" + std::to_string(::getpid()) + ".problem";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd < 0) return;
  write_all(fd, std::string(sentence) + "\n");
  ::close(fd);
}

TraceOutput::~TraceOutput() { close(); }

void TraceOutput::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void TraceOutput::discard() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  close();
}

std::string TraceOutput::open(const std::string& folder) {
  constexpr int kMostOfOneProcess = 100;
  for (int i = 0; i < kMostOfOneProcess; ++i) {
    path_ = folder + "/" + std::to_string(::getpid()) + (i == 0 ? "" : "." + std::to_string(i)) +
            ".tgt";
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd_ >= 0) return "";
    if (errno != EEXIST) break;
  }
  return system_problem(path_, errno);
}

std::string TraceOutput::write(std::string_view bytes) {
  return write_all(fd_, bytes) ? "" : system_problem(path_, errno);
}

}  // namespace tacho
