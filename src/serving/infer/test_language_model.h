#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "serving/infer/language_model.h"

namespace tacho::infer {

// A language model for tests, with a token per letter: continues "ab" with the rest of the
// alphabet; a text ends after 'z'. Above a temperature of 0 it repeats the digit of the seed. '!'
// cannot be read, '?' fails to continue. After hold() each step blocks until release().
class AlphabetModel final : public LanguageModel {
 public:
  explicit AlphabetModel(int instances = 1)
      : instances_(instances), texts_(static_cast<std::size_t>(instances)) {
    facts_ = {.name = "alphabet",
              .run = "a-run",
              .digest = std::string(64, 'd'),
              .input = InputKind::documents,
              .shape = {{"length", 8}},
              .computes = "cpu-fp32"};
  }
  [[nodiscard]] const ModelFacts& facts() const override { return facts_; }
  [[nodiscard]] int instances() const override { return instances_; }

  [[nodiscard]] Result<std::vector<std::int32_t>> tokens(std::string_view text) const override {
    if (text.find('A') != std::string_view::npos) {
      return Error{ErrorCode::invalid, "the character 'A' does not occur in the training text"};
    }
    if (text.empty()) return std::vector<std::int32_t>{'@'};
    return std::vector<std::int32_t>(text.begin(), text.end());
  }
  [[nodiscard]] std::size_t reach() const override { return 8; }
  Result<void> begin(int /*instance*/) override { return {}; }
  Result<void> join(int instance, std::span<const std::int32_t> text,
                    const Sampling& sampling) override {
    if (text.back() == '!') return Error{ErrorCode::failed, "unreadable"};
    of(instance).push_back({text.back(), sampling});
    return {};
  }
  Result<std::vector<Next>> step(int instance) override {
    {
      std::unique_lock lock(mutex_);
      sizes_.push_back(of(instance).size());
      changed_.notify_all();
      changed_.wait(lock, [this] { return !held_; });
    }
    std::vector<Next> next;
    for (Text& text : of(instance)) next.push_back(after(text));
    return next;
  }
  void leave(int instance, std::size_t row) override {
    auto& texts = of(instance);
    texts[row] = texts.back();
    texts.pop_back();
  }

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
  // Waits until `count` steps have begun.
  void await_steps(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return sizes_.size() >= count; });
  }
  // The number of texts in each step.
  std::vector<std::size_t> steps() {
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  struct Text {
    std::int32_t last;
    Sampling sampling;
  };
  std::vector<Text>& of(int instance) { return texts_[static_cast<std::size_t>(instance)]; }
  static Next after(Text& text) {
    if (text.last == '?') return Error{ErrorCode::failed, "the model's output is NaN"};
    if (text.last == 'z') return std::optional<std::string>();
    if (text.sampling.temperature > 0) return std::optional(std::to_string(text.sampling.seed));
    text.last = text.last == '@' ? 'a' : text.last + 1;
    return std::optional(std::string(1, static_cast<char>(text.last)));
  }

  ModelFacts facts_;
  int instances_;
  std::vector<std::vector<Text>> texts_;  // of each instance
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> sizes_;
  bool held_ = false;
};

}  // namespace tacho::infer
