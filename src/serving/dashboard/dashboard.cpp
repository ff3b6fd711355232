#include "serving/dashboard/dashboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "base/version.h"
#include "core/record/outcome.h"
#include "serving/dashboard/answer_cache.h"
#include "serving/dashboard/comparisons.h"
#include "serving/dashboard/environments.h"
#include "serving/dashboard/exports.h"
#include "serving/dashboard/job_slots.h"
#include "serving/dashboard/lab_surveys.h"
#include "serving/dashboard/live_run.h"
#include "serving/dashboard/machine.h"
#include "serving/dashboard/pages.h"
#include "serving/dashboard/predictions.h"
#include "serving/dashboard/run_control.h"
#include "serving/dashboard/run_detail.h"
#include "serving/dashboard/run_files.h"
#include "serving/dashboard/run_list.h"
#include "serving/dashboard/run_reports.h"
#include "serving/dashboard/slow_lane.h"
#include "serving/dashboard/store_pool.h"
#include "serving/dashboard/sweeps.h"
#include "serving/http/problem.h"
#include "serving/http/site.h"

namespace tacho::serve {
namespace {

using http::Method;
using http::Request;

constexpr std::size_t kCacheBytes = 64 << 20;

// The options of a job come from the table of options.
std::string api_description() {
  auto document = *parse_json(openapi_text());  // built in: a test reads it
  document["components"]["schemas"]["Job"]["properties"] = job_properties();
  return json_text(document);
}

std::string this_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

class Dashboard::Impl {
 public:
  explicit Impl(const DashboardOptions& options)
      : options_(options),
        stores_(options.home / "tacho.db"),
        cache_(kCacheBytes),
        machine_(options.home),
        slots_(options.home / "job-slots", options.max_jobs),
        control_(options.home, options.program, stores_, slots_),
        sweeps_(options.home, options.program, stores_, slots_),
        site_(routes(), access(options), common_headers()) {}

  Result<void> start() {
    TACHO_TRY(runs, count());  // creates the store, or fails if it cannot be opened
    (void)runs;
    if (!options_.access.read_only) TACHO_CHECK(control_.reconcile());
    http::ServerOptions options = options_.server;
    options.screen = [this](const Request& request) { return site_.refused(request); };
    TACHO_TRY(server, http::Server::start(
                          options,
                          [this](Request request, const http::Reply& reply) {
                            site_.answer(std::move(request), reply);
                          },
                          http::Server::Caller::worker));
    server_ = std::move(server);
    return {};
  }

  void stop() {
    if (server_) server_->stop();
    for (SlowLane* lane : {&predicting_, &inspecting_, &starting_}) lane->stop();
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::string url() const {
    const std::string& address = options_.server.address;
    const bool any = address == "0.0.0.0" || address == "::";
    const std::string host = any                                      ? this_machine()
                             : address.find(':') == std::string::npos ? address
                                                                      : "[" + address + "]";
    const std::string& token = options_.access.token;
    return fmt::format("http://{}:{}/{}", host, port(), token.empty() ? "" : "?token=" + token);
  }

 private:
  using StoreHandler = Answer (*)(const Request&, RunStore&);
  using PredictionHandler = Answer (*)(const Request&, const PredictionService*, RunStore&);

  // Accepts this machine's name in addition to the configured host names.
  static http::AccessRules access(const DashboardOptions& options) {
    http::AccessRules rules = options.access;
    rules.read_only_posts = {"api/v1/predict", "api/v1/predict/training", "api/v1/recommend",
                             "api/v1/machine", "api/v1/environments"};
    rules.own_pages_only = "api";
    if (!is_loopback(options.server.address)) rules.hosts.push_back(this_machine());
    return rules;
  }

  template <class Make>
  http::Handler with_store(Make make) {
    return handler([this, make](const Request& request) -> Answer {
      TACHO_TRY(store, stores_.take());
      return make(request, *store);
    });
  }

  http::Handler with_run(Answer (*make)(const Request&, const StoredRun&)) {
    return handler([this, make](const Request& request) -> Answer {
      TACHO_TRY(run, runs_.find(request.part("run")));
      return make(request, *run);
    });
  }

  // With what a running run has recorded until now.
  http::Handler with_record(Answer (*make)(const Request&, const StoredRun&)) {
    return handler([this, make](const Request& request) -> Answer {
      TACHO_TRY(run, runs_.find(request.part("run")));
      return run->row.outcome == Outcome::running ? make(request, current_run(*run))
                                                  : make(request, *run);
    });
  }

  template <class Make>
  http::AsyncHandler slow_with_store(Make make) {
    return inspecting_.query([this, make](const Request& request) -> Answer {
      TACHO_TRY(store, stores_.take());
      return make(request, *store);
    });
  }

  // For answers that depend on the store only.
  http::Handler cached(StoreHandler make) {
    return handler([this, make](const Request& request) -> Answer {
      TACHO_TRY(state, stores_.state_number());
      return cache_.get(cache_key(request), state, [&]() -> Answer {
        TACHO_TRY(store, stores_.take());
        return make(request, *store);
      });
    });
  }

  Answer list(const Request& request) {
    TACHO_TRY(state, stores_.state_number());
    return cache_.get(cache_key(request), state, [&]() -> Answer {
      TACHO_TRY(store, stores_.take());
      return lists_.page(request, *store, state);
    });
  }

  http::Router routes() {
    http::Router router;
    const auto get = [&](std::string_view pattern, http::Handler made) {
      router.add(Method::get, pattern, std::move(made));
    };
    const auto fixed = [](Json json) {
      return handler([text = json_text(json)](const Request& request) -> Answer {
        TACHO_CHECK(check_parameters(request, {}));
        return text_answer(text, "application/json");
      });
    };
    get("/api/v1/openapi.json", handler([text = api_description()](const Request&) -> Answer {
          return text_answer(text, "application/json");
        }));
    get("/api/v1/about", handler([this](const Request& request) { return about(request); }));
    get("/api/v1/columns", fixed({{"columns", columns_json()}}));
    get("/api/v1/catalog", fixed(catalog_json()));
    get("/api/v1/runs", handler([this](const Request& request) { return list(request); }));
    get("/api/v1/groups", cached(list_groups));
    get("/api/v1/export/{table}",
        handler([this](const Request& request) { return export_table(request, stores_); }));
    add_run_routes(get);
    get("/api/v1/compare", cached(compare_runs));
    get("/api/v1/comparisons", cached(list_comparisons));
    get("/api/v1/comparisons/{comparison}", cached(one_comparison));
    add_sweep_routes(router);
    add_prediction_routes(router);
    add_slow_routes(router);
    get("/api/v1/memory", with_store(memory_runs));
    get("/api/v1/lab",
        handler([this](const Request& request) { return list_surveys(request, options_.home); }));
    get("/api/v1/lab/{survey}",
        handler([this](const Request& request) { return one_survey(request, options_.home); }));
    router.add(Method::post, "/api/v1/runs",
               handler([this](const Request& request) { return control_.ingest(request); }));
    router.add(Method::post, "/api/v1/jobs", starting_.command([this](const Request& request) {
      return control_.start(request);
    }));
    router.add(Method::post, "/api/v1/runs/{run}/cancel",
               handler([this](const Request& request) { return control_.cancel(request); }));
    router.add(Method::post, "/api/v1/runs/{run}/edit",
               handler([this](const Request& request) { return control_.edit(request); }));
    router.add(Method::post, "/api/v1/runs/{run}/delete",
               handler([this](const Request& request) { return control_.remove(request); }));
    get("/metrics", handler([this](const Request&) { return metrics(); }));
    get("/api/{path...}", [](const Request&) {
      return http::problem(404, "unknown API address; see /api/v1/openapi.json");
    });
    add_pages(router);
    return router;
  }

  template <class Get>
  void add_run_routes(const Get& get) {
    get("/api/v1/runs/{run}", with_record(run_detail));
    get("/api/v1/runs/{run}/record", with_record(run_record));
    get("/api/v1/runs/{run}/steps", with_record(run_steps));
    get("/api/v1/runs/{run}/epochs", with_record(run_epochs));
    get("/api/v1/runs/{run}/figures", with_record(run_figures));
    get("/api/v1/runs/{run}/usage", with_run(run_usage));
    get("/api/v1/runs/{run}/log", with_run(run_log));
    get("/api/v1/runs/{run}/files", with_run(list_files));
    get("/api/v1/runs/{run}/files/{path...}", with_run(run_file));
    get("/api/v1/runs/{run}/live", with_store([this](const Request& request, RunStore& store) {
          return live(request, store);
        }));
  }

  // These requests read traces or run other programs.
  void add_slow_routes(http::Router& router) {
    const auto add = [&](Method method, std::string_view pattern, auto& whose, auto made) {
      router.add(method, pattern,
                 slow_with_store([&whose, made](const Request& request, RunStore& store) {
                   return (whose.*made)(request, store);
                 }));
    };
    add(Method::get, "/api/v1/runs/{run}/report", reports_, &RunReports::report);
    add(Method::get, "/api/v1/runs/{run}/timeline", reports_, &RunReports::timeline);
    add(Method::get, "/api/v1/diff", reports_, &RunReports::difference);
    add(Method::get, "/api/v1/environments", environments_, &Environments::cached);
    add(Method::post, "/api/v1/environments", environments_, &Environments::refreshed);
    router.add(Method::get, "/api/v1/machine", inspecting_.query([this](const Request& request) {
      return machine_.cached(request);
    }));
    router.add(Method::post, "/api/v1/machine", inspecting_.query([this](const Request& request) {
      return machine_.refreshed(request);
    }));
  }

  void add_sweep_routes(http::Router& router) {
    using Made = Answer (Sweeps::*)(const Request&) const;
    const auto get = [&](std::string_view pattern, Made made) {
      router.add(Method::get, pattern, handler([this, made](const Request& request) {
                   return (sweeps_.*made)(request);
                 }));
    };
    const auto post = [&](std::string_view pattern, Made made) {
      router.add(Method::post, pattern, starting_.command([this, made](const Request& request) {
        return (sweeps_.*made)(request);
      }));
    };
    get("/api/v1/sweeps", &Sweeps::list);
    get("/api/v1/sweeps/{sweep}", &Sweeps::one);
    post("/api/v1/sweeps", &Sweeps::start);
    post("/api/v1/sweeps/{sweep}/cancel", &Sweeps::cancel);
    post("/api/v1/sweeps/{sweep}/resume", &Sweeps::resume);
  }

  void add_prediction_routes(http::Router& router) {
    // Cached: they take seconds, and returning to a page sends the same request again.
    const auto slow = [&](std::string_view pattern, PredictionHandler made) {
      router.add(Method::post, pattern, predicting_.query([this, made](const Request& request) {
        return cached_prediction(request, made);
      }));
    };
    slow("/api/v1/predict", predicted);
    slow("/api/v1/predict/training", training_predicted);
    slow("/api/v1/recommend", recommended);
    router.add(Method::get, "/api/v1/ledger", handler([this](const Request& request) {
                 return ledger(request, options_.home, !options_.access.read_only);
               }));
    router.add(Method::get, "/api/v1/instances", handler([this](const Request& request) {
                 return instances(request, options_.home);
               }));
  }

  Answer cached_prediction(const Request& request, PredictionHandler made) {
    TACHO_TRY(state, stores_.state_number());
    const std::string key =
        cache_key(request) + '\2' + request.body + prediction_state(options_.home);
    return cache_.get(key, state, [&]() -> Answer {
      TACHO_TRY(store, stores_.take());
      return made(request, options_.predictions.get(), *store);
    });
  }

  Answer live(const Request& request, RunStore& store) {
    TACHO_CHECK(check_parameters(request, {"from"}));
    TACHO_TRY(run, store.find(request.part("run")));
    const std::string* from = request.header("Last-Event-ID");
    if (from == nullptr) from = request.parameter("from");
    http::Response response{.content_type = "text/event-stream"};
    response.source = std::make_shared<LiveRun>(
        run.row.folder, from == nullptr ? LiveRun::From{} : live_position(*from), [this] {
          if (!options_.access.read_only) (void)control_.reconcile().ok();
        });
    response.live = true;
    return response;
  }

  Result<std::int64_t> count() {
    TACHO_TRY(store, stores_.take());
    return store->count({});
  }

  Answer about(const Request& request) {
    TACHO_CHECK(check_parameters(request, {}));
    TACHO_TRY(runs, count());
    return json_answer({{"version", kVersion},
                        {"commit", kCommit},
                        {"home", options_.home.string()},
                        {"read_only", options_.access.read_only},
                        {"runs", runs}});
  }

  Answer metrics() {
    TACHO_TRY(store, stores_.take());
    std::string text =
        "# HELP tacho_runs Runs in the store, by outcome.\n# TYPE tacho_runs gauge\n";
    TACHO_TRY(groups, store->group({}, "outcome", "wall_s", 100));
    for (const RunGroup& group : groups) {
      text += fmt::format("tacho_runs{{outcome=\"{}\"}} {}\n", http::label_text(group.value),
                          group.count);
    }
    const http::ServerCounts counts = server_->counts();
    const auto add = [&](std::string_view name, std::string_view kind, std::string_view help,
                         std::uint64_t value) {
      text +=
          fmt::format("# HELP tacho_http_{0} {2}\n# TYPE tacho_http_{0} {1}\ntacho_http_{0} {3}\n",
                      name, kind, help, value);
    };
    add("connections", "gauge", "Open connections.", counts.connections);
    add("connections_total", "counter", "Accepted connections.", counts.accepted);
    add("evicted_total", "counter", "Connections closed to make room for new ones.",
        counts.evicted);
    add("malformed_total", "counter", "Malformed requests.", counts.malformed);
    add("timeouts_total", "counter", "Clients that timed out.", counts.timed_out);
    add("body_bytes", "gauge", "Bytes of request bodies in memory.", counts.body_bytes);
    add("live_streams", "gauge", "Open live streams.", counts.streams);
    text += site_.metrics().text("tacho_http");
    return text_answer(std::move(text), "text/plain; version=0.0.4; charset=utf-8");
  }

  DashboardOptions options_;
  StorePool stores_;
  AnswerCache cache_;
  RunLists lists_;
  RecentRuns runs_{stores_};
  Machine machine_;
  RunReports reports_;
  JobSlots slots_;
  RunControl control_;
  Sweeps sweeps_;
  Environments environments_;
  SlowLane predicting_{2, 8};
  SlowLane inspecting_{4, 64};
  SlowLane starting_{2, 32};
  http::Site site_;
  std::unique_ptr<http::Server> server_;  // destroyed first: its handlers use all of the above
};

Dashboard::Dashboard(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dashboard::~Dashboard() { stop(); }
std::string Dashboard::url() const { return impl_->url(); }
std::uint16_t Dashboard::port() const { return impl_->port(); }
void Dashboard::stop() { impl_->stop(); }

Result<std::unique_ptr<Dashboard>> Dashboard::start(const DashboardOptions& options) {
  if (!is_loopback(options.server.address) && options.access.token.empty()) {
    return Error{
        ErrorCode::usage,
        fmt::format("{} is reachable from other machines and needs a token; remove --no-token",
                    options.server.address)};
  }
  auto impl = std::make_unique<Impl>(options);
  TACHO_CHECK(impl->start());
  return std::unique_ptr<Dashboard>(new Dashboard(std::move(impl)));
}

}  // namespace tacho::serve
