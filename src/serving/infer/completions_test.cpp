#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/json_object.h"
#include "serving/http/raw_client.h"
#include "serving/infer/infer_server.h"
#include "serving/infer/test_language_model.h"

namespace tacho::infer {
namespace {

using http::RawClient;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string completion_post(std::string_view body, std::string_view more = "") {
  return "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         std::string(more) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

// The texts of a stream's choices, joined.
std::string streamed_text(const std::string& answer) {
  std::string text;
  for (std::size_t at = answer.find("data: {"); at != std::string::npos;
       at = answer.find("data: {", at + 1)) {
    const std::size_t begin = at + 6;
    const Json chunk = *parse_json(answer.substr(begin, answer.find("\n\n", begin) - begin));
    for (const Json& choice : chunk["choices"]) text += choice["text"].get<std::string>();
  }
  return text;
}

class CompletionsTest : public testing::Test {
 protected:
  void begin(InferOptions options = {}) {
    options.port = 0;
    auto started = InferServer::start(options, InputKind::documents, [](const std::string&) {});
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = *std::move(started);
  }
  void serve() {
    auto model = std::make_unique<AlphabetModel>();
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
  void await_metric(const std::string& line) {
    while (get("/metrics").find("\ntacho_infer_" + line + "\n") == std::string::npos) {
      std::this_thread::yield();
    }
  }
  static Json body_of(const std::string& answer) {
    return *parse_json(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  std::unique_ptr<InferServer> server_;
  AlphabetModel* model_ = nullptr;
};

TEST_F(CompletionsTest, AnswersLikeOpenAi) {
  begin();
  EXPECT_THAT(ask(completion_post(R"({"prompt": "a"})")), StartsWith("HTTP/1.1 503"));
  serve();
  const Json answer =
      body_of(ask(completion_post(R"({"prompt": "abc", "max_tokens": 4, "temperature": 0})")));
  EXPECT_EQ(answer["object"], "text_completion");
  EXPECT_EQ(answer["model"], "alphabet/dddddddddddddddd");
  EXPECT_THAT(answer["id"].get<std::string>(), StartsWith("cmpl-"));
  ASSERT_EQ(answer["choices"].size(), 1U);
  const Json& choice = answer["choices"][0];
  EXPECT_EQ(choice["text"], "defg");
  EXPECT_EQ(choice["index"], 0);
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_TRUE(choice["logprobs"].is_null());
  EXPECT_EQ(answer["usage"],
            (Json{{"prompt_tokens", 3}, {"completion_tokens", 4}, {"total_tokens", 7}}));
  const std::string more = ask(
      completion_post(R"({"model": "alphabet", "prompt": "w", "temperature": 0, "echo": true})"));
  EXPECT_EQ(body_of(more)["choices"][0]["text"], "wxyz");
  EXPECT_EQ(body_of(more)["choices"][0]["finish_reason"], "stop");
  const Json cut = body_of(ask(completion_post(R"({"prompt": "abcdefghijkl", "max_tokens": 1})")));
  EXPECT_EQ(cut["usage"]["prompt_tokens"], 12);
  EXPECT_THAT(get("/metrics"), AllOf(HasSubstr("\ntacho_infer_generated_tokens_total 8\n"),
                                     HasSubstr("\ntacho_infer_prompt_tokens_total 12\n"),
                                     HasSubstr("\ntacho_infer_active_sequences 0\n"),
                                     HasSubstr("route=\"/v1/completions\",status=\"200\"} 3\n")));
}

TEST_F(CompletionsTest, HasAChoicePerPromptAndPerN) {
  begin();
  serve();
  const Json answer = body_of(ask(completion_post(
      R"({"prompt": ["a", "bb"], "n": 2, "seed": 5, "temperature": 1, "max_tokens": 3})")));
  std::vector<std::string> texts;
  for (const Json& choice : answer["choices"]) texts.push_back(choice["text"]);
  // The second choice of a prompt has the next seed.
  EXPECT_EQ(texts, (std::vector<std::string>{"555", "666", "555", "666"}));
  EXPECT_EQ(answer["choices"][3]["index"], 3);
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 3);
  EXPECT_EQ(answer["usage"]["completion_tokens"], 12);
}

TEST_F(CompletionsTest, StreamsPieceByPiece) {
  begin();
  serve();
  model_->hold();
  RawClient client(server_->port());
  client.send(completion_post(R"({"prompt": "ab", "max_tokens": 3, "temperature": 0, "stream": true,
                       "stream_options": {"include_usage": true}})"));
  EXPECT_THAT(client.until("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Type: text/event-stream")));
  model_->release();
  const std::string events = client.rest();
  EXPECT_EQ(streamed_text(events), "cde");
  EXPECT_THAT(events,
              AllOf(HasSubstr("\"finish_reason\":null"), HasSubstr("\"finish_reason\":\"length\""),
                    HasSubstr("\"total_tokens\":5"), HasSubstr("data: [DONE]\n\n")));
  EXPECT_EQ(events.find("finish_reason\":\"length"), events.rfind("finish_reason\":\"length"));
}

TEST_F(CompletionsTest, AStreamEndsWithTheReasonOfAFailure) {
  begin();
  serve();
  RawClient client(server_->port());
  client.send(completion_post(R"({"prompt": "a?", "stream": true})"));
  EXPECT_THAT(client.rest(), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("output is NaN"),
                                   HasSubstr("data: [DONE]\n\n")));
  EXPECT_THAT(ask(completion_post(R"({"prompt": "a?"})")),
              AllOf(StartsWith("HTTP/1.1 500"), HasSubstr("output is NaN")));
}

TEST_F(CompletionsTest, InvalidRequestsSayWhy) {
  begin({.max_body_kb = 1, .max_inputs = 2, .max_tokens = 50});
  serve();
  for (const auto& [body, status, why] : std::vector<std::array<std::string, 3>>{
           {"{", "400", "the body"},
           {R"({"prompt": 7})", "400", "'prompt' must be a string or a list"},
           {R"({"prompt": "a", "max_tokens": 51})", "400", "between 1 and 50"},
           {R"({"prompt": ["a", "b", "c"]})", "400", "1 to 2 texts"},
           {R"({"prompt": "a", "max_tokens": "1"})", "422", "not a whole number"},
           {R"({"prompt": "xA"})", "422", "the character 'A'"},
           {R"({"prompt": "a", "model": "gpt-4"})", "404", "no model 'gpt-4'"},
           {R"({"prompt": ")" + std::string(2000, 'a') + "\"}", "413", "too long"}}) {
    const std::string answer = ask(completion_post(body));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + status)) << body;
    const Json document = body_of(answer);
    EXPECT_THAT(document["detail"].get<std::string>(), HasSubstr(why)) << body;
    if (status == "413") continue;  // refused before it is known what it asks for
    EXPECT_EQ(document["error"]["message"], document["detail"]) << body;
    EXPECT_EQ(document["error"]["type"], "invalid_request_error");
  }
  EXPECT_THAT(get("/v1/completions"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(get("/predict"), StartsWith("HTTP/1.1 404"));
}

TEST_F(CompletionsTest, ADisconnectedClientEndsItsTexts) {
  begin({.max_tokens = 1'000'000});
  serve();
  for (const char* stream : {"true", "false"}) {
    model_->hold();
    const std::size_t before = model_->steps().size();
    RawClient client(server_->port());
    client.send(completion_post(R"({"prompt": "a", "max_tokens": 1000000, "seed": 1, "stream": )" +
                                std::string(stream) + "}"));
    model_->await_steps(before + 1);
    client.close();
    model_->release();
    await_metric("active_sequences 0");
    EXPECT_LT(model_->steps().size(), before + 1'000'000) << stream;
  }
  await_metric("disconnected_total 2");
}

TEST_F(CompletionsTest, AFullQueueIsReported) {
  begin({.max_batch = 1, .queue = 1});
  serve();
  model_->hold();
  const std::string request = completion_post(R"({"prompt": "y", "temperature": 0})");
  RawClient active(server_->port());
  active.send(request);
  model_->await_steps(1);
  RawClient waiting(server_->port());
  waiting.send(request);
  await_metric("queue_inputs 1");
  EXPECT_THAT(ask(request), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1"),
                                  HasSubstr("queue is full")));
  model_->release();
  EXPECT_EQ(body_of(waiting.answer())["choices"][0]["text"], "z");
  EXPECT_THAT(get("/metrics"), HasSubstr("\ntacho_infer_refused_total 1\n"));
}

TEST_F(CompletionsTest, StopFinishesAcceptedRequests) {
  begin();
  serve();
  model_->hold();
  RawClient whole(server_->port());
  whole.send(completion_post(R"({"prompt": "v", "temperature": 0})"));
  RawClient stream(server_->port());
  stream.send(
      completion_post(R"({"prompt": "a", "max_tokens": 9, "temperature": 0, "stream": true})"));
  EXPECT_THAT(stream.until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  await_metric("active_sequences 1");
  std::jthread stopper([this] { server_->stop(); });
  while (RawClient(server_->port()).connected()) std::this_thread::yield();
  model_->release();
  EXPECT_EQ(body_of(whole.answer())["choices"][0]["text"], "wxyz");
  const std::string events = stream.rest();
  EXPECT_EQ(streamed_text(events), "bcdefghij");
  EXPECT_THAT(events, HasSubstr("[DONE]"));
}

TEST_F(CompletionsTest, StopEndsWhatIsNotFinishedInTime) {
  begin({.deadline_ms = 1});
  serve();
  model_->hold();
  RawClient late(server_->port());
  late.send(completion_post(R"({"prompt": "a", "max_tokens": 4000, "seed": 1})"));
  const auto has = [this](const std::string& line) {
    return get("/metrics").find("\ntacho_infer_" + line + "\n") != std::string::npos;
  };
  while (!has("active_sequences 1") && !has("too_late_total 1")) std::this_thread::yield();
  std::jthread stopper([this] { server_->stop(); });
  while (RawClient(server_->port()).connected()) std::this_thread::yield();
  model_->release();
  EXPECT_THAT(late.rest(), AllOf(StartsWith("HTTP/1.1 504"), HasSubstr("within 1 ms")));
}

TEST_F(CompletionsTest, DescribesTheModel) {
  begin({.token = "0123456789abcdef"});
  serve();
  EXPECT_THAT(get("/v1/models"), StartsWith("HTTP/1.1 401"));
  const std::string token = "Authorization: Bearer 0123456789abcdef\r\n";
  const auto see = [&](const std::string& path) {
    return body_of(ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + token + "\r\n"));
  };
  const Json list = see("/v1/models");
  EXPECT_EQ(list["object"], "list");
  EXPECT_EQ(list["data"][0]["id"], "alphabet/dddddddddddddddd");
  const Json model = see("/model");
  EXPECT_EQ(model["input"], "documents");
  EXPECT_FALSE(model.contains("classes"));
  EXPECT_TRUE(see("/openapi.json")["paths"].contains("/v1/completions"));
  EXPECT_THAT(ask(completion_post(R"({"prompt": "a"})")), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(completion_post(R"({"prompt": "a"})", token)), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace tacho::infer
