#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/run_folder.h"
#include "core/store/run_store.h"
#include "experiments/runner/run_hook.h"
#include "predict/rent/run_predictor.h"

namespace tacho {

// Writes predictions of runs into the ledger before they start, and the measurements afterwards.
// Problems here never stop a run: the first one is passed to `warn`.
class PredictionRecorder final : public RunHook {
 public:
  using Warn = std::function<void(const std::string&)>;
  PredictionRecorder(RunStore& store, std::filesystem::path store_file, Warn warn)
      : store_(store), file_(std::move(store_file)), warn_(std::move(warn)) {}

  void before(const RunOrder& order) override;
  // Refits the predictor now and then.
  void after() override;
  // Predicts a run from earlier runs on this machine; nothing if it abstains.
  std::optional<OwnPrediction> predict(const RunSpec& spec);
  void settle();

 private:
  Result<void> try_record(const RunOrder& order);
  // Returns the newest runs of the same task.
  Result<const std::vector<RunRecord>*> past_of(const RunSpec& spec);
  const RunPredictor* predictor();
  void warn_once(const std::string& what, const Error& error);

  RunStore& store_;
  std::filesystem::path file_;
  Warn warn_;
  std::map<std::pair<std::string, std::string>, std::vector<RunRecord>> past_;  // by task
  std::unique_ptr<RunPredictor> predictor_;
  bool opened_ = false;
  std::size_t known_ = 0;  // runs that had ended when it was last fitted
  std::size_t ended_ = 0;  // runs that have ended
  bool warned_ = false;
};

}  // namespace tacho
