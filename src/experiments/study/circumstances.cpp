#include "experiments/study/circumstances.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace tacho {

void Circumstances::add(const RunRecord& record) {
  ++runs_;
  if (!record.disturbed.empty()) ++disturbed_;
  if (record.order.spec.tensorboard && record.started && !record.order.command) ++tensorboard_runs_;
  seconds_ +=
      record.environment_seconds > 0 ? record.environment_seconds : record.totals.wall_seconds;
  if (!record.started) return;
  const RunStarted& started = *record.started;
  programs_.insert(fmt::format("tacho {} ({})", started.tacho_version, started.tacho_commit));
  if (!started.torch_version.empty()) programs_.insert("torch " + started.torch_version);
  const Host& host = started.host;
  // A container has the system of its image, and a run of a sweep may see only some cores.
  if (host.environment != "bare") return;
  systems_.insert(fmt::format("{}, Linux {}", host.system, host.kernel));
  Host& widest = machines_.try_emplace(host.cpu + host.gpu, host).first->second;
  widest.cores = std::max(widest.cores, host.cores);
  widest.memory_bytes = std::max(widest.memory_bytes, host.memory_bytes);
}

FactList Circumstances::facts() const {
  FactList list;
  const auto add = [&](const char* name, const std::set<std::string>& values) {
    if (!values.empty()) list.facts.emplace_back(name, fmt::format("{}", fmt::join(values, "; ")));
  };
  std::set<std::string> machines;
  for (const auto& [name, host] : machines_) {
    machines.insert(fmt::format("{}, {} {}, {}, {}", host.cpu, host.cores,
                                host.cores == 1 ? "core" : "cores", human(Bytes{host.memory_bytes}),
                                host.gpu.empty() ? "no GPU" : host.gpu));
  }
  add("machine", machines);
  add("system", systems_);
  add("software", programs_);
  list.facts.emplace_back("runs",
                          fmt::format("{}, {} of run time", human_count(static_cast<double>(runs_)),
                                      human(Seconds(seconds_))));
  if (disturbed_ > 0) {
    list.facts.emplace_back("disturbed",
                            fmt::format("{} of these runs: the machine was busy with other work, "
                                        "so they are not comparable",
                                        human_count(static_cast<double>(disturbed_))));
  }
  return list;
}

}  // namespace tacho
