#include "serving/dashboard/run_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/confined_file.h"
#include "core/record/run_folder.h"
#include "core/record/run_secrets.h"
#include "serving/http/compression.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 2000;
constexpr std::size_t kPiece = 256 << 10;

Error no_file(const std::string& path) {
  return {ErrorCode::not_found, fmt::format("the run has no file '{}'", path)};
}

bool is_secret(const fs::path& file) { return file.lexically_normal().filename() == kSecretsFile; }

// Reads a file in pieces: a checkpoint may be larger than memory.
class FileSource final : public http::BodySource {
 public:
  explicit FileSource(UniqueFd fd) : fd_(std::move(fd)) {}
  std::optional<std::string> next() override {
    std::string piece(kPiece, '\0');
    const ssize_t got = ::read(fd_.get(), piece.data(), piece.size());
    if (got <= 0) return std::nullopt;
    piece.resize(static_cast<std::size_t>(got));
    return piece;
  }

 private:
  UniqueFd fd_;
};

// The log that users want to read; for a watched program, its output.
fs::path log_of(const RunFolder& folder) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(folder.output(), ignored)) ? folder.output() : folder.log();
}

}  // namespace

Result<UniqueFd> open_run_file(const fs::path& folder, const std::string& path) {
  auto fd = open_confined(folder, fs::path(path));
  if (!fd.ok() || is_secret(path)) return no_file(path);
  return fd;
}

Answer list_files(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {}));
  Json files = Json::array();
  bool more = false;
  std::error_code failure;
  fs::recursive_directory_iterator at(run.row.folder, failure);
  for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->is_symlink(ignored)) continue;
    if (is_secret(at->path())) continue;
    if (files.size() == kMaxFiles) {
      more = true;
      break;
    }
    files.push_back({{"path", at->path().lexically_relative(run.row.folder).string()},
                     {"bytes", at->file_size(ignored)}});
  }
  return json_answer({{"folder", run.row.folder.string()},
                      {"present", fs::exists(run.row.folder, failure)},
                      {"files", std::move(files)},
                      {"more", more}});
}

Answer run_file(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {}));
  const std::string& path = request.part("path");
  TACHO_TRY(fd, open_run_file(run.row.folder, path));
  // Sent as a download, so that no browser shows a run's file as a page of this server.
  http::Response response =
      file_answer("", "application/octet-stream", fs::path(path).filename().string());
  response.source = std::make_shared<FileSource>(std::move(fd));
  return response;
}

Answer run_log(const http::Request& request, const StoredRun& run) {
  constexpr std::int64_t kMaxBytes = 1 << 20;
  TACHO_CHECK(check_parameters(request, {"from", "bytes"}));
  TACHO_TRY(most, whole_parameter(request, "bytes", 64 << 10, 1, kMaxBytes));
  TACHO_TRY(from, whole_parameter(request, "from", -1, -1, INT64_MAX));
  const RunFolder folder(run.row.folder);
  const fs::path path = log_of(folder);
  Json json = {{"file", path.filename().string()}, {"size", 0}, {"from", 0}, {"text", ""}};
  const auto fd = open_confined(folder.path(), path);
  if (!fd.ok() && fd.error().code == ErrorCode::not_found) return json_answer(json);
  if (!fd.ok()) return no_file(path.filename().string());
  struct ::stat facts {};
  if (::fstat(fd->get(), &facts) != 0) return system_error(path, errno);
  const std::int64_t size = facts.st_size;
  const std::int64_t begin =
      from >= 0 ? std::min(from, size) : std::max<std::int64_t>(0, size - most);
  std::string text(static_cast<std::size_t>(std::min(most, size - begin)), '\0');
  const ssize_t got = ::pread(fd->get(), text.data(), text.size(), begin);
  if (got < 0) return system_error(path, errno);
  text.resize(static_cast<std::size_t>(got));
  json["size"] = size;
  json["from"] = begin;
  json["text"] = std::move(text);
  return json_answer(json);
}

}  // namespace tacho::serve
