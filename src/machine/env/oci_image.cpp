#include "machine/env/oci_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>

#include "base/file.h"
#include "base/json_object.h"
#include "base/sha256.h"
#include "base/units.h"
#include "base/version.h"
#include "machine/env/image_digest.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestCommand{2};
constexpr const char* kVersionLabel = "tacho.version";
constexpr const char* kCommitLabel = "tacho.commit";

// Returns the name that Go, and therefore OCI images, use.
std::string architecture() {
  utsname names{};
  const std::string machine = ::uname(&names) == 0 ? names.machine : "";
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : machine;
}

std::string image_time() { return utc_text(std::chrono::system_clock::from_time_t(kImageTime)); }

Result<UniqueFd> open_to_read(const fs::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error(file, errno);
  return fd;
}

// Returns the archive itself, or `place` with its decompressed content: digests refer to plain
// archives.
Result<fs::path> plain_archive(const fs::path& archive, const fs::path& place, const fs::path& log,
                               const BuildWatch& watch) {
  TACHO_TRY(in, open_to_read(archive));
  std::string first(6, '\0');
  const ssize_t got = ::pread(in.get(), first.data(), first.size(), 0);
  if (got < 0) return system_error(archive, errno);
  const std::string program = decompressor(first.substr(0, static_cast<std::size_t>(got)));
  if (program.empty()) return archive;
  const UniqueFd out(::open(place.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!out) return system_error(place, errno);
  const Command unpack{
      .argv = {program, "--decompress", "--stdout"}, .in = in.get(), .out = out.get()};
  TACHO_CHECK(run_step("decompressing the base", unpack, log, watch));
  return place;
}

Result<void> put_link(const fs::path& file, const fs::path& place) {
  std::error_code problem;
  fs::create_symlink(file, place, problem);
  if (problem) return system_error(place, problem.value());
  return {};
}

}  // namespace

std::string image_config(const std::vector<std::string>& layer_digests) {
  Json history = Json::array();
  for (std::size_t i = 0; i < layer_digests.size(); ++i) {
    history.push_back({{"created", image_time()}, {"created_by", "tacho env build"}});
  }
  const Json config{
      {"architecture", architecture()},
      {"os", "linux"},
      {"created", image_time()},
      {"config",
       {{"Env", {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
        {"Cmd", {"tacho", "--help"}},
        {"Labels", {{kVersionLabel, kVersion}, {kCommitLabel, kCommit}}}}},
      {"rootfs", {{"type", "layers"}, {"diff_ids", layer_digests}}},
      {"history", history}};
  return json_text(config, 1);
}

std::string decompressor(std::string_view first_bytes) {
  using namespace std::string_view_literals;
  if (first_bytes.starts_with("\x1f\x8b"sv)) return "gzip";
  if (first_bytes.starts_with("\xfd\x37zXZ"sv)) return "xz";
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return "zstd";
  if (first_bytes.starts_with("BZh"sv)) return "bzip2";
  return "";
}

OciImage::OciImage(EnvironmentKind kind, const fs::path& home, fs::path scratch,
                   const BuildWatch& watch)
    : kind_(kind), scratch_(std::move(scratch)), watch_(watch) {
  const std::string mark = fmt::format("{:016x}", fs::hash_value(home));
  container_ = "tacho-building-" + mark;
  unfinished_ = "localhost/tacho-building:" + mark;
}

Result<void> OciImage::run(const std::string& step, Command command) {
  return run_step(step, std::move(command), scratch_ / "log", watch_);
}

Result<void> OciImage::load(const ImageParts& parts) {
  const fs::path folder = scratch_ / "saved";
  TACHO_CHECK(make_folders(folder));
  TACHO_TRY(base, plain_archive(parts.base_archive, scratch_ / "plain-base.tar", scratch_ / "log",
                                watch_));
  std::vector<std::string> digests;
  for (const auto& [file, name] : {std::pair(base, "base.tar"), {parts.layer, "layer.tar"}}) {
    TACHO_TRY(digest, image_digest(file));
    digests.push_back(digest);
    TACHO_CHECK(put_link(file, folder / name));
  }
  const std::string config = image_config(digests);
  const std::string hash = hex(Sha256::of(config));
  const Json manifest = Json::array({{{"Config", hash + ".json"},
                                      {"RepoTags", {unfinished_}},
                                      {"Layers", {"base.tar", "layer.tar"}}}});
  TACHO_CHECK(write_file_atomically(folder / (hash + ".json"), config));
  TACHO_CHECK(write_file_atomically(folder / "manifest.json", json_text(manifest)));
  const std::string saved = scratch_ / "saved.tar";
  TACHO_CHECK(
      run("assembling the image", {.argv = {"tar", "--create", "--file=" + saved, "--dereference",
                                            "--directory=" + folder.string(), "manifest.json",
                                            hash + ".json", "base.tar", "layer.tar"}}));
  return run("loading it into " + engine(), {.argv = {engine(), "load", "--input=" + saved}});
}

Result<void> OciImage::commit(const ImageParts& parts) {
  const std::string& base = parts.base.word;
  const auto created =
      run("fetching " + base,
          {.argv = {engine(), "create", "--name=" + container_, "--network=none", base, "true"}});
  if (!created.ok() && !watch_.stopped()) {
    return Error{ErrorCode::failed,
                 fmt::format("{}; without access to a registry, leave --base {} out",
                             created.error().message, base)};
  }
  if (!created.ok()) return created.error();
  TACHO_TRY(layer, open_to_read(parts.layer));
  TACHO_CHECK(run("adding tacho-worker and its libraries",
                  {.argv = {engine(), "cp", "-", container_ + ":/"}, .in = layer.get()}));
  return run(
      "committing the image",
      {.argv = {engine(), "commit", fmt::format("--change=LABEL {}={}", kVersionLabel, kVersion),
                fmt::format("--change=LABEL {}={}", kCommitLabel, kCommit), container_,
                unfinished_}});
}

Result<std::string> OciImage::make(const ImageParts& parts) {
  clean_up();
  const bool named = parts.base.kind == ImageBase::Kind::named;
  TACHO_CHECK(named ? commit(parts) : load(parts));
  return unfinished_;
}

Result<void> OciImage::keep(const std::string& name) {
  TACHO_TRY(named, capture({.argv = {engine(), "tag", unfinished_, name}}, kLongestCommand));
  if (named.status.success()) return {};
  return Error{ErrorCode::usage, fmt::format("{}: the image cannot be named {}: {}", engine(), name,
                                             complaint_in(named.err))};
}

void OciImage::clean_up() {
  // Ignores errors: what cannot be removed is in use or does not exist. The last command removes
  // images that have lost their name.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"rm", "--force", container_},
        {"rmi", unfinished_},
        {"image", "prune", "--force", fmt::format("--filter=label={}", kVersionLabel)}}) {
    Command command{.argv = {engine()}};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    (void)capture(command, kLongestCommand).ok();
  }
}

Bytes OciImage::size(const std::string& name) const {
  Bytes size;
  const auto output = capture({.argv = {engine(), "image", "inspect", "--format={{.Size}}", name}},
                              kLongestCommand);
  if (output.ok()) {
    std::from_chars(output->out.data(), output->out.data() + output->out.size(), size.count);
  }
  return size;
}

}  // namespace tacho
