#include "serving/infer/api_docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::infer {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ApiDocs, DescribeTheFormOfBodiesAndAnswers) {
  const Json plain = openapi_json(InputKind::text, Compat::none);
  const auto part = [](const Json& document, const char* name) {
    return json_text(document["paths"]["/predict"]["post"][name]);
  };
  EXPECT_EQ(plain["openapi"], "3.1.0");
  EXPECT_THAT(part(plain, "requestBody"), HasSubstr(R"("text")"));
  EXPECT_THAT(part(plain, "responses"), HasSubstr("probabilities"));
  const Json image = openapi_json(InputKind::image, Compat::fastapi);
  EXPECT_THAT(part(image, "requestBody"), HasSubstr("image/png"));
  EXPECT_THAT(part(image, "responses"), HasSubstr("score"));
  EXPECT_THAT(part(image, "responses"), Not(HasSubstr("probabilities")));
}

TEST(ApiDocs, DescribeCompletionsOfLanguageModels) {
  const Json document = openapi_json(InputKind::documents, Compat::none);
  EXPECT_FALSE(document["paths"].contains("/predict"));
  EXPECT_TRUE(document["paths"].contains("/v1/models"));
  const Json& form = document["paths"]["/v1/completions"]["post"]["requestBody"]["content"]
                             ["application/json"]["schema"];
  EXPECT_EQ(form["required"], Json::array({"prompt"}));
  EXPECT_TRUE(form["properties"].contains("temperature"));
  EXPECT_THAT(docs_page(document), HasSubstr("Body of POST /v1/completions"));
}

TEST(ApiDocs, ThePageNeedsNoNetwork) {
  const std::string page = docs_page(openapi_json(InputKind::text, Compat::none));
  EXPECT_THAT(page, HasSubstr("<td>POST<td>/predict"));
  EXPECT_THAT(page, HasSubstr("openapi.json"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

}  // namespace
}  // namespace tacho::infer
