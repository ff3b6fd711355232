#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serving/http/message.h"
#include "serving/infer/completion_text.h"

namespace tacho::infer {

// The answer to one request, as its texts grow. Thread-safe.
class CompletionAnswer {
 public:
  virtual ~CompletionAnswer() = default;
  virtual void take(std::size_t choice, Piece piece) = 0;
  // False once nobody waits for it.
  [[nodiscard]] virtual bool is_wanted() const = 0;
};

// Answers once all texts are complete, or as soon as one fails. `texts`: what they begin with.
std::shared_ptr<CompletionAnswer> whole_answer(CompletionFacts facts,
                                               std::vector<std::string> texts,
                                               std::shared_ptr<const std::atomic<bool>> is_gone,
                                               http::Reply reply);

// Sends server-sent events: a chunk per piece, "[DONE]" at the end.
class StreamedAnswer final : public CompletionAnswer {
 public:
  StreamedAnswer(CompletionFacts facts, const std::vector<std::string>& texts, bool include_usage);

  void take(std::size_t choice, Piece piece) override;
  [[nodiscard]] bool is_wanted() const override { return !abandoned_; }

  // The connection's side.
  std::optional<std::string> next();
  void on_more(const std::function<void()>& wake);
  void abandon() { abandoned_ = true; }

 private:
  void add_chunk(const std::vector<Json>& choices);
  void end();

  const CompletionFacts facts_;
  const bool include_usage_;
  std::atomic<bool> abandoned_ = false;
  std::mutex mutex_;  // guards the members below
  std::function<void()> wake_;
  std::string events_;  // not sent yet
  std::size_t open_;    // texts
  std::int64_t tokens_ = 0;
  bool ended_ = false;
};

// The response that sends `answer`; the client's end abandons it.
http::Response streamed_response(std::shared_ptr<StreamedAnswer> answer);

}  // namespace tacho::infer
