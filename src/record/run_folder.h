#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "record/command_spec.h"
#include "record/environment_spec.h"
#include "record/run_spec.h"

namespace tacho {

// What was asked for, and the name it goes by everywhere. The key is unique across machines, so
// a folder copied from elsewhere is the same run here.
struct RunOrder {
  std::string key;
  double created_at = 0;  // Unix seconds
  RunSpec spec;
  std::optional<CommandSpec> command = {};  // a program to watch; then `spec` says nothing
  EnvironmentSpec environment = {};         // where its processes live
  std::optional<double> time_limit_s = {};  // of each attempt; past it the run is ended
};

// What was asked for as members of `json`, and back: "spec" or "command", "environment",
// "time_limit_s".
void add_what_was_asked(const RunOrder& order, Json& json);
Result<void> read_what_was_asked(JsonObject& object, RunOrder& order);

// "20261115-042736-3f9a1c": sorts by time, unique by chance.
std::string new_run_key();

// To be carried out from now on, with a key of its own, bare and without a limit.
RunOrder new_order(const RunSpec& spec);
RunOrder new_order(const CommandSpec& command);

// The layout of a run's folder. The worker writes here and nowhere else.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path order() const { return path_ / "spec.json"; }
  [[nodiscard]] std::filesystem::path events() const { return path_ / "events.jsonl"; }
  // What a watched program printed.
  [[nodiscard]] std::filesystem::path output() const { return path_ / "output.log"; }
  [[nodiscard]] std::filesystem::path log() const { return path_ / "worker.log"; }
  // Of each rank's worker. Those other than 0 write nothing else here.
  [[nodiscard]] std::filesystem::path rank_log(int rank) const {
    return rank == 0 ? log() : path_ / ("rank-" + std::to_string(rank) + ".log");
  }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  // Word pieces that the run learned before its first step: its weights mean nothing without them.
  [[nodiscard]] std::filesystem::path vocabulary() const { return path_ / "vocab.txt"; }
  // What else of its data the model's answers depend on: classes, scales, words.
  [[nodiscard]] std::filesystem::path input() const { return path_ / "input.json"; }
  [[nodiscard]] std::filesystem::path tensorboard() const { return path_ / "tensorboard"; }
  // What the run used of the machine, written by the tacho that watches it.
  [[nodiscard]] std::filesystem::path usage() const { return path_ / "usage.jsonl"; }
  // What torch's operators took, where that was asked for.
  [[nodiscard]] std::filesystem::path ops() const { return path_ / "ops.json"; }
  // One file for each process that used a GPU, where that was traced.
  [[nodiscard]] std::filesystem::path gpu_traces() const { return path_ / "gpu"; }
  // Held shared by everyone who works on the run, so that it is free exactly when nobody does.
  [[nodiscard]] std::filesystem::path lock() const { return path_ / "lock"; }
  // Held exclusively by the one worker: two would mix their events and checkpoints.
  [[nodiscard]] std::filesystem::path worker_lock() const { return path_ / "worker.lock"; }

  // Makes the folder and writes the order.
  [[nodiscard]] Result<void> create(const RunOrder& order) const;
  [[nodiscard]] Result<RunOrder> read_order() const;

 private:
  std::filesystem::path path_;
};

}  // namespace tacho
