#include "machine/launch/contract_setup.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path new_folder(const fs::path& where) {
  std::string pattern = where / "tacho-contract-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) broken_invariant("cannot create " + pattern);
  fs::permissions(pattern, fs::perms::all);  // pods run as another user
  return pattern;
}

}  // namespace

ContractSetup::~ContractSetup() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

ContractSetup::ContractSetup(LauncherKind kind) : kind_(kind) {
  settings_.at_once = 2;
  if (kind == LauncherKind::kubernetes) {
    // "claim=…", "mount=…" and so on depend on the cluster and come from the environment.
    const std::string mount = variable("TACHO_K8S_MOUNT");
    if (mount.empty()) {
      missing_ = "TACHO_K8S_MOUNT is not set; see script/test-kubernetes";
      return;
    }
    for (const char* option : {"image", "claim", "host-path", "namespace", "tacho", "user",
                               "completion-mode", "pull-policy"}) {
      std::string name = "TACHO_K8S_" + std::string(option);
      for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
      if (const std::string value = variable(name.c_str()); !value.empty()) {
        settings_.options[option] = value;
      }
    }
    settings_.options["mount"] = mount;
    settings_.options["poll-seconds"] = "1";
    folder_ = new_folder(mount);
  } else {
    folder_ = new_folder(fs::temp_directory_path());
  }
  if (kind == LauncherKind::slurm) {
    settings_.options = {{"tacho", variable("TACHO")}, {"poll-seconds", "0"}};
    if (settings_.options["tacho"].empty()) missing_ = "the variable TACHO is not set to a program";
  }
  settings_.folder = folder_ / "batches";
  if (!missing_.empty()) return;
  const auto checked = open()->check();
  if (!checked.ok()) missing_ = checked.error().message;
}

std::unique_ptr<Launcher> ContractSetup::open() const {
  if (kind_ == LauncherKind::local) {
    // Two slots, independent of the number of cores.
    LauncherSettings settings = settings_;
    settings.options["cores"] = "1";
    auto launcher = open_launcher(kind_, settings);
    if (!launcher.ok()) broken_invariant(launcher.error().message);
    return *std::move(launcher);
  }
  auto launcher = open_launcher(kind_, settings_);
  if (!launcher.ok()) broken_invariant(launcher.error().message);
  return *std::move(launcher);
}

}  // namespace tacho
