#include "serving/http/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/http/url.h"

namespace tacho::http {
namespace {

using testing::ElementsAre;
using testing::Pair;

Router made_router() {
  Router router;
  const auto nothing = [](const Request&) { return Response{}; };
  router.add(Method::get, "/", nothing);
  router.add(Method::get, "/runs/{id}", nothing);
  router.add(Method::get, "/runs/last", nothing);
  router.add(Method::post, "/runs/{id}", nothing);
  router.add(Method::get, "/runs/{id}/files/{path...}", nothing);
  return router;
}

Router::Match find(Method method, std::string_view path) {
  static const Router router = made_router();
  return router.find(method, parse_target(path)->segments);
}

TEST(Router, ALiteralTakesPrecedenceOverAName) {
  EXPECT_EQ(find(Method::get, "/runs/last").pattern, "/runs/last");
  const auto match = find(Method::get, "/runs/7");
  EXPECT_EQ(match.pattern, "/runs/{id}");
  EXPECT_THAT(match.captured, ElementsAre(Pair("id", "7")));
  EXPECT_EQ(find(Method::post, "/runs/last").pattern, "/runs/{id}");
  EXPECT_EQ(find(Method::get, "/").pattern, "/");
}

TEST(Router, TheRestOfAPathIsOnePart) {
  EXPECT_THAT(find(Method::get, "/runs/7/files/a/../b%2Fc").captured,
              ElementsAre(Pair("id", "7"), Pair("path", "a/../b/c")));
  EXPECT_EQ(find(Method::get, "/runs/7/files").handler, nullptr);
}

TEST(Router, HeadUsesTheHandlerOfGet) { EXPECT_NE(find(Method::head, "/runs/7").handler, nullptr); }

TEST(Router, DistinguishesAWrongMethodFromAWrongPath) {
  EXPECT_EQ(find(Method::remove, "/runs/7").allowed, "GET, HEAD, POST");
  EXPECT_EQ(find(Method::remove, "/runs/7").handler, nullptr);
  for (const std::string_view path : {"/nowhere", "/runs", "/runs/", "/runs/7/", "/runs/7/x"}) {
    EXPECT_EQ(find(Method::get, path).pattern, "") << path;
  }
}

}  // namespace
}  // namespace tacho::http
