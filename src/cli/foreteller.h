#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advise/run_predictor.h"
#include "record/run_folder.h"
#include "store/run_store.h"

namespace tacho {

// Writes into the ledger what can be foretold of runs that are about to begin, and afterwards what
// was measured. No run is held up by what goes wrong here: `warn` is told, once.
class Foreteller {
 public:
  using Warn = std::function<void(const std::string&)>;
  Foreteller(RunStore& store, std::filesystem::path store_file, Warn warn)
      : store_(store), file_(std::move(store_file)), warn_(std::move(warn)) {}

  void write_down(const RunOrder& order);
  // What runs made here say of another; nothing where they do not.
  std::optional<OwnForecast> forecast(const RunSpec& spec);
  // Another run has ended: what is known is learned again, now and then.
  void learn_of_another();
  void settle();

 private:
  Result<void> try_to_write_down(const RunOrder& order);
  // The newest runs of its task.
  Result<const std::vector<RunRecord>*> past_of(const RunSpec& spec);
  const RunPredictor* predictor();
  void complain(const std::string& what, const Error& error);

  RunStore& store_;
  std::filesystem::path file_;
  Warn warn_;
  std::map<std::pair<std::string, std::string>, std::vector<RunRecord>> past_;  // by task
  std::unique_ptr<RunPredictor> predictor_;
  bool opened_ = false;
  std::size_t known_ = 0;  // runs that ended while it was open, when it was last learned …
  std::size_t ended_ = 0;  // … and now
  bool complained_ = false;
};

}  // namespace tacho
