#include "machine/launch/kubernetes_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// The cluster removes a batch that is never collected.
constexpr int kSecondsKept = 7 * 24 * 3600;
constexpr int kSecondsToEnd = 30;

Json volumes(const KubernetesOptions& options) {
  Json shared{{"name", "shared"}};
  if (options.claim.empty()) {
    shared["hostPath"] = {{"path", options.host_path}, {"type", "Directory"}};
  } else {
    shared["persistentVolumeClaim"] = {{"claimName", options.claim}};
  }
  // The workers of a run exchange data through shared memory, which counts towards their limit.
  return Json::array({shared,
                      {{"name", "tmp"}, {"emptyDir", Json::object()}},
                      {{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}});
}

Json mounts(const KubernetesOptions& options) {
  return Json::array({{{"name", "shared"}, {"mountPath", options.mount}},
                      {{"name", "tmp"}, {"mountPath", "/tmp"}},
                      {{"name", "shm"}, {"mountPath", "/dev/shm"}}});
}

// Requests equal limits, so that other pods do not disturb the measurement.
Json resources(const ManifestOrder& order) {
  const auto milli = static_cast<std::int64_t>(std::ceil(order.needs.cores * 1000));
  Json amounts{
      {"cpu", milli % 1000 == 0 ? std::to_string(milli / 1000) : fmt::format("{}m", milli)}};
  if (order.needs.memory_bytes) amounts["memory"] = std::to_string(*order.needs.memory_bytes);
  if (order.needs.gpus > 0) amounts[order.options.gpu_resource] = std::to_string(order.needs.gpus);
  return {{"requests", amounts}, {"limits", amounts}};
}

Json container(const ManifestOrder& order) {
  const KubernetesOptions& options = order.options;
  Json command{options.tacho, "take-task", order.folder.string()};
  if (!options.is_indexed) command.push_back("--any");
  Json made{{"name", "task"},
            {"image", options.image},
            {"command", command},
            {"env", Json::array({{{"name", "HOME"}, {"value", "/tmp"}}})},
            {"resources", resources(order)},
            {"volumeMounts", mounts(options)},
            {"securityContext",
             {{"allowPrivilegeEscalation", false},
              {"readOnlyRootFilesystem", true},
              {"capabilities", {{"drop", Json::array({"ALL"})}}}}}};
  if (!options.pull_policy.empty()) made["imagePullPolicy"] = options.pull_policy;
  return made;
}

Json pod(const ManifestOrder& order) {
  const KubernetesOptions& options = order.options;
  Json made{{"restartPolicy", "Never"},
            {"automountServiceAccountToken", false},
            {"enableServiceLinks", false},
            {"terminationGracePeriodSeconds", kSecondsToEnd},
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", options.user},
              {"runAsGroup", options.group},
              {"fsGroup", options.group},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"containers", Json::array({container(order)})},
            {"volumes", volumes(options)}};
  if (!options.node_selector.empty()) {
    Json selector = Json::object();
    for (const auto& [label, value] : options.node_selector) selector[label] = value;
    made["nodeSelector"] = selector;
  }
  if (!options.pull_secret.empty()) {
    made["imagePullSecrets"] = Json::array({{{"name", options.pull_secret}}});
  }
  if (!options.service_account.empty()) made["serviceAccountName"] = options.service_account;
  if (!options.priority_class.empty()) made["priorityClassName"] = options.priority_class;
  if (!options.runtime_class.empty()) made["runtimeClassName"] = options.runtime_class;
  return made;
}

}  // namespace

Json job_manifest(const ManifestOrder& order) {
  const Json labels{{"app.kubernetes.io/name", "tacho"}, {"app.kubernetes.io/managed-by", "tacho"}};
  const auto at_once = static_cast<std::size_t>(order.at_once.value_or(1 << 30));
  Json metadata{{"name", order.name}, {"labels", labels}};
  if (!order.options.name_space.empty()) metadata["namespace"] = order.options.name_space;
  if (!order.options.queue.empty()) {
    metadata["labels"]["kueue.x-k8s.io/queue-name"] = order.options.queue;
  }
  // The pod of a failed task succeeds; take-task writes the status. Only lost pods count towards
  // the limit, which allows some for every task.
  Json spec{{"completions", order.tasks},
            {"parallelism", std::min(order.tasks, at_once)},
            {"backoffLimit", 2 * order.tasks + 6},
            {"ttlSecondsAfterFinished", kSecondsKept},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod(order)}}}};
  if (order.options.is_indexed) spec["completionMode"] = "Indexed";  // unknown to older servers
  return {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", metadata}, {"spec", spec}};
}

}  // namespace tacho
