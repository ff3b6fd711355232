#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <memory>

#include "serving/http/message.h"
#include "serving/infer/completion_answer.h"
#include "serving/infer/completion_request.h"
#include "serving/infer/generator.h"

namespace tacho::infer {

struct CompletionOptions {
  GeneratorOptions generator;
  CompletionLimits limits;
};

// Answers requests for completions of one language model. Thread-safe.
class Completions {
 public:
  // `background` makes tokens of prompts.
  Completions(boost::asio::thread_pool& background, std::unique_ptr<LanguageModel> model,
              const CompletionOptions& options);

  void answer(http::Request request, http::Reply reply);
  // Of GET /v1/models.
  [[nodiscard]] Json models() const;
  [[nodiscard]] const ModelFacts& facts() const { return model_->facts(); }
  [[nodiscard]] GeneratorCounts counts() const { return generator_.counts(); }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // requests: the queue was full
  void stop() { generator_.stop(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Prompts {
    std::vector<Generation> texts;
    std::int64_t tokens = 0;
  };
  void submit(const http::Request& request, const http::Reply& reply, Clock::time_point until);
  Result<Prompts> prompts(const CompletionRequest& request, Clock::time_point until) const;

  boost::asio::thread_pool& background_;
  const std::unique_ptr<LanguageModel> model_;
  const CompletionOptions options_;
  const std::int64_t created_;
  std::atomic<std::uint64_t> refused_ = 0;
  Generator generator_;  // last: its threads use the model
};

}  // namespace tacho::infer
