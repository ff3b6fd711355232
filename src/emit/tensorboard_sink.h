#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "emit/append_file.h"
#include "emit/event_sink.h"

namespace tacho {

// The scalars of a run as TensorBoard reads them:
//   by step   train/loss  train/step_s  train/input_s
//             comm/seconds  comm/exposed (of several ranks, by rank 0)
//   by epoch  epoch/train_loss  epoch/train_top1  epoch/learning_rate
//             eval/loss  eval/top1  eval/top5
class TensorBoardSink final : public EventSink {
 public:
  // Starts a file of its own in `folder`, as every attempt does; `unix_seconds`, the time now,
  // names it. TensorBoard shows the files of one folder as one run.
  static Result<std::unique_ptr<TensorBoardSink>> open(const std::filesystem::path& folder,
                                                       double unix_seconds);
  explicit TensorBoardSink(AppendFile file) : file_(std::move(file)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  // Events without scalars write nothing, but for a resumed attempt's first: what it makes again
  // replaces what was there.
  Result<void> write(const Event& event) override;

 private:
  AppendFile file_;
  std::int64_t attempt_ = 1;
  std::int64_t resumed_epochs_ = 0;
};

}  // namespace tacho
