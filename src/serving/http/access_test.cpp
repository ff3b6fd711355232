#include "serving/http/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::http {
namespace {

Request request_with(Method method, std::vector<Field> headers, std::string body = "") {
  Request request;
  request.method = method;
  request.headers = std::move(headers);
  request.body = std::move(body);
  return request;
}

int status(const AccessRules& rules, const Request& request) {
  const auto refused = refusal(rules, request);
  return refused ? refused->status : 200;
}

const Field kHere{"Host", "127.0.0.1:8000"};
const Field kJson{"Content-Type", "application/json"};

TEST(Access, AcceptsOnlyNamesOfThisServer) {
  for (const char* host :
       {"localhost", "localhost:9000", "127.0.0.1:8000", "[::1]:8000", "10.0.0.7"}) {
    EXPECT_EQ(status({}, request_with(Method::get, {{"Host", host}})), 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "",
                           "1.2.3", "127.0.0.1evil:80"}) {
    EXPECT_EQ(status({}, request_with(Method::get, {{"host", host}})), 421) << host;
  }
  EXPECT_EQ(status({}, request_with(Method::get, {})), 400);
  EXPECT_EQ(
      status({.hosts = {"lab.example"}}, request_with(Method::get, {{"Host", "lab.example:8000"}})),
      200);
}

TEST(Access, PagesOfOtherSitesCannotChangeAnything) {
  const auto post = [](std::vector<Field> more) {
    more.push_back(kHere);
    more.push_back(kJson);
    return request_with(Method::post, std::move(more), "{}");
  };
  EXPECT_EQ(status({}, post({})), 200);
  EXPECT_EQ(status({}, post({{"Origin", "http://127.0.0.1:8000"}})), 200);
  EXPECT_EQ(status({}, post({{"Origin", "http://127.0.0.1:8001"}})), 403);
  EXPECT_EQ(status({}, post({{"Origin", "http://evil.example"}})), 403);
  EXPECT_EQ(status({}, post({{"Origin", "null"}})), 403);
  EXPECT_EQ(status({}, post({{"Sec-Fetch-Site", "cross-site"}})), 403);
  EXPECT_EQ(status({}, post({{"Sec-Fetch-Site", "same-site"}})), 403);
  EXPECT_EQ(status({}, post({{"Sec-Fetch-Site", "same-origin"}})), 200);
}

TEST(Access, PagesOfOtherSitesCannotRequestTheApi) {
  const AccessRules rules{.own_pages_only = "api"};
  const auto get = [&](std::vector<std::string> segments, std::vector<Field> more) {
    more.push_back(kHere);
    Request request = request_with(Method::get, std::move(more));
    request.segments = std::move(segments);
    return status(rules, request);
  };
  const std::vector<std::string> api = {"api", "v1", "runs"};
  EXPECT_EQ(get(api, {}), 200);  // not a browser
  EXPECT_EQ(get(api, {{"Sec-Fetch-Site", "same-origin"}}), 200);
  EXPECT_EQ(get(api, {{"Sec-Fetch-Site", "none"}}), 200);
  EXPECT_EQ(get(api, {{"Sec-Fetch-Site", "same-site"}}), 403);  // another port of this machine
  EXPECT_EQ(get(api, {{"Sec-Fetch-Site", "cross-site"}}), 403);
  EXPECT_EQ(get({}, {{"Sec-Fetch-Site", "cross-site"}}), 200);  // a link to the dashboard
  EXPECT_EQ(get({"runs", "7"}, {{"Sec-Fetch-Site", "cross-site"}}), 200);
}

TEST(Access, ABodyMustBeJson) {
  EXPECT_EQ(status({}, request_with(Method::post, {kHere}, "a=1")), 415);
  EXPECT_EQ(status({}, request_with(Method::post, {kHere, {"Content-Type", "text/plain"}}, "{}")),
            415);
  EXPECT_EQ(status({}, request_with(Method::post, {kHere})), 200);
  // The header is checked before the body is read.
  EXPECT_EQ(status({}, request_with(Method::post, {kHere, {"Content-Length", "3"}})), 415);
  EXPECT_EQ(status({}, request_with(Method::post, {kHere, {"Transfer-Encoding", "chunked"}})), 415);
  EXPECT_EQ(status({}, request_with(Method::post, {kHere, {"Content-Length", "0"}})), 200);
}

TEST(Access, AcceptsATokenInHeaderOrCookieOnly) {
  const AccessRules rules{.token = "secret"};
  EXPECT_EQ(status(rules, request_with(Method::get, {kHere})), 401);
  EXPECT_EQ(status(rules, request_with(Method::get, {kHere, {"Authorization", "Bearer secret"}})),
            200);
  EXPECT_EQ(status(rules, request_with(Method::get, {kHere, {"Authorization", "Bearer secre"}})),
            401);
  EXPECT_EQ(status(rules, request_with(Method::get, {kHere, {"Authorization", "Bearer secretx"}})),
            401);
  EXPECT_EQ(
      status(rules, request_with(Method::get, {kHere, {"Cookie", "a=b; tacho_token_8000=secret"}})),
      200);
  EXPECT_EQ(status(rules, request_with(Method::get, {kHere, {"Cookie", "tacho_token_8000="}})),
            401);
  // The cookie of another server on the same machine.
  EXPECT_EQ(status(rules, request_with(Method::get, {kHere, {"Cookie", "tacho_token_80=secret"}})),
            401);
  const Field named{"Host", "localhost"};
  EXPECT_EQ(status(rules, request_with(Method::get, {named, {"Cookie", "tacho_token=secret"}})),
            200);
  EXPECT_EQ(
      status(rules, request_with(Method::get, {kHere, {"Cookie", "xtacho_token_8000=secret"}})),
      401);
}

TEST(Access, OpeningThePrintedAddressSetsTheCookie) {
  Request request = request_with(Method::get, {kHere});
  request.query = {{"token", "secret"}};
  const auto answer = refusal({.token = "secret"}, request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 303);
  EXPECT_THAT(*find_field(answer->headers, "Set-Cookie"),
              testing::AllOf(testing::StartsWith("tacho_token_8000=secret; "),
                             testing::HasSubstr("HttpOnly; SameSite=Strict")));
  request.query = {{"token", "wrong"}};
  EXPECT_EQ(status({.token = "secret"}, request), 401);
  request.query = {{"token", "secret"}};
  request.segments = {"api"};
  EXPECT_EQ(status({.token = "secret"}, request), 401);
}

TEST(Access, OpenPathsNeedNoToken) {
  const AccessRules rules{.token = "secret", .open_paths = {"health"}};
  Request request = request_with(Method::get, {kHere});
  request.segments = {"health"};
  EXPECT_EQ(status(rules, request), 200);
  request.segments = {"health", "x"};
  EXPECT_EQ(status(rules, request), 401);
}

TEST(Access, AcceptsOnlyConfiguredBodyTypes) {
  const AccessRules rules{.body_types = {"image/png"}};
  EXPECT_EQ(status(rules, request_with(Method::post, {kHere, {"Content-Type", "image/png"}}, "x")),
            200);
  EXPECT_EQ(status(rules, request_with(Method::post, {kHere, kJson}, "{}")), 200);
  EXPECT_EQ(status(rules, request_with(Method::post, {kHere, {"Content-Type", "image/gif"}}, "x")),
            415);
  EXPECT_EQ(status({}, request_with(Method::post, {kHere, {"Content-Type", "image/png"}}, "x")),
            415);
}

TEST(Access, APublicServerAcceptsAnyHost) {
  const Request request = request_with(Method::get, {{"Host", "models.example:8500"}});
  EXPECT_EQ(status({}, request), 421);
  EXPECT_EQ(status({.any_host = true}, request), 200);
}

TEST(Access, ReadOnlyRejectsChanges) {
  const AccessRules rules{.read_only = true};
  for (const Method method : {Method::post, Method::put, Method::patch, Method::remove}) {
    EXPECT_EQ(status(rules, request_with(method, {kHere, kJson}, "{}")), 403);
  }
  for (const Method method : {Method::get, Method::head, Method::options}) {
    EXPECT_EQ(status(rules, request_with(method, {kHere})), 200);
  }
}

TEST(Access, ReadOnlyAcceptsPostsThatChangeNothing) {
  const AccessRules rules{.read_only = true, .read_only_posts = {"api/v1/predict"}};
  Request request = request_with(Method::post, {kHere, kJson}, "{}");
  request.segments = {"api", "v1", "predict"};
  EXPECT_EQ(status(rules, request), 200);
  request.segments = {"api", "v1", "predict", "x"};
  EXPECT_EQ(status(rules, request), 403);
}

}  // namespace
}  // namespace tacho::http
