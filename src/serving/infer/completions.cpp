#include "serving/infer/completions.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <random>

#include "serving/infer/answer_text.h"

namespace tacho::infer {
namespace {

namespace asio = boost::asio;

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::uint64_t random_number() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32U | device();
}

}  // namespace

Completions::Completions(asio::thread_pool& background, std::unique_ptr<LanguageModel> model,
                         const CompletionOptions& options)
    : background_(background),
      model_(std::move(model)),
      options_(options),
      created_(seconds_now()),
      generator_(*model_, options.generator) {}

Json Completions::models() const {
  return {{"object", "list"},
          {"data", Json::array({{{"id", model_id(facts())},
                                 {"object", "model"},
                                 {"created", created_},
                                 {"owned_by", "tacho"}}})}};
}

void Completions::answer(http::Request request, http::Reply reply) {
  const auto until = Clock::now() + options_.generator.deadline;
  asio::post(background_, [this, request = std::move(request), reply = std::move(reply), until] {
    submit(request, reply, until);
  });
}

void Completions::submit(const http::Request& request, const http::Reply& reply,
                         Clock::time_point until) {
  const auto read = read_completion_request(request.body, options_.limits,
                                            static_cast<std::int64_t>(random_number() >> 1U));
  if (!read.ok()) return reply(completion_problem(read.error()));
  const std::string id = model_id(facts());
  if (!read->model.empty() && read->model != id && read->model != facts().name) {
    return reply(completion_problem(
        404, fmt::format("this server has no model '{:.200}'; it has '{}'", read->model, id)));
  }
  auto made = prompts(*read, until);
  if (!made.ok()) return reply(completion_problem(made.error()));
  std::vector<Generation>& all = made->texts;
  CompletionFacts facts{.id = fmt::format("cmpl-{:016x}", random_number()),
                        .model = id,
                        .created = seconds_now(),
                        .prompt_tokens = made->tokens};
  std::vector<std::string> texts(all.size());
  for (std::size_t i = 0; read->echo && i < all.size(); ++i) {
    texts[i] = read->prompts[i / static_cast<std::size_t>(read->choices)];
  }
  std::shared_ptr<StreamedAnswer> streamed;
  std::shared_ptr<CompletionAnswer> answer;
  if (read->stream) {
    streamed = std::make_shared<StreamedAnswer>(facts, texts, read->include_usage);
    answer = streamed;
  } else {
    answer = whole_answer(facts, std::move(texts), request.is_gone, reply);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].give = [answer, i](Piece piece) { answer->take(i, std::move(piece)); };
    all[i].wanted = [answer] { return answer->is_wanted(); };
  }
  if (!generator_.submit(std::move(all))) {
    ++refused_;
    return reply(completion_problem(503, "the request queue is full; try again later"));
  }
  if (streamed) reply(streamed_response(std::move(streamed)));
}

// A choice is drawn as if it were alone: the first of each prompt with the seed, the second with
// the next seed.
Result<Completions::Prompts> Completions::prompts(const CompletionRequest& request,
                                                  Clock::time_point until) const {
  Prompts all;
  for (std::size_t i = 0; i < request.prompts.size(); ++i) {
    TACHO_TRY(tokens, model_->tokens(request.prompts[i]).in(fmt::format("prompt {}", i)));
    all.tokens += std::ssize(tokens);
    const auto reach = static_cast<std::ptrdiff_t>(model_->reach());
    if (std::ssize(tokens) > reach) tokens = {tokens.end() - reach, tokens.end()};
    for (std::int64_t choice = 0; choice < request.choices; ++choice) {
      Generation one{.prompt = tokens,
                     .sampling = request.sampling,
                     .max_tokens = request.max_tokens,
                     .stops = request.stops,
                     .until = until,
                     .give = {},
                     .wanted = {}};
      one.sampling.seed = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(request.sampling.seed) + static_cast<std::uint64_t>(choice));
      all.texts.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace tacho::infer
