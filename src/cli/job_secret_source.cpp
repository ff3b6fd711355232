#include "cli/job_secret_source.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/file.h"
#include "base/hmac.h"
#include "base/home.h"
#include "base/shell_words.h"
#include "experiments/runner/home_key.h"
#include "machine/comm/job_secret.h"

namespace tacho {
namespace {

constexpr Bytes kLargestSecretFile{4096};

// Returns "" if there is no secret.
Result<std::string> given_secret(const Standing& standing, const std::string& file) {
  if (!file.empty()) {
    TACHO_TRY(text, read_file(file, kLargestSecretFile).in("--job-secret-file"));
    return parse_job_secret(text).in("--job-secret-file " + file);
  }
  if (standing.given && !standing.given->secret.empty()) return standing.given->secret;
  const auto named = process_environment()(kJobSecretVariable);
  if (!named || named->empty()) return std::string();
  return parse_job_secret(*named).in(kJobSecretVariable);
}

bool is_on_one_node(const Place& place) { return place.local_size == place.size; }

Result<std::string> secret_of_node(const Place& place) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(key, home_key(home));
  return hmac_sha256_hex(key, fmt::format("ranks of one node at port {}", place.port));
}

void show_command_for_others(const Standing& standing, std::int64_t nodes, const Context& context) {
  const std::string others =
      nodes == 2 ? "the other machine"
                 : fmt::format("the other machines, with --node-rank 1 to {}", nodes - 1);
  const char* who = standing.secret.empty() ? "" : "; everyone who knows the secret can take part";
  context.warn(fmt::format("start this on {}{}:", others, who));
  fmt::print(stderr, "{}\n", command_for_machine(1, standing.secret, context.words));
}

}  // namespace

std::string command_for_machine(int node, const std::string& secret,
                                std::vector<std::string> words) {
  constexpr std::string_view kOption = "--node-rank";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(fmt::format("{}=", kOption))) {
      words[i] = fmt::format("{}={}", kOption, node);
    } else if (words[i] == kOption && i + 1 < words.size()) {
      words[i + 1] = std::to_string(node);
    }
  }
  if (secret.empty()) return shell_quoted(words);
  return fmt::format("{}={} {}", kJobSecretVariable, shell_quoted(secret), shell_quoted(words));
}

Result<void> settle_secret(Standing& standing, const RankOptions& options, const DistSpec& dist,
                           const Context& context) {
  const std::int64_t nodes = standing.nodes.value_or(dist.nodes);
  if (!standing.given && nodes < 2) return {};  // all ranks are here
  TACHO_TRY(given, given_secret(standing, options.job_secret_file));
  standing.secret = given;
  if (!given.empty()) return {};
  if (standing.given) {
    if (standing.given->size == 1 || !is_on_one_node(*standing.given)) return {};
    TACHO_TRY(secret, secret_of_node(*standing.given));
    standing.secret = secret;
    return {};
  }
  if (!standing.has_rendezvous() || standing.node_rank != 0) return {};
  if (!standing.file) standing.secret = new_job_secret();
  TACHO_TRY(launch, plan_launch(dist, standing));  // reports wrong options first
  TACHO_CHECK(check_possible(launch));
  show_command_for_others(standing, nodes, context);
  return {};
}

}  // namespace tacho
