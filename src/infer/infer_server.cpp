#include "infer/infer_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <future>
#include <thread>

#include "http/problem.h"
#include "http/server.h"
#include "http/site.h"
#include "infer/answer_text.h"
#include "infer/desk.h"
#include "infer/memory_cache.h"
#include "infer/metrics_text.h"
#include "infer/open_cache.h"

namespace tacho::infer {
namespace {

namespace asio = boost::asio;
using http::Method;
using http::Reply;
using http::Request;
using http::Response;

// Bodies beyond this are read by other threads than the one that moves bytes.
constexpr std::size_t kQuicklyRead = 8 << 10;
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
  if (input == InputKind::image) rules.body_types = {"image/jpeg", "image/png"};
  return rules;
}

http::ServerOptions server_options(const InferOptions& o, InputKind input) {
  const bool image = input == InputKind::image;
  http::ServerOptions options{.address = o.address, .port = o.port, .workers = 1};
  options.limits.connections = 4096;
  options.limits.requests = 4096;
  options.limits.body_bytes = o.max_body_kb.value_or(image ? 8192 : 1024) << 10U;
  options.limits.grace =
      std::chrono::milliseconds(static_cast<std::int64_t>(o.deadline_ms)) + kGraceBeyondDeadline;
  return options;
}

DeskOptions desk_options(const InferOptions& o, InputKind input) {
  const std::size_t queue = input == InputKind::image ? 256 : 1024;
  return {.batch = {.max_batch = o.max_batch,
                    .max_delay =
                        std::chrono::microseconds(static_cast<std::int64_t>(o.max_delay_ms * 1000)),
                    .queue = o.queue.value_or(queue)},
          .deadline = std::chrono::milliseconds(static_cast<std::int64_t>(o.deadline_ms)),
          .shares_flights = o.cache != "none"};
}

}  // namespace

class InferServer::Impl {
 public:
  Impl(const InferOptions& options, InputKind input, Log log)
      : options_(options),
        input_(input),
        log_(std::move(log)),
        hands_(std::max(1U, std::thread::hardware_concurrency())),
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
    text_.emplace(model_->facts());
    std::promise<Result<void>> opened;
    asio::post(server_->io(), [&] { opened.set_value(open()); });
    return opened.get_future().get();
  }

  void stop() {
    if (!server_) return;
    asio::post(server_->io(), [this] { ready_ = false; });
    server_->stop();
    hands_.stop();  // what waits to be read or decoded has no client any more
    hands_.join();
    if (desk_) desk_->stop();
  }

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string url() const {
    const std::string& address = options_.address;
    return fmt::format("http://{}:{}/",
                       address.find(':') == std::string::npos ? address : "[" + address + "]",
                       port());
  }

 private:
  // On the server's thread, which alone uses what is made here.
  Result<void> open() {
    TACHO_TRY(cache, open_cache(server_->io(), options_, model_->facts(), log_));
    cache_ = std::move(cache);
    desk_ = std::make_unique<Desk>(server_->io(), hands_, *model_, cache_.get(),
                                   desk_options(options_, input_));
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
      if (!desk_) return not_ready();
      return json_answer(json_text(model_json(model_->facts()), 1) + "\n");
    });
    router.add(Method::get, "/metrics", [this](const Request&) {
      return Response{.content_type = "text/plain; version=0.0.4", .body = metrics()};
    });
    router.add(Method::post, "/predict", [this](Request request, Reply reply) {
      predict(std::move(request), std::move(reply));
    });
    return router;
  }

  [[nodiscard]] Response not_ready() const {
    return busy(503, desk_ ? "the server is about to end" : "the model is being loaded");
  }

  void predict(Request request, Reply reply) {
    if (!desk_) return reply(not_ready());
    const auto asked = desk_->open([this, reply](Desk::Outcome outcome) {
      if (const auto* refusal = std::get_if<Desk::Refusal>(&outcome)) {
        return reply(busy(refusal->status, refusal->why));
      }
      reply(json_answer((*text_)(std::get<std::vector<Desk::Answer>>(outcome))));
    });
    if (request.body.size() <= kQuicklyRead) return on_read(asked, read(request), reply);
    asio::post(hands_, [this, asked, request = std::move(request), reply = std::move(reply)] {
      if (Desk::is_late(*asked)) return;  // it is told so without being read
      auto inputs = read(request);
      asio::post(server_->io(), [this, asked, inputs = std::move(inputs), reply]() mutable {
        on_read(asked, std::move(inputs), reply);
      });
    });
  }

  [[nodiscard]] Result<std::vector<Input>> read(const Request& request) const {
    const std::string* type = request.header("Content-Type");
    // More than may wait would be refused for ever.
    const std::size_t most =
        std::min(options_.max_inputs, desk_options(options_, input_).batch.queue);
    return read_inputs(*model_, {.inputs = most}, type == nullptr ? "" : *type, request.body);
  }

  void on_read(const std::shared_ptr<Desk::Request>& asked, Result<std::vector<Input>> inputs,
               const Reply& reply) {
    if (inputs.ok()) return desk_->ask(asked, *std::move(inputs));
    desk_->drop(*asked);
    reply(http::problem(inputs.error()));
  }

  [[nodiscard]] std::string metrics() const {
    Standing standing{.ready = ready_, .cache_kind = options_.cache};
    if (desk_) {
      standing.model = &model_->facts();
      standing.desk = desk_->counts();
      standing.batches = desk_->batches();
    }
    if (cache_) standing.cache = cache_->counts();
    const http::ServerCounts counts = server_->counts();
    return site_.metrics().text("tacho_infer") + metrics_text(standing) +
           fmt::format(
               "# HELP tacho_infer_connections Open now.\n"
               "# TYPE tacho_infer_connections gauge\ntacho_infer_connections {}\n"
               "# HELP tacho_infer_malformed_total Requests that were none.\n"
               "# TYPE tacho_infer_malformed_total counter\ntacho_infer_malformed_total {}\n",
               counts.connections, counts.malformed);
  }

  const InferOptions options_;
  const InputKind input_;
  const Log log_;
  bool ready_ = false;  // this and all that open() makes: the server's thread's
  std::unique_ptr<Model> model_;
  std::optional<AnswerText> text_;
  asio::thread_pool hands_;  // for what would hold the server's thread up
  http::Site site_;
  std::unique_ptr<http::Server> server_;
  // After the server, whose thread has ended when they go; its queue may still hold them.
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<Desk> desk_;
};

InferServer::InferServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InferServer::~InferServer() { stop(); }
void InferServer::stop() { impl_->stop(); }
std::string InferServer::url() const { return impl_->url(); }
std::uint16_t InferServer::port() const { return impl_->port(); }
Result<void> InferServer::serve(std::unique_ptr<Model> model) {
  return impl_->serve(std::move(model));
}

Result<std::unique_ptr<InferServer>> InferServer::start(const InferOptions& options,
                                                        InputKind input, Log log) {
  auto impl = std::make_unique<Impl>(options, input, std::move(log));
  TACHO_CHECK(impl->start());
  return std::unique_ptr<InferServer>(new InferServer(std::move(impl)));
}

}  // namespace tacho::infer
