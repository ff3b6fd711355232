#pragma once

#include <filesystem>
#include <functional>

#include "lab/lab.h"
#include "store/run_store.h"

namespace tacho {

// A view that, when a run starts, first writes down what can be foretold of it: the ledger must
// know before the run does. A run is not held up by what goes wrong here; `warn` is told.
class ForetellingView final : public RunView {
 public:
  ForetellingView(RunView& inner, RunStore& store, std::filesystem::path store_file,
                  std::function<void(const std::string&)> warn)
      : inner_(inner), store_(store), file_(std::move(store_file)), warn_(std::move(warn)) {}

  void started(std::int64_t id, const RunOrder& order) override;
  void event(const Event& event) override { inner_.event(event); }
  void tick() override { inner_.tick(); }

  // Adds what was measured of runs that are over.
  void settle();

 private:
  Result<void> write_down(const RunOrder& order);

  RunView& inner_;
  RunStore& store_;
  std::filesystem::path file_;
  std::function<void(const std::string&)> warn_;
};

}  // namespace tacho
