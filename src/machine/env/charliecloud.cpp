#include "machine/env/charliecloud.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/terminal.h"
#include "machine/env/container_spec.h"
#include "machine/env/image_digest.h"
#include "machine/env/mount_point.h"
#include "machine/env/own_images.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// ch-run needs it.
std::string user_name() {
  if (const char* user = std::getenv("USER"); user != nullptr && *user != '\0') return user;
  const passwd* entry = ::getpwuid(::geteuid());  // NOLINT: one thread prepares a start
  return entry == nullptr ? std::to_string(::geteuid()) : entry->pw_name;
}

fs::path storage() {
  if (const char* named = std::getenv("CH_IMAGE_STORAGE"); named != nullptr) return named;
  return fs::path("/var/tmp") / (user_name() + ".ch");
}

// Returns the folder name that ch-image uses for "registry/name:tag".
std::string storage_name(std::string image) {
  std::replace(image.begin(), image.end(), '/', '%');
  std::replace(image.begin(), image.end(), ':', '+');
  return image;
}

fs::path in_storage(const std::string& image) { return storage() / "img" / storage_name(image); }

bool has_driver(const fs::path& image) {
  constexpr std::array kFolders = {"usr/local/lib",
                                   "usr/lib",
                                   "usr/lib64",
                                   "lib64",
                                   "usr/lib/x86_64-linux-gnu",
                                   "usr/lib/aarch64-linux-gnu"};
  return std::any_of(kFolders.begin(), kFolders.end(), [&](const char* folder) {
    std::error_code problem;
    return fs::exists(fs::symlink_status(image / folder / "libcuda.so.1", problem));
  });
}

// ch-run takes text between single quotes literally.
std::string set_env(const std::string& name, const std::string& value) {
  return fmt::format("--set-env={}='{}'", name, value);
}

// ch-run passes its environment on, except for variables that are unset by name; it has no option
// to keep only some.
std::vector<std::string> unset_all_but_secrets(const Command& command) {
  const auto& added = command.environment;
  if (std::none_of(added.begin(), added.end(),
                   [](const auto& variable) { return is_secret(variable.first); })) {
    return {"--unset-env=*"};
  }
  std::vector<std::string> words;
  const auto unset = [&words](std::string_view name) {
    if (!name.empty() && !is_secret(name)) words.push_back(fmt::format("--unset-env={}", name));
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    unset(variable.substr(0, variable.find('=')));
  }
  for (const auto& [name, value] : added) unset(name);
  return words;
}

}  // namespace

Result<fs::path> Charliecloud::image_folder() const {
  std::error_code problem;
  const fs::path named = fs::absolute(spec().image, problem);
  if (fs::is_directory(named, problem)) return named;
  if (fs::exists(named, problem)) {
    return Error{
        ErrorCode::usage,
        fmt::format("charliecloud: {0} is not a folder; unpack it with 'ch-convert {0} FOLDER'",
                    spec().image)};
  }
  if (auto own = find_own_image(spec().kind, spec().image); !own.empty()) return own;
  if (const auto stored = in_storage(spec().image); fs::is_directory(stored, problem))
    return stored;
  return Error{
      ErrorCode::not_found,
      fmt::format("charliecloud: image {} was not found as a folder, among the images built "
                  "by Tacho or in {}; build it with 'tacho env build charliecloud'",
                  spec().image, (storage() / "img").string())};
}

Result<std::string> Charliecloud::version() const {
  if (!find_program("ch-run").ok()) {
    return Error{ErrorCode::unavailable,
                 "charliecloud is not installed; apt-get install charliecloud-runtime"};
  }
  const Command ask{.argv = {"ch-run", "--version"}, .environment = {{"USER", user_name()}}};
  TACHO_TRY(answer, capture(ask, std::chrono::minutes(1)));
  // Releases differ in the stream they write to.
  const std::string text = answer.out.empty() ? answer.err : answer.out;
  return printable(text.substr(0, text.find('\n')));
}

std::vector<std::string> Charliecloud::images() const {
  std::vector<std::string> names = own_images(spec().kind);
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(storage() / "img", problem)) {
    std::string name = entry.path().filename().string();
    std::replace(name.begin(), name.end(), '%', '/');
    std::replace(name.begin(), name.end(), '+', ':');
    names.push_back(printable(name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<void> Charliecloud::check() const {
  if (const auto engine = version(); !engine.ok()) return engine.error();
  TACHO_CHECK(check_limits());
  if (spec().network == NetworkAccess::none) {
    return Error{ErrorCode::usage,
                 "charliecloud uses the machine's network; leave --env-network none out, or use "
                 "podman, docker or apptainer"};
  }
  for (const Bind& bind : spec().binds) {
    if (!bind.read_only) continue;
    return Error{ErrorCode::usage,
                 fmt::format("charliecloud cannot bind {} read-only; leave ':ro' out, or use "
                             "podman, docker or apptainer",
                             bind.source)};
  }
  TACHO_TRY(image, image_folder());
  if (!spec().gpus.empty() && !has_driver(image)) {
    return Error{ErrorCode::unavailable,
                 fmt::format("charliecloud: image {0} lacks this machine's GPU driver; add it with "
                             "'ch-fromhost --nvidia {0}'",
                             image.string())};
  }
  return {};
}

Result<EnvironmentFacts> Charliecloud::describe() const {
  TACHO_CHECK(check());
  TACHO_TRY(image, image_folder());
  TACHO_TRY(digest, image_digest(image));
  TACHO_TRY(engine_version, version());
  return EnvironmentFacts{"charliecloud", engine_version, spec().image, digest};
}

Result<Command> Charliecloud::wrap(const Command& command, const ContainerSpec& container) const {
  TACHO_CHECK(check_key(container.key));
  TACHO_CHECK(check());
  TACHO_TRY(image, image_folder());
  TACHO_TRY(binds, all_binds(spec(), command, container));
  Command wrapped = command;
  wrapped.folder = {};
  // Marks ch-run itself too, which becomes the program.
  wrapped.environment = {{"USER", user_name()}, {kMarkVariable, container.key}};
  auto variables = this->variables(command, container);
  for (const auto& [name, value] : variables) {
    if (is_secret(name)) wrapped.environment[name] = value;
  }
  auto& words = wrapped.argv = {"ch-run", "--env-no-expand"};
  for (std::string& word : unset_all_but_secrets(wrapped)) words.push_back(std::move(word));
  std::error_code problem;
  if (fs::exists(image / "ch/environment", problem)) words.emplace_back("--set-env");
  variables.try_emplace("PATH", kPath);
  variables.try_emplace("HOME", ::geteuid() == 0 ? "/root" : "/");
  for (const auto& [name, value] : variables) {
    if (!is_secret(name)) words.push_back(set_env(name, value));
  }
  for (const Bind& bind : binds) {
    if (bind.source.find(':') != std::string::npos || bind.target.find(':') != std::string::npos) {
      return Error{ErrorCode::usage,
                   fmt::format("charliecloud cannot bind {}: it reads ':' as the end of a path; "
                               "rename it",
                               bind.source)};
    }
    TACHO_CHECK(make_mount_point(image, bind).in("charliecloud"));
    words.push_back(fmt::format("--bind={}:{}", bind.source, bind.target));
  }
  words.push_back("--cd=" + working_folder(command).string());
  // ch-run accepts images in its storage only by name.
  words.push_back(image == in_storage(spec().image) ? spec().image : image.string());
  words.emplace_back("--");
  words.insert(words.end(), command.argv.begin(), command.argv.end());
  return limited(std::move(wrapped), container.key);
}

}  // namespace tacho
