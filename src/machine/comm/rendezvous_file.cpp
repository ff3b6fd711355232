#include "machine/comm/rendezvous_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "base/file.h"
#include "base/json_object.h"
#include "base/private_file.h"
#include "base/split.h"
#include "machine/comm/job_secret.h"
#include "machine/comm/tcp.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargest{4096};
constexpr std::int64_t kFormat = 1;

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Result<MeetingPoint> parse_point(std::string_view text) {
  TACHO_TRY(json, parse_json(text));
  JsonObject object(json, "rendezvous file");
  std::int64_t version = 0;
  std::string address;
  MeetingPoint point;
  object.read("tacho_rendezvous", version);
  object.read("attempt", point.attempt);
  object.read("address", address);
  object.read_optional("secret", point.secret);
  TACHO_CHECK(object.finish());
  if (version != kFormat) return Error{ErrorCode::newer, "made by a later version of Tacho"};
  TACHO_TRY(parsed, parse_address(address));
  point.address = parsed;
  if (point.secret.empty()) return point;
  TACHO_TRY(secret, parse_job_secret(point.secret));
  point.secret = secret;
  return point;
}

std::string text_of(const MeetingPoint& point) {
  Json json{{"tacho_rendezvous", kFormat},
            {"attempt", point.attempt},
            {"address", endpoint(point.address.host, point.address.port)}};
  if (!point.secret.empty()) json["secret"] = point.secret;
  return json_text(json) + "\n";
}

}  // namespace

Result<std::optional<RendezvousFile>> RendezvousFile::parse(std::string_view text) {
  constexpr std::string_view kScheme = "file:";
  constexpr std::string_view kNoHost = "//";
  if (!text.starts_with(kScheme)) return std::optional<RendezvousFile>();
  std::string_view path = text.substr(kScheme.size());
  const bool url = path.starts_with(kNoHost);
  if (url) path.remove_prefix(kNoHost.size());
  const fs::path named(path);
  const fs::path name = named.filename();
  if ((!url || named.is_absolute()) && !name.empty() && name != "." && name != "..") {
    return std::optional(RendezvousFile(named));
  }
  return Error{
      ErrorCode::usage,
      fmt::format("'{}' names no file; write file:PATH or file:///PATH, a file in a folder "
                  "that all machines share",
                  text)};
}

Result<void> RendezvousFile::check_folder(int access) const {
  const fs::path folder = folder_of(path_);
  std::error_code unknown;
  if (fs::is_directory(folder, unknown) && ::access(folder.c_str(), access) == 0) return {};
  return Error{
      ErrorCode::usage,
      fmt::format("{}: {} is not a folder that you can {}; name a file in one that all "
                  "machines share",
                  path_.string(), folder.string(), (access & W_OK) != 0 ? "write to" : "read")};
}

Result<void> RendezvousFile::check_writable() const {
  TACHO_CHECK(check_folder(R_OK | W_OK | X_OK));
  TACHO_TRY(before, read());
  (void)before;
  return {};
}

Result<void> RendezvousFile::write(const MeetingPoint& point) const {
  TACHO_CHECK(check_writable());
  return write_private(path_, text_of(point));
}

void RendezvousFile::remove(std::string_view attempt) const {
  const auto now = read();
  if (now.ok() && *now && (*now)->attempt == attempt) ::unlink(path_.c_str());
}

Result<std::optional<MeetingPoint>> RendezvousFile::read() const {
  TACHO_CHECK(check_folder(R_OK | X_OK));
  // Makes NFS ask the server for changes; otherwise a new file may stay unknown here for a minute.
  const UniqueFd refreshed(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto text = read_private(path_, kLargest);
  const bool missing = !text.ok() && text.error().code == ErrorCode::not_found;
  if (missing || (text.ok() && trimmed(*text).empty())) return std::optional<MeetingPoint>();
  if (!text.ok()) return text.error();
  auto point = parse_point(*text);
  if (point.ok()) return std::optional(*std::move(point));
  // The error could quote a file of any content.
  return Error{ErrorCode::usage,
               fmt::format("{}: not the rendezvous file of a job of this version of Tacho; remove "
                           "it, or name another file",
                           path_.string())};
}

}  // namespace tacho
