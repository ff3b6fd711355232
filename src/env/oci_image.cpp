#include "env/oci_image.h"

#include <fmt/format.h>

#include <charconv>

#include "base/file.h"
#include "base/version.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestAnswer{2};
constexpr const char* kVersionLabel = "tacho.version";
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Engines do not follow links out of the folder they build in.
Result<void> bring(const fs::path& file, const fs::path& place) {
  std::error_code problem;
  fs::create_hard_link(file, place, problem);
  if (problem) fs::copy_file(file, place, problem);
  if (problem) return system_error(file, problem.value());
  return {};
}

}  // namespace

std::string dockerfile(const ImageBase& base) {
  const bool named = base.kind == ImageBase::Kind::named;
  // Labels first, so that also what an interrupted build leaves carries them.
  std::string text = fmt::format("FROM {}\nLABEL {}=\"{}\" tacho.commit=\"{}\"\n",
                                 named ? base.word : "scratch", kVersionLabel, kVersion, kCommit);
  if (!named) text += fmt::format("ADD base.tar /\nENV PATH={}\n", kPath);
  return text + "ADD layer.tar /\nCMD [\"tacho\", \"--help\"]\n";
}

Command oci_build_command(EnvironmentKind kind, const fs::path& context, const fs::path& id_file) {
  Command command{.argv = {std::string(kEnvironmentKinds.of(kind)), "build", "--network=none",
                           "--iidfile=" + id_file.string()}};
  if (kind == EnvironmentKind::podman) {
    // Without it every build has another digest. Docker keeps what it has built and finds it again.
    command.argv.push_back(fmt::format("--timestamp={}", kImageTime));
    command.argv.emplace_back("--layers=false");
  }
  command.argv.push_back(context.string());
  return command;
}

Result<std::string> OciImage::make(const ImageParts& parts) {
  const fs::path context = scratch_ / "context";
  const fs::path id_file = scratch_ / "id";
  TACHO_CHECK(make_folders(context));
  TACHO_CHECK(write_file_atomically(context / "Dockerfile", dockerfile(parts.base)));
  TACHO_CHECK(bring(parts.layer, context / "layer.tar"));
  const bool named = parts.base.kind == ImageBase::Kind::named;
  if (!named) TACHO_CHECK(bring(parts.base_archive, context / "base.tar"));
  auto built = run_step(fmt::format("handing the image to {}", engine()),
                        oci_build_command(kind_, context, id_file), scratch_ / "log", watch_);
  if (!built.ok() && named && !watch_.stopped()) {
    return Error{ErrorCode::failed,
                 fmt::format("{}; where no registry can be reached, leave --base {} out",
                             built.error().message, parts.base.word)};
  }
  TACHO_CHECK(std::move(built));
  TACHO_TRY(id, read_file(id_file, Bytes{4096}));
  id_ = id.substr(0, id.find('\n'));
  return id_;
}

Result<void> OciImage::keep(const std::string& name) {
  TACHO_TRY(named, capture({.argv = {engine(), "tag", id_, name}}, kLongestAnswer));
  if (named.status.success()) return {};
  return Error{ErrorCode::usage, fmt::format("{}: the image cannot be called {}: {}", engine(),
                                             name, complaint_in(named.err))};
}

void OciImage::clear_up() {
  const Command prune{.argv = {engine(), "image", "prune", "--force",
                               fmt::format("--filter=label={}", kVersionLabel)}};
  (void)capture(prune, kLongestAnswer).ok();  // what cannot be removed is in use
}

Bytes OciImage::size() const {
  Bytes size;
  const auto said =
      capture({.argv = {engine(), "image", "inspect", "--format={{.Size}}", id_}}, kLongestAnswer);
  if (said.ok()) {
    std::from_chars(said->out.data(), said->out.data() + said->out.size(), size.count);
  }
  return size;
}

}  // namespace tacho
