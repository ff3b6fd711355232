#include "serving/infer/infer_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "base/json_object.h"
#include "serving/http/raw_client.h"
#include "serving/infer/test_model.h"

namespace tacho::infer {
namespace {

using http::RawClient;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string post(std::string_view body, std::string_view more = "") {
  return "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         std::string(more) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

class InferServerTest : public testing::Test {
 protected:
  void begin(InferOptions options = {}) {
    options.port = 0;
    options.max_delay_ms = 0;
    auto started = InferServer::start(options, InputKind::text, [](const std::string&) {});
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = *std::move(started);
  }
  void serve() {
    auto model = std::make_unique<LetterModel>();
    model_ = model.get();
    ASSERT_TRUE(server_->serve(std::move(model)).ok());
  }
  std::string ask(const std::string& request) {
    RawClient client(server_->port());
    client.send(request);
    return client.answer();
  }
  std::string get(const std::string& path) {
    return ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  static Json body_of(const std::string& answer) {
    return *parse_json(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  std::unique_ptr<InferServer> server_;
  LetterModel* model_ = nullptr;
};

TEST_F(InferServerTest, IsAliveBeforeItIsReady) {
  begin();
  EXPECT_THAT(get("/health"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/ready"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1")));
  EXPECT_THAT(ask(post(R"({"text": ["a"]})")), StartsWith("HTTP/1.1 503"));
  serve();
  EXPECT_THAT(get("/ready"), StartsWith("HTTP/1.1 200"));
}

TEST_F(InferServerTest, AnswersWithLabelsAndProbabilities) {
  begin();
  serve();
  const Json answer = body_of(ask(post(R"({"text": ["aab", "b"]})")));
  EXPECT_EQ(answer["model"], "letters/dddddddddddddddd");
  EXPECT_EQ(answer["predictions"][0]["label"], "many");
  EXPECT_EQ(answer["predictions"][0]["index"], 1);
  EXPECT_EQ(answer["predictions"][0]["probabilities"][1].get<float>(), 2.0F / 3);
  EXPECT_EQ(answer["predictions"][1]["label"], "few");
  EXPECT_EQ(answer["predictions"][1]["cached"], false);
  EXPECT_EQ(body_of(ask(post(R"({"text": "b"})")))["predictions"][0]["cached"], true);
  const Json model = body_of(get("/model"));
  EXPECT_EQ(model["classes"], (Json{"few", "many"}));
  EXPECT_EQ(model["run"], "a-run");
  EXPECT_THAT(get("/metrics"), AllOf(HasSubstr("tacho_infer_cache_hits_total 1\n"),
                                     HasSubstr("tacho_infer_samples_total 2\n"),
                                     HasSubstr("route=\"/predict\",status=\"200\"} 2\n")));
}

TEST_F(InferServerTest, AnswersLikeFastApiIfAsked) {
  begin({.compat = Compat::fastapi});
  serve();
  const std::string untyped =
      "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n"
      R"({"text": "aab"})";
  const Json answer = body_of(ask(untyped));
  EXPECT_EQ(answer.size(), 1U);
  ASSERT_EQ(answer["predictions"].size(), 1U);
  const Json& scores = answer["predictions"][0];
  EXPECT_EQ(scores[0]["label"], "many");
  EXPECT_EQ(scores[0]["score"].get<float>(), 2.0F / 3);
  EXPECT_EQ(scores[1]["label"], "few");
  // A page of another site is refused.
  EXPECT_THAT(ask("POST /predict HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                  "Content-Length: 15\r\n\r\n{\"text\": \"aab\"}"),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(InferServerTest, NeedsAContentTypeByDefault) {
  begin();
  serve();
  EXPECT_THAT(ask("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n"
                  "{\"text\": \"aab\"}"),
              StartsWith("HTTP/1.1 415"));
}

TEST_F(InferServerTest, DescribesItsInterface) {
  begin();
  const Json document = body_of(get("/openapi.json"));
  EXPECT_TRUE(document["paths"].contains("/predict"));
  for (const char* page : {"/", "/docs"}) {
    EXPECT_THAT(get(page),
                AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/html"), HasSubstr("/predict")));
  }
}

TEST_F(InferServerTest, ReportsInvalidRequests) {
  begin();
  serve();
  EXPECT_THAT(ask(post("{")), AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("problem+json")));
  EXPECT_THAT(ask(post(R"({"images": ["SQ=="]})")), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(post("{\"text\": [\"\xC3\x28\"]}")), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(get("/predict"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n"
                  "Content-Length: 1\r\n\r\nI"),
              StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(ask("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Content-Length: 104857600\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask(post(R"({"text": ["fine"]})")), StartsWith("HTTP/1.1 200"));
}

TEST_F(InferServerTest, RequiresTheToken) {
  begin({.token = "0123456789abcdef"});
  serve();
  EXPECT_THAT(ask(post(R"({"text": ["a"]})")), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(post(R"({"text": ["a"]})", "Authorization: Bearer 0123456789abcdef\r\n")),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/ready"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(get("/metrics"), StartsWith("HTTP/1.1 401"));
}

TEST_F(InferServerTest, StopAnswersAllAcceptedRequests) {
  begin({.deadline_ms = 60'000});
  serve();
  model_->hold();
  std::deque<RawClient> clients;
  for (int i = 0; i < 50; ++i) {
    clients.emplace_back(server_->port());
    clients.back().send(post(R"({"text": [")" + std::string(i + 1, 'a') + "\"]}"));
  }
  // The server must answer only requests that it has accepted.
  while (get("/metrics").find("tacho_infer_requests_waiting 50\n") == std::string::npos) {
    std::this_thread::yield();
  }
  std::jthread stopper([this] { server_->stop(); });
  while (RawClient(server_->port()).connected()) std::this_thread::yield();
  model_->release();
  for (RawClient& client : clients) EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 200"));
}

TEST_F(InferServerTest, ParsesLongBodiesOnAnotherThread) {
  begin();
  serve();
  const std::string text(100'000, 'a');
  const Json answer = body_of(ask(post(R"({"text": [")" + text + "\"]}")));
  EXPECT_EQ(answer["predictions"][0]["index"], 1);
}

}  // namespace
}  // namespace tacho::infer
