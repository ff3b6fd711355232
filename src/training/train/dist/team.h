#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/record/ranks.h"
#include "core/record/run_spec.h"
#include "machine/comm/place.h"
#include "machine/comm/rendezvous.h"
#include "training/train/checkpoint.h"
#include "training/train/dist/exchange.h"
#include "training/train/dist/rank_book.h"
#include "training/train/dist/reducer.h"
#include "training/train/input/batch_plan.h"
#include "training/train/models/classifier.h"
#include "training/train/step_engine.h"

namespace tacho {

// This process as a rank of its job: rendezvous, exchange, and ending together. A rank that leaves
// gives the others a reason; one that cannot be woken ends through `on_lost_rank`.
class Team {
 public:
  struct Options {
    Place place;
    std::string job;  // given by rank 0
    // Called if a rank is lost while this one waits for it and cannot be woken: it must end the
    // process.
    std::function<void(const std::string& why)> on_lost_rank;
    const std::atomic<bool>* stop = nullptr;  // once set, stops waiting for ranks to join
  };
  static Result<std::unique_ptr<Team>> meet(const RunSpec& spec, const Options& options);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int rank() const { return place_.rank; }
  [[nodiscard]] int size() const { return place_.size; }
  [[nodiscard]] bool leads() const { return place_.rank == 0; }
  [[nodiscard]] Share share() const { return {place_.rank, place_.size}; }
  [[nodiscard]] const RanksReady& ready() const { return ready_; }

  // Checks that all ranks have the same model and sends them rank 0's weights, moments, other
  // tensors and progress.
  Result<void> share_state(Classifier& model, Optimizer& optimizer, const Optimizer::Named& others,
                           Progress& progress);
  // Sends rank 0's buffers (such as running statistics) to all ranks.
  Result<void> share_buffers(Classifier& model);
  Result<Reducer*> make_reducer(Classifier& model);
  Result<Scores> total(const Scores& mine);

  // Reports a step of this rank; it reaches rank 0's log a little later.
  void send_step(const RankStep& step);
  // Rank 0: logs and reports the steps received so far. At the end of an epoch all ranks call it
  // with at_once; nothing is missing then.
  Result<void> collect(StepLog& log, const Report& report, bool at_once);
  // Rank 0, before it leaves a failed run: logs the last steps it has received.
  void collect_last(StepLog& log, const Report& report);

  // Returns why a collective failed: a lost rank if there is one, else the error of this rank.
  Error explain(const Error& error) const;
  // The last call.
  void leave(std::string_view why);

 private:
  Team(const RunSpec& spec, const Options& options);
  Result<void> assemble(const Options& options);
  void watch();
  Result<void> broadcast(const std::vector<at::Tensor>& tensors);
  void send_now();
  Result<void> log_received(StepLog& log, const Report& report, bool at_once);

  const RunSpec& spec_;
  const Place place_;
  const std::function<void(const std::string&)> on_lost_rank_;
  std::unique_ptr<Rendezvous> rendezvous_;
  RanksReady ready_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<BucketLine> line_;
  std::unique_ptr<Reducer> reducer_;

  std::vector<RankStep> unsent_;
  std::chrono::steady_clock::time_point last_sent_ = std::chrono::steady_clock::now();
  RankBook book_;

  std::mutex mutex_;  // guards has_left_
  std::condition_variable left_;
  bool has_left_ = false;
  std::jthread watcher_;
};

}  // namespace tacho
