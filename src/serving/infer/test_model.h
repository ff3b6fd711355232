#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "serving/infer/model.h"

namespace tacho::infer {

// A model for tests: reads texts of letters and answers how many of them are 'a'. Records its
// batches; after hold() each one blocks until release().
class LetterModel final : public Model {
 public:
  explicit LetterModel(int instances = 1, std::string digest = std::string(64, 'd'))
      : instances_(instances) {
    facts_ = {.name = "letters",
              .run = "a-run",
              .digest = std::move(digest),
              .labels = {"few", "many"},
              .computes = "cpu-fp32"};
  }
  [[nodiscard]] const ModelFacts& facts() const override { return facts_; }
  [[nodiscard]] int instances() const override { return instances_; }

  [[nodiscard]] Result<Sample> text_sample(std::string_view text) const override {
    if (text.empty()) return Error{ErrorCode::invalid, "a text without a word"};
    return Sample{.tokens = {text.begin(), text.end()}};
  }
  [[nodiscard]] Result<Sample> image_sample(std::span<const std::uint8_t> bytes) const override {
    if (bytes.empty() || bytes[0] != 'I') return Error{ErrorCode::invalid, "not an image"};
    return Sample{.pixels = {bytes.begin(), bytes.end()}};
  }
  Result<void> begin(int /*instance*/) override { return {}; }

  Result<std::vector<Prediction>> predict(int /*instance*/,
                                          std::span<const Sample* const> batch) override {
    {
      std::unique_lock lock(mutex_);
      batches_.push_back(batch.size());
      changed_.notify_all();
      changed_.wait(lock, [this] { return !held_; });
    }
    std::vector<Prediction> predictions;
    for (const Sample* sample : batch) {
      if (std::ranges::count(sample->tokens, '!') > 0) {
        return Error{ErrorCode::failed, "this one is bad"};
      }
      predictions.push_back(expected(*sample));
    }
    return predictions;
  }

  static Prediction expected(const Sample& sample) {
    const auto all = static_cast<float>(sample.length());
    const float share = sample.pixels.empty()
                            ? static_cast<float>(std::ranges::count(sample.tokens, 'a')) / all
                            : 0.25F;
    return {{1 - share, share}};
  }

  void become_image_model() { facts_.input = InputKind::image; }
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void release() {
    {
      const std::lock_guard lock(mutex_);
      held_ = false;
    }
    changed_.notify_all();
  }
  // Waits until `count` batches have begun.
  void await_batches(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches_.size() >= count; });
  }
  std::vector<std::size_t> batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  ModelFacts facts_;
  int instances_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> batches_;
  bool held_ = false;
};

}  // namespace tacho::infer
