#include "serving/infer/completion_answer.h"

#include <utility>

namespace tacho::infer {
namespace {

class WholeAnswer final : public CompletionAnswer {
 public:
  WholeAnswer(CompletionFacts facts, std::vector<std::string> texts,
              std::shared_ptr<const std::atomic<bool>> is_gone, http::Reply reply)
      : facts_(std::move(facts)),
        is_gone_(std::move(is_gone)),
        reply_(std::move(reply)),
        texts_(std::move(texts)),
        finishes_(texts_.size()),
        open_(texts_.size()) {}

  void take(std::size_t choice, Piece piece) override {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    if (piece.refusal) {
      answered_ = true;
      return reply_(completion_problem(piece.refusal->status, piece.refusal->why));
    }
    texts_[choice] += piece.text;
    if (!piece.finish) return;
    finishes_[choice] = piece.finish;
    tokens_ += piece.tokens;
    if (--open_ > 0) return;
    answered_ = true;
    std::vector<Json> choices;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      choices.push_back(completion_choice(i, texts_[i], finishes_[i]));
    }
    Json answer = completion_json(facts_, choices);
    answer["usage"] = completion_usage(facts_, tokens_);
    reply_({.content_type = "application/json", .body = json_text(answer) + "\n"});
  }
  [[nodiscard]] bool is_wanted() const override { return !answered_ && !(is_gone_ && *is_gone_); }

 private:
  const CompletionFacts facts_;
  const std::shared_ptr<const std::atomic<bool>> is_gone_;  // shared with the connection
  const http::Reply reply_;
  std::atomic<bool> answered_ = false;
  std::mutex mutex_;  // guards the members below
  std::vector<std::string> texts_;
  std::vector<std::optional<FinishReason>> finishes_;
  std::size_t open_;  // texts
  std::int64_t tokens_ = 0;
};

class Events final : public http::BodySource {
 public:
  explicit Events(std::shared_ptr<StreamedAnswer> answer) : answer_(std::move(answer)) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() override { answer_->abandon(); }

  std::optional<std::string> next() override { return answer_->next(); }
  void on_more(const std::function<void()>& wake) override { answer_->on_more(wake); }

 private:
  std::shared_ptr<StreamedAnswer> answer_;  // shared with the generator
};

}  // namespace

std::shared_ptr<CompletionAnswer> whole_answer(CompletionFacts facts,
                                               std::vector<std::string> texts,
                                               std::shared_ptr<const std::atomic<bool>> is_gone,
                                               http::Reply reply) {
  return std::make_shared<WholeAnswer>(std::move(facts), std::move(texts), std::move(is_gone),
                                       std::move(reply));
}

StreamedAnswer::StreamedAnswer(CompletionFacts facts, const std::vector<std::string>& texts,
                               bool include_usage)
    : facts_(std::move(facts)), include_usage_(include_usage), open_(texts.size()) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].empty()) add_chunk({completion_choice(i, texts[i], std::nullopt)});
  }
}

void StreamedAnswer::take(std::size_t choice, Piece piece) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  if (piece.refusal) {
    const Json error = completion_error(piece.refusal->status, piece.refusal->why);
    events_ += event_text(json_text({{"error", error}}));
    abandoned_ = true;
    end();
  } else {
    add_chunk({completion_choice(choice, piece.text, piece.finish)});
    if (piece.finish) {
      tokens_ += piece.tokens;
      if (--open_ == 0) end();
    }
  }
  if (wake_) wake_();
}

void StreamedAnswer::add_chunk(const std::vector<Json>& choices) {
  events_ += event_text(json_text(completion_json(facts_, choices)));
}

void StreamedAnswer::end() {
  if (include_usage_) {
    Json chunk = completion_json(facts_, {});
    chunk["usage"] = completion_usage(facts_, tokens_);
    events_ += event_text(json_text(chunk));
  }
  events_ += event_text("[DONE]");
  ended_ = true;
}

std::optional<std::string> StreamedAnswer::next() {
  const std::lock_guard lock(mutex_);
  if (ended_ && events_.empty()) return std::nullopt;
  return std::exchange(events_, "");
}

void StreamedAnswer::on_more(const std::function<void()>& wake) {
  const std::lock_guard lock(mutex_);
  wake_ = wake;
}

http::Response streamed_response(std::shared_ptr<StreamedAnswer> answer) {
  http::Response response{.content_type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.source = std::make_shared<Events>(std::move(answer));
  response.live = true;
  response.finite = true;
  return response;
}

}  // namespace tacho::infer
