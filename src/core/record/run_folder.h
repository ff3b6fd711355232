#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "core/record/command_spec.h"
#include "core/record/environment_spec.h"
#include "core/record/run_options.h"

namespace tacho {

// The request for a run, with its key. The key is unique across machines, so that a copied folder
// is the same run everywhere.
struct RunOrder {
  std::string key;
  double created_at = 0;  // Unix seconds
  RunSpec spec;
  std::optional<CommandSpec> command = {};  // a program to watch; `spec` is then unused
  EnvironmentSpec environment = {};
  std::optional<double> time_limit_s = {};  // of each attempt; the run is stopped after it
};

// Write and read the members of a request: "spec" or "command", "environment", "time_limit_s".
void add_what_was_asked(const RunOrder& order, Json& json);
Result<void> read_what_was_asked(JsonObject& object, RunOrder& order);

// Returns a key such as "20261115-042736-3f9a1c": sorts by time, with a random suffix.
std::string new_run_key();

// Returns an order with a new key; bare and without a time limit unless the request says otherwise.
RunOrder new_order(const RunSpec& spec);
RunOrder new_order(const TrainRequest& request);
RunOrder new_order(const CommandSpec& command);

// The layout of a run's folder. The worker writes nowhere else.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path order() const { return path_ / "spec.json"; }
  // What the user says about the run.
  [[nodiscard]] std::filesystem::path edits() const { return path_ / "edits.json"; }
  [[nodiscard]] std::filesystem::path events() const { return path_ / "events.jsonl"; }
  // Output of a watched program.
  [[nodiscard]] std::filesystem::path output() const { return path_ / "output.log"; }
  [[nodiscard]] std::filesystem::path log() const { return path_ / "worker.log"; }
  // Output of each rank's worker. Ranks other than 0 write nothing else here.
  [[nodiscard]] std::filesystem::path rank_log(int rank) const {
    return rank == 0 ? log() : path_ / ("rank-" + std::to_string(rank) + ".log");
  }
  [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  // Word pieces that the run learned before its first step; its weights are useless without them.
  [[nodiscard]] std::filesystem::path vocabulary() const { return path_ / "vocab.txt"; }
  [[nodiscard]] std::filesystem::path tokenizer() const { return path_ / "tokenizer.json"; }
  // Properties of the data that inference needs: classes, scales, words.
  [[nodiscard]] std::filesystem::path input() const { return path_ / "input.json"; }
  [[nodiscard]] std::filesystem::path tensorboard() const { return path_ / "tensorboard"; }
  // Resource usage of the run, written by the tacho process that watches it.
  [[nodiscard]] std::filesystem::path usage() const { return path_ / "usage.jsonl"; }
  // Times of torch's operators, if requested.
  [[nodiscard]] std::filesystem::path ops() const { return path_ / "ops.json"; }
  // Events of a watched program, one file per process: what it logs through the Python package.
  [[nodiscard]] std::filesystem::path logged() const { return path_ / "logged"; }
  // One file per process that used a GPU, if traced.
  [[nodiscard]] std::filesystem::path gpu_traces() const { return path_ / "gpu"; }
  // Locked shared by every process that works on the run; free exactly if there is none.
  [[nodiscard]] std::filesystem::path lock() const { return path_ / "lock"; }
  // Locked exclusively by the worker: two would mix their events and checkpoints.
  [[nodiscard]] std::filesystem::path worker_lock() const { return path_ / "worker.lock"; }

  // Creates the folder and writes the order.
  [[nodiscard]] Result<void> create(const RunOrder& order) const;
  [[nodiscard]] Result<RunOrder> read_order() const;

 private:
  std::filesystem::path path_;
};

}  // namespace tacho
