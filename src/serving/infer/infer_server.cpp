#include "serving/infer/infer_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <future>
#include <thread>

#include "serving/http/problem.h"
#include "serving/http/server.h"
#include "serving/http/site.h"
#include "serving/infer/answer_text.h"
#include "serving/infer/api_docs.h"
#include "serving/infer/completions.h"
#include "serving/infer/memory_cache.h"
#include "serving/infer/metrics_text.h"
#include "serving/infer/open_cache.h"
#include "serving/infer/request_queue.h"

namespace tacho::infer {
namespace {

namespace asio = boost::asio;
using http::Method;
using http::Reply;
using http::Request;
using http::Response;

// Larger bodies are parsed on other threads than the I/O thread.
constexpr std::size_t kParsedInline = 8 << 10;
constexpr std::chrono::seconds kGraceBeyondDeadline{3};

Response json_answer(std::string body) {
  return {.content_type = "application/json", .body = std::move(body)};
}

Response busy(int status, const std::string& why) {
  Response response = http::problem(status, why);
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

http::AccessRules access_of(const InferOptions& o, InputKind input) {
  http::AccessRules rules{.hosts = o.host_names, .token = o.token, .any_host = o.open};
  rules.open_paths = {"health", "ready"};
  rules.untyped_json = o.compat == Compat::fastapi;
  if (input == InputKind::image) rules.body_types = {"image/jpeg", "image/png"};
  return rules;
}

http::ServerOptions server_options(const InferOptions& o, InputKind input) {
  const bool image = input == InputKind::image;
  http::ServerOptions options{.address = o.address, .port = o.port, .workers = 1};
  options.watch_clients = input == InputKind::documents;
  options.limits.connections = 4096;
  options.limits.requests = 4096;
  options.limits.streams = 4096;
  options.limits.body_bytes = o.max_body_kb.value_or(image ? 8192 : 1024) << 10U;
  options.limits.grace = deadline_of(o, input) + kGraceBeyondDeadline;
  return options;
}

RequestQueueOptions queue_options(const InferOptions& o, InputKind input) {
  const std::size_t queue = input == InputKind::image ? 256 : 1024;
  return {.batch = {.max_batch = o.max_batch,
                    .max_delay =
                        std::chrono::microseconds(static_cast<std::int64_t>(o.max_delay_ms * 1000)),
                    .queue = o.queue.value_or(queue)},
          .deadline = deadline_of(o, input),
          .coalesce = o.cache != "none"};
}

CompletionOptions completion_options(const InferOptions& o) {
  CompletionOptions options;
  options.generator = {.max_batch = o.max_batch,
                       .queue = o.queue.value_or(options.generator.queue),
                       .deadline = deadline_of(o, InputKind::documents)};
  // A request with more texts than the queue holds would never be accepted.
  options.limits = {.choices = std::min(o.max_inputs, options.generator.queue),
                    .max_tokens = o.max_tokens};
  return options;
}

}  // namespace

class InferServer::Impl {
 public:
  Impl(const InferOptions& options, InputKind input, Log log)
      : options_(options),
        input_(input),
        log_(std::move(log)),
        background_(std::max(1U, std::thread::hardware_concurrency())),
        site_(routes(), access_of(options, input)) {}

  Result<void> start() {
    http::ServerOptions options = server_options(options_, input_);
    options.screen = [this](const Request& request) { return site_.refused(request); };
    TACHO_TRY(server, http::Server::start(options, [this](Request request, Reply reply) {
                site_.answer(std::move(request), reply);
              }));
    server_ = std::move(server);
    return {};
  }

  Result<void> serve(std::unique_ptr<Model> model) {
    model_ = std::move(model);
    text_.emplace(model_->facts(), options_.compat);
    std::promise<Result<void>> opened;
    asio::post(server_->io(), [&] { opened.set_value(open()); });
    return opened.get_future().get();
  }

  Result<void> serve(std::unique_ptr<LanguageModel> model) {
    auto completions =
        std::make_unique<Completions>(background_, std::move(model), completion_options(options_));
    std::promise<void> opened;
    asio::post(server_->io(), [&] {
      completions_ = std::move(completions);
      ready_ = true;
      opened.set_value();
    });
    opened.get_future().wait();
    return {};
  }

  void stop() {
    if (!server_) return;
    asio::post(server_->io(), [this] { ready_ = false; });
    server_->stop();
    background_.stop();  // queued work has no client any more
    background_.join();
    if (queue_) queue_->stop();
    if (completions_) completions_->stop();
  }

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string url() const {
    const std::string& address = options_.address;
    return fmt::format("http://{}:{}/",
                       address.find(':') == std::string::npos ? address : "[" + address + "]",
                       port());
  }

 private:
  // Runs on the I/O thread; only that thread uses what is created here.
  Result<void> open() {
    TACHO_TRY(cache, open_cache(server_->io(), options_, model_->facts(), log_));
    cache_ = std::move(cache);
    queue_ = std::make_unique<RequestQueue>(server_->io(), background_, *model_, cache_.get(),
                                            queue_options(options_, input_));
    ready_ = true;
    return {};
  }

  http::Router routes() {
    http::Router router;
    router.add(Method::get, "/health",
               [](const Request&) { return json_answer("{\"status\":\"alive\"}\n"); });
    router.add(Method::get, "/ready", [this](const Request&) {
      if (ready_) return json_answer("{\"status\":\"ready\"}\n");
      return not_ready();
    });
    router.add(Method::get, "/model", [this](const Request&) {
      const ModelFacts* facts = served();
      if (facts == nullptr) return not_ready();
      return json_answer(json_text(model_json(*facts), 1) + "\n");
    });
    router.add(Method::get, "/metrics", [this](const Request&) {
      return Response{.content_type = "text/plain; version=0.0.4", .body = metrics()};
    });
    router.add(Method::get, "/openapi.json", [this](const Request&) {
      return json_answer(json_text(openapi_json(input_, options_.compat), 1) + "\n");
    });
    // A browser that was given a token in the address is sent to "/".
    for (const char* page : {"/", "/docs"}) {
      router.add(Method::get, page, [this](const Request&) {
        return Response{.content_type = "text/html; charset=utf-8",
                        .body = docs_page(openapi_json(input_, options_.compat))};
      });
    }
    if (input_ == InputKind::documents) {
      add_completions(router);
    } else {
      router.add(Method::post, "/predict", [this](Request request, Reply reply) {
        predict(std::move(request), std::move(reply));
      });
    }
    return router;
  }

  void add_completions(http::Router& router) {
    router.add(Method::get, "/v1/models", [this](const Request&) {
      if (!completions_) return not_ready();
      return json_answer(json_text(completions_->models(), 1) + "\n");
    });
    router.add(Method::post, "/v1/completions", [this](Request request, Reply reply) {
      if (!completions_) return reply(not_ready());
      completions_->answer(std::move(request), std::move(reply));
    });
  }

  // nullptr while the model is loading.
  [[nodiscard]] const ModelFacts* served() const {
    if (completions_) return &completions_->facts();
    return queue_ ? &model_->facts() : nullptr;
  }

  [[nodiscard]] Response not_ready() const {
    return busy(503, served() != nullptr ? "the server is shutting down" : "the model is loading");
  }

  void predict(Request request, Reply reply) {
    if (!queue_) return reply(not_ready());
    const auto queued = queue_->open([this, reply](RequestQueue::Outcome outcome) {
      if (const auto* refusal = std::get_if<RequestQueue::Refusal>(&outcome)) {
        return reply(busy(refusal->status, refusal->why));
      }
      reply(json_answer((*text_)(std::get<std::vector<RequestQueue::Answer>>(outcome))));
    });
    if (request.body.size() <= kParsedInline) return on_read(queued, read(request), reply);
    asio::post(background_, [this, queued, request = std::move(request), reply = std::move(reply)] {
      if (RequestQueue::is_late(*queued)) return;  // the deadline already answered it
      auto inputs = read(request);
      asio::post(server_->io(), [this, queued, inputs = std::move(inputs), reply]() mutable {
        on_read(queued, std::move(inputs), reply);
      });
    });
  }

  [[nodiscard]] Result<std::vector<Input>> read(const Request& request) const {
    const std::string* type = request.header("Content-Type");
    // A request with more inputs than the queue holds would never be accepted.
    const std::size_t most =
        std::min(options_.max_inputs, queue_options(options_, input_).batch.queue);
    return read_inputs(*model_, {.inputs = most}, type == nullptr ? "" : *type, request.body);
  }

  void on_read(const std::shared_ptr<RequestQueue::Request>& queued,
               Result<std::vector<Input>> inputs, const Reply& reply) {
    if (inputs.ok()) return queue_->ask(queued, *std::move(inputs));
    queue_->drop(*queued);
    reply(http::problem(inputs.error()));
  }

  [[nodiscard]] std::string metrics() const {
    ServerState state{.model = served(), .ready = ready_, .cache_kind = options_.cache};
    if (completions_) {
      state.generator = completions_->counts();
      state.refused = completions_->refused();
    }
    if (queue_) {
      state.queue = queue_->counts();
      state.batches = queue_->batches();
    }
    if (cache_) state.cache = cache_->counts();
    const http::ServerCounts counts = server_->counts();
    return site_.metrics().text("tacho_infer") + metrics_text(state) +
           fmt::format(
               "# HELP tacho_infer_connections Open connections.\n"
               "# TYPE tacho_infer_connections gauge\ntacho_infer_connections {}\n"
               "# HELP tacho_infer_malformed_total Requests that could not be parsed.\n"
               "# TYPE tacho_infer_malformed_total counter\ntacho_infer_malformed_total {}\n",
               counts.connections, counts.malformed);
  }

  const InferOptions options_;
  const InputKind input_;
  const Log log_;
  bool ready_ = false;  // used, like everything that open() creates, on the I/O thread only
  std::unique_ptr<Model> model_;
  std::optional<AnswerText> text_;
  asio::thread_pool background_;  // for work that would block the I/O thread
  http::Site site_;
  std::unique_ptr<http::Server> server_;
  // After the server, as its thread must have ended first; its queue may still refer to them.
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<RequestQueue> queue_;
  std::unique_ptr<Completions> completions_;  // of a language model, instead of queue and cache
};

InferServer::InferServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InferServer::~InferServer() { stop(); }
void InferServer::stop() { impl_->stop(); }
std::string InferServer::url() const { return impl_->url(); }
std::uint16_t InferServer::port() const { return impl_->port(); }
Result<void> InferServer::serve(std::unique_ptr<Model> model) {
  return impl_->serve(std::move(model));
}
Result<void> InferServer::serve(std::unique_ptr<LanguageModel> model) {
  return impl_->serve(std::move(model));
}

Result<std::unique_ptr<InferServer>> InferServer::start(const InferOptions& options,
                                                        InputKind input, Log log) {
  auto impl = std::make_unique<Impl>(options, input, std::move(log));
  TACHO_CHECK(impl->start());
  return std::unique_ptr<InferServer>(new InferServer(std::move(impl)));
}

}  // namespace tacho::infer
