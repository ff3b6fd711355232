#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serving/infer/growing_text.h"
#include "serving/infer/language_model.h"

namespace tacho::infer {

enum class FinishReason { stop, length };

// A part of the text that continues a prompt. The last one has a reason or a refusal.
struct Piece {
  struct Refusal {
    int status = 500;
    std::string why;
  };
  std::string text = {};
  std::int64_t tokens = 0;  // generated so far
  std::optional<FinishReason> finish = {};
  std::optional<Refusal> refusal = {};
  [[nodiscard]] bool is_last() const { return finish || refusal; }
};

// A prompt to continue.
struct Generation {
  std::vector<std::int32_t> prompt;
  Sampling sampling = {};
  std::int64_t max_tokens = 16;
  std::vector<std::string> stops = {};
  std::chrono::steady_clock::time_point until;
  // Called by the instances' threads; the last piece is given exactly once unless the generator is
  // stopped. `wanted` may become false at any time.
  std::function<void(Piece)> give;
  std::function<bool()> wanted;
};

struct GeneratorOptions {
  std::size_t max_batch = 32;                  // texts that are continued together
  std::size_t queue = 256;                     // texts that may wait
  std::chrono::milliseconds deadline{60'000};  // for messages: each text has its own
};

struct GeneratorCounts {
  std::uint64_t steps = 0;
  std::uint64_t prompt_tokens = 0;     // read
  std::uint64_t generated_tokens = 0;  // without end-of-text
  std::uint64_t too_late = 0;          // texts
  std::uint64_t unwanted = 0;          // texts whose client disconnected
  std::uint64_t failed = 0;            // texts
  double compute_seconds = 0;
  std::size_t queued = 0;  // currently
  std::size_t active = 0;  // currently
};

// Continues prompts with one thread per instance of the model. A thread computes the next token of
// all its texts together; between two steps it takes at most one prompt from the queue, so that
// reading prompts does not hold up the other texts for long.
class Generator {
 public:
  Generator(LanguageModel& model, const GeneratorOptions& options);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator();

  // Accepts all or, without room for them, none: returns false.
  bool submit(std::vector<Generation> generations);
  // Ends after the current steps; unfinished texts get no last piece.
  void stop();
  [[nodiscard]] GeneratorCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Active {
    Generation generation;
    GrowingText text;
    std::int64_t tokens = 0;
  };

  struct Instance {
    int number;
    Result<void> begun;
    std::vector<Active> active = {};  // by row
  };

  void work(int number);
  // Waits for work; returns false when stopping.
  bool admit(Instance& instance);
  void join(Instance& instance, Generation generation);
  void step(Instance& instance);
  void refuse_hopeless(std::unique_lock<std::mutex>& lock);
  Piece next_piece(Active& active, const LanguageModel::Next& next);
  [[nodiscard]] std::optional<Piece::Refusal> hopeless(const Generation& generation) const;
  void refuse(const Generation& generation, Piece::Refusal refusal);

  LanguageModel& model_;
  const GeneratorOptions options_;
  mutable std::mutex mutex_;  // guards all below but the threads
  std::condition_variable changed_;
  std::deque<Generation> queue_;  // oldest first
  GeneratorCounts counts_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace tacho::infer
