#include "serving/http/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <stdexcept>

#include "base/json_object.h"
#include "serving/http/compression.h"

namespace tacho::http {
namespace {

using testing::HasSubstr;

const std::string kLong(5000, 'x');

Site made_site() {
  Router router;
  router.add(Method::get, "/long",
             [](const Request&) { return Response{.content_type = "text/plain", .body = kLong}; });
  router.add(Method::get, "/broken",
             [](const Request&) -> Response { throw std::runtime_error("no"); });
  return {std::move(router), {}, {{"X-All", "yes"}}};
}

Response ask(std::string path, std::vector<Field> headers = {}, Method method = Method::get) {
  static Site site = made_site();
  headers.emplace_back("Host", "localhost");
  Request request;
  request.method = method;
  request.segments = {std::move(path)};
  request.headers = std::move(headers);
  return site.answer(request);
}

std::string unzipped(const std::string& bytes) {
  std::string out(100000, '\0');
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Site, CompressesIfTheClientAcceptsIt) {
  EXPECT_EQ(ask("long").body, kLong);
  EXPECT_EQ(ask("long", {{"Accept-Encoding", "br, gzip;q=0"}}).body, kLong);
  const Response small = ask("long", {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(*find_field(small.headers, "Content-Encoding"), "gzip");
  EXPECT_LT(small.body.size(), 200U);
  EXPECT_EQ(unzipped(small.body), kLong);
}

TEST(Site, OmitsABodyThatTheClientHas) {
  const std::string tag = *find_field(ask("long").headers, "ETag");
  const Response same = ask("long", {{"If-None-Match", "\"other\", " + tag}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(*find_field(same.headers, "ETag"), tag);
  EXPECT_EQ(ask("long", {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST(Site, ProblemsAreDocuments) {
  const Response response = ask("nowhere");
  EXPECT_EQ(response.content_type, "application/problem+json");
  const Json json = *parse_json(response.body);
  EXPECT_EQ(json["status"], 404);
  EXPECT_EQ(json["title"], "Not Found");
  EXPECT_EQ(ask("long", {}, Method::remove).status, 405);
  EXPECT_EQ(*find_field(ask("long", {}, Method::remove).headers, "Allow"), "GET, HEAD");
}

TEST(Site, RejectsByTheHeaderAlone) {
  Site site = made_site();
  Request request;
  request.headers = {{"Host", "localhost"}};
  request.segments = {"long"};
  EXPECT_FALSE(site.refused(request));
  request.method = Method::post;
  EXPECT_EQ(site.refused(request)->status, 405);
  request.segments = {"nowhere"};
  const auto response = site.refused(request);
  EXPECT_EQ(response->status, 404);
  EXPECT_NE(find_field(response->headers, "x-all"), nullptr);
  request.headers = {{"Host", "evil.example"}};
  EXPECT_EQ(site.refused(request)->status, 421);
  EXPECT_THAT(site.metrics().text("x"), HasSubstr("route=\"none\",status=\"404\"} 1\n"));
}

TEST(Site, AHandlerThatThrowsIsAnError) {
  EXPECT_EQ(ask("broken").status, 500);
  EXPECT_THAT(ask("broken").body, HasSubstr("no"));
}

TEST(Site, EveryAnswerHasTheCommonHeaders) {
  EXPECT_NE(find_field(ask("nowhere").headers, "x-all"), nullptr);
}

TEST(Site, CountsByRouteNotByAddress) {
  Site site = made_site();
  for (const char* path : {"long", "a", "b", "c\"\n"}) {
    Request request;
    request.segments = {path};
    request.headers = {{"Host", "localhost"}};
    (void)site.answer(request);
  }
  const std::string text = site.metrics().text("x");
  EXPECT_THAT(text,
              HasSubstr("x_requests_total{method=\"GET\",route=\"/long\",status=\"200\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("x_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("le=\"+Inf\"} 3\n"));
}

TEST(Site, CountsAnAsyncAnswerWhenItArrives) {
  Router router;
  std::vector<Reply> kept;
  router.add(Method::get, "/later",
             [&](Request, Reply reply) { kept.push_back(std::move(reply)); });
  router.add(Method::get, "/now", [](const Request&) { return Response{.body = "now"}; });
  Site site(std::move(router), {}, {{"X-All", "yes"}});
  std::vector<Response> sent;
  const auto ask_for = [&](const char* path) {
    Request request;
    request.segments = {path};
    request.headers = {{"Host", "localhost"}};
    site.answer(request, Reply([&](Response response) { sent.push_back(std::move(response)); }));
  };
  ask_for("later");
  EXPECT_EQ(sent.size(), 0U);
  ask_for("now");
  ask_for("nowhere");
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].body, "now");
  EXPECT_EQ(sent[1].status, 404);
  kept[0]({.body = "then"});
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[2].body, "then");
  EXPECT_NE(find_field(sent[2].headers, "x-all"), nullptr);
  EXPECT_THAT(site.metrics().text("x"), HasSubstr("route=\"/later\",status=\"200\"} 1\n"));
}

TEST(Site, DifferentContentsHaveDifferentHashes) {
  EXPECT_EQ(content_hash("abc"), content_hash("abc"));
  EXPECT_NE(content_hash("abc"), content_hash("abd"));
  EXPECT_NE(content_hash(""), content_hash(std::string(1, '\0')));
  EXPECT_NE(content_hash(std::string(8, 'a')), content_hash(std::string(16, 'a')));
}

}  // namespace
}  // namespace tacho::http
