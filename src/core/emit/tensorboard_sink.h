#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/emit/append_file.h"
#include "core/emit/event_sink.h"

namespace tacho {

// Writes the scalars of a run for TensorBoard:
//   by step   train/loss  train/step_s  train/input_s
//             comm/seconds  comm/exposed (of rank 0, with several ranks)
//   by epoch  epoch/train_loss  epoch/train_top1  epoch/learning_rate
//             eval/loss  eval/top1  eval/top5
//   figures of a watched program by their names, with all digits
class TensorBoardSink final : public EventSink {
 public:
  // Creates a new file in `folder` for each attempt, named after `unix_seconds`, the current time.
  // TensorBoard shows the files of one folder as one run.
  static Result<std::unique_ptr<TensorBoardSink>> open(const std::filesystem::path& folder,
                                                       double unix_seconds);
  explicit TensorBoardSink(AppendFile file) : file_(std::move(file)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  // Writes nothing for events without scalars, except at the start of a resumed attempt: the steps
  // it repeats replace the earlier ones.
  Result<void> write(const Event& event) override;

 private:
  AppendFile file_;
  std::int64_t attempt_ = 1;
  std::int64_t resumed_epochs_ = 0;
};

}  // namespace tacho
