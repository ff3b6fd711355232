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

#include "comm/place.h"
#include "comm/rollcall.h"
#include "record/ranks.h"
#include "record/run_spec.h"
#include "train/checkpoint.h"
#include "train/dist/exchange.h"
#include "train/dist/rank_book.h"
#include "train/dist/reducer.h"
#include "train/input/batch_plan.h"
#include "train/models/classifier.h"
#include "train/step_engine.h"

namespace tacho {

// This process among the ranks of its job: how they met, what they exchange, and that they end
// together. A rank that goes leaves the others a reason; one that cannot be woken ends by
// `last_words`.
class Team {
 public:
  struct Options {
    Place place;
    std::string job;  // rank 0's name for it
    // Called when a rank is lost while this one waits for it and cannot be woken: it must end the
    // process.
    std::function<void(const std::string& why)> last_words;
    const std::atomic<bool>* stop = nullptr;  // once set, nobody is waited for to come
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

  // Makes sure that all have the same model, and gives everyone rank 0's weights, moments and
  // progress.
  Result<void> share_state(Classifier& model, Optimizer& optimizer, Progress& progress);
  // Gives everyone what rank 0's layers count besides their weights.
  Result<void> share_buffers(Classifier& model);
  Result<Reducer*> make_reducer(Classifier& model);
  Result<Scores> total(const Scores& mine);

  // This rank's account of a step; it reaches rank 0's log a little later.
  void tell(const RankStep& step);
  // Rank 0: logs and reports what has come. At an epoch's end everyone calls it with at_once, and
  // then nothing is missing.
  Result<void> hear(StepLog& log, const Report& report, bool at_once);
  // Rank 0, before it leaves a run that ended badly: what can still be known of its last steps.
  void hear_last(StepLog& log, const Report& report);

  // Why a collective broke: a rank that is gone, where there is one, or what went wrong here.
  Error explain(const Error& error) const;
  // The last call.
  void leave(std::string_view why);

 private:
  Team(const RunSpec& spec, const Options& options);
  Result<void> assemble(const Options& options);
  void watch();
  Result<void> broadcast(const std::vector<at::Tensor>& tensors);
  void tell_now();
  Result<void> note_told(StepLog& log, const Report& report, bool at_once);

  const RunSpec& spec_;
  const Place place_;
  const std::function<void(const std::string&)> last_words_;
  std::unique_ptr<Rollcall> rollcall_;
  RanksReady ready_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<BucketLine> line_;
  std::unique_ptr<Reducer> reducer_;

  std::vector<RankStep> untold_;
  std::chrono::steady_clock::time_point last_told_ = std::chrono::steady_clock::now();
  RankBook book_;

  std::mutex mutex_;  // guards has_left_
  std::condition_variable left_;
  bool has_left_ = false;
  std::jthread undertaker_;
};

}  // namespace tacho
