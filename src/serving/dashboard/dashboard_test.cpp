#include "serving/dashboard/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/json_object.h"
#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"
#include "serving/dashboard/pages.h"
#include "serving/http/raw_client.h"

namespace tacho::serve {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DashboardTest : public testing::Test {
 protected:
  void begin(http::AccessRules access = {},
             std::shared_ptr<const PredictionService> predictions = {}) {
    RunStore store = *RunStore::open(folder_.path() / "tacho.db");
    for (int i = 0; i < 30; ++i) {
      EXPECT_TRUE(store.put(finished_run("run-" + std::to_string(100 + i)), folder_.path()).ok());
    }
    auto started = Dashboard::start({.home = folder_.path(),
                                     .program = "/bin/false",
                                     .server = {.port = 0},
                                     .access = std::move(access),
                                     .max_jobs = 0,
                                     .predictions = std::move(predictions)});
    ASSERT_TRUE(started.ok()) << started.error().message;
    dashboard_ = *std::move(started);
  }
  std::string ask(const std::string& path, const std::string& headers = "",
                  const std::string& method = "GET", const std::string& body = "") {
    http::RawClient client(dashboard_->port());
    client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body);
    return client.rest();
  }
  static int status_of(const std::string& answer) { return std::stoi(answer.substr(9, 3)); }
  static Json json_of(const std::string& answer) {
    return *parse_json(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  ScratchFolder folder_;
  std::unique_ptr<Dashboard> dashboard_;
};

constexpr const char* kJson = "Content-Type: application/json\r\n";

TEST_F(DashboardTest, ListsAndShowsRuns) {
  begin();
  const Json page = json_of(ask("/api/v1/runs?limit=3&sort=id&order=ascending"));
  EXPECT_EQ(page["total"], 30);
  EXPECT_EQ(page["runs"][0]["id"], 1);
  EXPECT_EQ(json_of(ask("/api/v1/runs/run-105"))["id"], 6);
  EXPECT_EQ(json_of(ask("/api/v1/runs/1/steps"))["loss"]["mean"].size(), 2U);
  EXPECT_EQ(json_of(ask("/api/v1/groups?by=model"))["groups"][0]["count"], 30);
  EXPECT_EQ(json_of(ask("/api/v1/about"))["runs"], 30);
  EXPECT_EQ(status_of(ask("/api/v1/runs/99")), 404);
  EXPECT_THAT(ask("/metrics"), HasSubstr("tacho_runs{outcome=\"ok\"} 30\n"));
}

TEST_F(DashboardTest, AListIsUpdatedWhenARunIsAdded) {
  begin();
  EXPECT_EQ(json_of(ask("/api/v1/runs"))["total"], 30);
  RunStore store = *RunStore::open(folder_.path() / "tacho.db");
  ASSERT_TRUE(store.put(finished_run("another"), folder_.path()).ok());
  EXPECT_EQ(json_of(ask("/api/v1/runs"))["total"], 31);
}

TEST_F(DashboardTest, ExportsEveryRun) {
  begin();
  const std::string csv = ask("/api/v1/export/runs");
  EXPECT_THAT(csv, HasSubstr("attachment; filename=\"runs.csv\""));
  EXPECT_THAT(csv, HasSubstr("run-100"));
  EXPECT_THAT(csv, HasSubstr("run-129"));
  EXPECT_THAT(ask("/api/v1/export/steps?where=id=1"), HasSubstr("1,1,0,0.5,0,2\r\n"));
  http::RawClient old(dashboard_->port());  // HTTP/1.0: without chunks
  old.send("GET /api/v1/export/runs?format=json HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(json_of(old.rest()).size(), 30U);
  EXPECT_EQ(status_of(ask("/api/v1/export/secrets")), 400);
}

TEST_F(DashboardTest, EveryRouteIsDescribedAndEveryDescriptionIsARoute) {
  begin();
  const Json document = json_of(ask("/api/v1/openapi.json"));
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      std::string address = path;
      for (const auto& [name, value] : {std::pair("{run}", "1"),
                                        {"{table}", "runs"},
                                        {"{comparison}", "1"},
                                        {"{sweep}", "1"},
                                        {"{path}", "tacho.db"}}) {
        if (const auto at = address.find(name); at != std::string::npos) {
          address.replace(at, std::string(name).size(), value);
        }
      }
      if (address.ends_with("/live") || address == "/api/v1/machine") continue;
      if (address == "/api/v1/environments") continue;  // queries every container engine
      const std::string answer = method == "get" ? ask(address) : ask(address, kJson, "POST", "{}");
      const int status = status_of(answer);
      EXPECT_TRUE(operation["responses"].contains(std::to_string(status)))
          << method << " " << path << ": " << status;
    }
  }
}

TEST_F(DashboardTest, EveryAnswerForbidsForeignScripts) {
  begin();
  for (const char* path : {"/", "/api/v1/runs", "/nowhere/at/all", "/api/v1/runs/99"}) {
    EXPECT_THAT(ask(path),
                HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self';"));
    EXPECT_THAT(ask(path), HasSubstr("X-Content-Type-Options: nosniff"));
  }
  const std::string page = ask("/");
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
}

TEST_F(DashboardTest, PagesHaveAddresses) {
  begin();
  if (page_files().empty()) GTEST_SKIP() << "built without pages";
  for (const char* path :
       {"/", "/runs/7", "/compare?group=1", "/curves?runs=1,2", "/machine", "/sweeps/1", "/predict",
        "/recommend", "/ledger", "/memory", "/environments", "/new"}) {
    EXPECT_THAT(ask(path), HasSubstr("<div id=\"app\">")) << path;
  }
  EXPECT_EQ(status_of(ask("/nowhere")), 404);
  EXPECT_EQ(status_of(ask("/api/v2/runs")), 404);
  for (const PageFile& file : page_files()) {
    const std::string answer = ask("/" + std::string(file.path), "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(status_of(answer), 200) << file.path;
  }
}

TEST_F(DashboardTest, AnUnknownAddressIsAPageWithALinkToTheRuns) {
  begin();
  for (const char* path :
       {"/nowhere", "/runs/7/nothing", "/compare/7", "/assets/none.js", "/machine/a/b"}) {
    const std::string answer = ask(path);
    EXPECT_EQ(status_of(answer), 404) << path;
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/html")) << path;
    EXPECT_THAT(answer, HasSubstr(std::string("<bdi>") + path + "</bdi>"));
    EXPECT_THAT(answer, HasSubstr("<a href=\"/\">All runs</a>")) << path;
  }
}

TEST_F(DashboardTest, AnUnknownAddressIsEscapedInItsPage) {
  begin();
  const std::string answer = ask("/%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%FF");
  EXPECT_EQ(status_of(answer), 404);
  EXPECT_THAT(answer, HasSubstr("/&lt;script&gt;alert(1)&lt;/script&gt;&quot;\xEF\xBF\xBD<"));
  EXPECT_THAT(answer, Not(HasSubstr("<script")));
}

TEST_F(DashboardTest, AnUnknownAddressOfTheApiIsAProblemDocument) {
  begin();
  for (const char* path :
       {"/api", "/api/", "/api/v1/nowhere", "/api/v2/runs", "/metrics/nowhere"}) {
    const std::string answer = ask(path);
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json")) << path;
    EXPECT_EQ(json_of(answer)["status"], 404) << path;
  }
}

TEST_F(DashboardTest, ReadOnlyRefusesChanges) {
  begin({.read_only = true});
  EXPECT_EQ(status_of(ask("/api/v1/jobs", kJson, "POST", R"({"model":"a","data":"b"})")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/runs/1/cancel", kJson, "POST", "{}")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/runs/1/edit", kJson, "POST", R"({"name":"x"})")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/runs/1/delete", kJson, "POST", "{}")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/runs", kJson, "POST", R"({"folder":"x"})")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/sweeps", kJson, "POST", R"({"grid":"x"})")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/sweeps/1/cancel", kJson, "POST", "{}")), 403);
  EXPECT_EQ(status_of(ask("/api/v1/predict", kJson, "POST", "{}")), 503);
  EXPECT_EQ(json_of(ask("/api/v1/about"))["read_only"], true);
}

TEST_F(DashboardTest, EditsAreShownAtOnceAndArchivedRunsHidden) {
  begin();
  const auto edit = [&](const std::string& body) {
    return ask("/api/v1/runs/1/edit", kJson, "POST", body);
  };
  const std::string edited = edit(R"({"name":"base","tags":["a","b"],"archived":true})");
  EXPECT_EQ(status_of(edited), 200);
  EXPECT_EQ(json_of(edited)["tags"], "a, b");
  EXPECT_EQ(json_of(edit(R"({"notes":"slow"})"))["name"], "base");  // the others stay
  EXPECT_EQ(json_of(ask("/api/v1/runs/1"))["record"]["edits"]["notes"], "slow");
  EXPECT_THAT(std::string(json_of(ask("/api/v1/runs/1"))["title"]), StartsWith("base (lenet5"));
  EXPECT_EQ(json_of(ask("/api/v1/runs"))["total"], 29);
  EXPECT_EQ(json_of(ask("/api/v1/runs?archived=show"))["total"], 30);
  EXPECT_EQ(json_of(ask("/api/v1/runs?where=archived=1"))["runs"][0]["name"], "base");
  EXPECT_EQ(json_of(ask("/api/v1/groups?by=model"))["groups"][0]["count"], 29);
  EXPECT_THAT(ask("/api/v1/export/runs"), Not(HasSubstr("run-100")));
  EXPECT_EQ(status_of(edit(R"({"tags":["a,b"]})")), 400);
  EXPECT_EQ(status_of(edit(R"({"title":"x"})")), 422);
  EXPECT_EQ(status_of(ask("/api/v1/runs/99/edit", kJson, "POST", "{}")), 404);
}

TEST_F(DashboardTest, DeletesARunButNoFolderOutsideOfTheHome) {
  begin();
  const std::string answer = ask("/api/v1/runs/1/delete", kJson, "POST", "{}");
  EXPECT_EQ(json_of(answer)["folder_deleted"], false);
  EXPECT_EQ(status_of(ask("/api/v1/runs/1")), 404);
  EXPECT_EQ(json_of(ask("/api/v1/runs"))["total"], 29);
  const auto lock = FileLock::take(folder_.path() / "lock", FileLock::Kind::shared);
  EXPECT_EQ(status_of(ask("/api/v1/runs/2/delete", kJson, "POST", "{}")), 409);
}

TEST_F(DashboardTest, FilesAndFoldersStayWithinTheHome) {
  begin();
  EXPECT_EQ(status_of(ask("/api/v1/runs/1/files/tacho.db")), 200);
  for (const char* path :
       {"../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd"}) {
    EXPECT_EQ(status_of(ask(std::string("/api/v1/runs/1/files/") + path)), 404) << path;
  }
  for (const char* folder : {"..", "/etc", "../..", "", ".", "a/../.."}) {
    EXPECT_EQ(status_of(ask("/api/v1/runs", kJson, "POST",
                            std::string(R"({"folder":")") + folder + "\"}")),
              404)
        << folder;
  }
}

TEST_F(DashboardTest, APublicAddressNeedsAToken) {
  const auto open =
      Dashboard::start({.home = folder_.path(), .server = {.address = "0.0.0.0", .port = 0}});
  ASSERT_FALSE(open.ok());
  EXPECT_THAT(open.error().message, HasSubstr("--no-token"));
  begin({.token = "0123456789abcdef"});
  EXPECT_EQ(status_of(ask("/api/v1/runs")), 401);
  EXPECT_EQ(status_of(ask("/metrics")), 401);
  EXPECT_EQ(status_of(ask("/")), 401);
  EXPECT_EQ(status_of(ask("/api/v1/runs", "Authorization: Bearer 0123456789abcdef\r\n")), 200);
  EXPECT_THAT(ask("/?token=0123456789abcdef"), StartsWith("HTTP/1.1 303"));
  EXPECT_THAT(dashboard_->url(), HasSubstr("/?token=0123456789abcdef"));
}

// Blocks in recommend() until `release` is set.
class SlowPredictionService final : public PredictionService {
 public:
  [[nodiscard]] Result<Json> predict(const Json& /*job*/, RunStore& /*store*/) const override {
    return Json::object();
  }
  [[nodiscard]] Result<Json> predict_training(const Json& training,
                                              RunStore& /*store*/) const override {
    if (training.contains("model")) return Json{{"model", training["model"]}};
    return Error{ErrorCode::unavailable, "no curve is known"};
  }
  [[nodiscard]] Result<Recommendation> recommend(const Requirements& /*requirements*/,
                                                 const InstanceFilter& /*filter*/,
                                                 RunStore& /*store*/) const override {
    ++asked;
    released.wait();
    return Error{ErrorCode::unavailable, "nothing is known"};
  }
  mutable std::atomic<int> asked = 0;
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
};

TEST_F(DashboardTest, QuickRequestsDoNotWaitForSlowOnes) {
  const auto slow = std::make_shared<SlowPredictionService>();
  begin({}, slow);
  const auto requirements = [&](int target) {
    const std::string body =
        R"({"model":"mlp","data":"mnist","target":0.)" + std::to_string(target) + "}";
    http::RawClient client(dashboard_->port());
    client.send(std::string("POST /api/v1/recommend HTTP/1.1\r\nHost: localhost\r\n") + kJson +
                "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                body);
    return client;
  };
  std::vector<http::RawClient> equal;
  for (int i = 0; i < 20; ++i) equal.push_back(requirements(10));
  while (slow->asked == 0) std::this_thread::yield();
  std::vector<http::RawClient> others;
  for (int i = 0; i < 30; ++i) others.push_back(requirements(11 + i));
  // Two run and eight may wait, so at least 21 are refused immediately.
  const auto refused_yet = [&] {
    const std::string mark = "route=\"/api/v1/recommend\",status=\"503\"} ";
    const std::string metrics = ask("/metrics");
    const std::size_t at = metrics.find(mark);
    return at == std::string::npos ? 0 : std::stoi(metrics.substr(at + mark.size()));
  };
  while (refused_yet() < 21) std::this_thread::yield();
  EXPECT_EQ(status_of(ask("/api/v1/runs")), 200);
  EXPECT_EQ(status_of(ask("/api/v1/about")), 200);
  EXPECT_EQ(status_of(ask("/api/v1/runs/1/report")), 200);
  EXPECT_LE(slow->asked, 2);
  slow->release.set_value();
  for (auto& client : equal) EXPECT_EQ(status_of(client.rest()), 422);
  int refused = 0;
  for (auto& client : others) {
    const std::string answer = client.rest();
    if (status_of(answer) != 503) continue;
    ++refused;
    EXPECT_THAT(answer, HasSubstr("Retry-After: 5"));
  }
  EXPECT_GE(refused, 1);
  EXPECT_EQ(slow->asked + refused, 31);  // equal requests were computed once
}

TEST_F(DashboardTest, PredictsATrainingAndSaysWhyItCannot) {
  begin({.read_only = true}, std::make_shared<SlowPredictionService>());
  const std::string path = "/api/v1/predict/training";
  EXPECT_EQ(json_of(ask(path, kJson, "POST", R"({"model":"mlp"})"))["model"], "mlp");
  const std::string refused = ask(path, kJson, "POST", "{}");
  EXPECT_EQ(status_of(refused), 422);
  EXPECT_THAT(refused, HasSubstr("no curve is known"));
  EXPECT_EQ(status_of(ask(path + "?surprise=1", kJson, "POST", "{}")), 400);
}

TEST_F(DashboardTest, ARefreshIsAPost) {
  begin();
  for (const char* path : {"/api/v1/machine?fresh=true", "/api/v1/environments?fresh=true"}) {
    const std::string answer = ask(path);
    EXPECT_EQ(status_of(answer), 400);
    EXPECT_THAT(answer, HasSubstr("send a POST"));
  }
  EXPECT_EQ(status_of(ask("/api/v1/machine", kJson, "POST", "")), 422);
}

TEST_F(DashboardTest, LimitsTheNumberOfJobs) {
  begin();
  for (const auto& [path, body] :
       {std::pair("/api/v1/jobs", R"({"model":"mlp","data":"synthetic"})"),
        std::pair("/api/v1/sweeps", R"({"grid":"base: {model: mlp, data: synthetic}"})")}) {
    const std::string answer = ask(path, kJson, "POST", body);
    EXPECT_EQ(status_of(answer), 429) << answer;
    EXPECT_THAT(answer, HasSubstr("--max-jobs"));
  }
}

TEST_F(DashboardTest, BadBodiesAreProblems) {
  begin();
  for (const char* body :
       {"", "{", "[]", "null", "{\"model\":1}", "{\"model\":\"a\",\"data\":[]}"}) {
    const int status = status_of(ask("/api/v1/jobs", kJson, "POST", body));
    EXPECT_TRUE(status == 400 || status == 422) << body << ": " << status;
  }
  EXPECT_EQ(status_of(ask("/api/v1/runs/1/cancel", kJson, "POST", "{}")), 409);
}

}  // namespace
}  // namespace tacho::serve
