#include "machine/launch/kubernetes_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/nearest.h"
#include "machine/launch/option_value.h"

namespace tacho {
namespace {

struct Word {
  std::string_view name;
  std::string KubernetesOptions::*field;
};
constexpr std::array<Word, 14> kWords{{
    {"claim", &KubernetesOptions::claim},
    {"context", &KubernetesOptions::context},
    {"gpu-resource", &KubernetesOptions::gpu_resource},
    {"host-path", &KubernetesOptions::host_path},
    {"image", &KubernetesOptions::image},
    {"mount", &KubernetesOptions::mount},
    {"namespace", &KubernetesOptions::name_space},
    {"priority-class", &KubernetesOptions::priority_class},
    {"pull-policy", &KubernetesOptions::pull_policy},
    {"pull-secret", &KubernetesOptions::pull_secret},
    {"queue", &KubernetesOptions::queue},
    {"runtime-class", &KubernetesOptions::runtime_class},
    {"service-account", &KubernetesOptions::service_account},
    {"tacho", &KubernetesOptions::tacho},
}};
constexpr std::array<std::string_view, 6> kOthers{"completion-mode", "give-up-seconds", "group",
                                                  "node-selector",   "poll-seconds",    "user"};

const Word* word_named(std::string_view name) {
  for (const Word& word : kWords) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

Error bad_kubernetes(const std::string& what) { return {ErrorCode::usage, "kubernetes: " + what}; }

Error unknown_kubernetes(const std::string& name) {
  std::vector<std::string_view> known(kOthers.begin(), kOthers.end());
  for (const Word& word : kWords) known.push_back(word.name);
  std::sort(known.begin(), known.end());
  return bad_kubernetes(unknown_name("option", name, known));
}

// Parses "disk:ssd,zone:a".
Result<void> read_selector(const std::string& text, std::map<std::string, std::string>& selector) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    const auto colon = pair.find(':');
    if (colon == std::string_view::npos || colon == 0) {
      return bad_kubernetes(
          fmt::format("option node-selector={}: must be LABEL:VALUE[,LABEL:VALUE…]", text));
    }
    selector[std::string(pair.substr(0, colon))] = pair.substr(colon + 1);
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
  }
  return {};
}

Result<void> read_other(const std::string& name, const std::string& value, KubernetesOptions& out) {
  if (name == "node-selector") return read_selector(value, out.node_selector);
  if (name == "completion-mode") {
    out.is_indexed = value == "Indexed";
    if (out.is_indexed || value == "NonIndexed") return {};
    return bad_kubernetes("option completion-mode must be Indexed or NonIndexed");
  }
  TACHO_TRY(count, read_count(name, value).in("kubernetes"));
  if (count > std::numeric_limits<std::int32_t>::max()) {
    return bad_kubernetes(fmt::format("option {}={}: is too large", name, value));
  }
  if (name == "poll-seconds") {
    out.poll_interval = std::chrono::seconds(count);
  } else if (name == "give-up-seconds") {
    out.give_up_after = std::chrono::seconds(count);
  } else {
    (name == "user" ? out.user : out.group) = count;
  }
  return {};
}

Result<void> check(const KubernetesOptions& options) {
  if (options.image.empty()) {
    return bad_kubernetes(
        "option image is missing; give an image with tacho, tacho-take and tacho-worker");
  }
  if (options.claim.empty() == options.host_path.empty()) {
    return bad_kubernetes(
        "give the volume that tasks share with one of the options claim and host-path");
  }
  for (const auto& [name, path] : {std::pair("mount", options.mount), {"tacho", options.tacho}}) {
    if (path.empty() || path.front() != '/') {
      return bad_kubernetes(fmt::format("option {} must be an absolute path", name));
    }
  }
  if (options.mount == "/" || options.mount == "/tmp" || options.mount.starts_with("/tmp/")) {
    return bad_kubernetes(fmt::format(
        "option mount={}: '/' and '/tmp' are reserved; move TACHO_HOME", options.mount));
  }
  if (!options.host_path.empty() && options.host_path.front() != '/') {
    return bad_kubernetes("option host-path must be an absolute path");
  }
  if (!options.pull_policy.empty() && options.pull_policy != "Always" &&
      options.pull_policy != "IfNotPresent" && options.pull_policy != "Never") {
    return bad_kubernetes("option pull-policy must be Always, IfNotPresent or Never");
  }
  if (options.user == 0)
    return bad_kubernetes("option user=0: tasks never run as root; use another user");
  return {};
}

}  // namespace

Result<KubernetesOptions> kubernetes_options(const std::map<std::string, std::string>& options) {
  constexpr std::int64_t kSomeUser = 1000;
  KubernetesOptions read;
  read.user = ::geteuid() == 0 ? kSomeUser : ::geteuid();
  read.group = ::geteuid() == 0 ? kSomeUser : ::getegid();
  for (const auto& [name, value] : options) {
    TACHO_CHECK(check_value(name, value).in("kubernetes"));
    const Word* word = word_named(name);
    if (word != nullptr) {
      read.*(word->field) = value;
    } else if (std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end()) {
      TACHO_CHECK(read_other(name, value, read));
    } else {
      return unknown_kubernetes(name);
    }
  }
  TACHO_CHECK(check(read));
  return read;
}

}  // namespace tacho
