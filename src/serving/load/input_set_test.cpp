#include "serving/load/input_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho::load {
namespace {

using testing::HasSubstr;

class InputSet : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, std::string_view content) {
    const auto path = folder_.path() / name;
    EXPECT_TRUE(make_folders(path.parent_path()).ok());
    EXPECT_TRUE(write_file_atomically(path, content).ok());
    return path;
  }
  ScratchFolder folder_;
};

TEST_F(InputSet, EachLineIsOneText) {
  const auto inputs = read_texts(file("texts", "good \"film\"\r\n\n  \nna\xefve \\ caf\xc3\xa9"));
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  ASSERT_EQ(inputs->size(), 2U);
  EXPECT_EQ((*inputs)[0].body, R"({"text":["good \"film\""]})");
  EXPECT_EQ((*inputs)[1].body, "{\"text\":[\"na\xef\xbf\xbdve \\\\ caf\xc3\xa9\"]}");
  EXPECT_EQ((*inputs)[0].content_type, "application/json");
}

TEST_F(InputSet, ReadsImagesInSubfoldersByName) {
  file("b.PNG", "second");
  file("a/x.jpg", "first");
  file("a/x.txt", "no image");
  const auto inputs = read_images(folder_.path());
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  ASSERT_EQ(inputs->size(), 2U);
  EXPECT_EQ((*inputs)[0].body, "first");
  EXPECT_EQ((*inputs)[0].content_type, "image/jpeg");
  EXPECT_EQ((*inputs)[1].content_type, "image/png");
}

TEST_F(InputSet, ReportsMissingInputs) {
  EXPECT_THAT(read_texts(file("none", "\n \n")).error().message, HasSubstr("no line of text"));
  EXPECT_THAT(read_images(folder_.path()).error().message, HasSubstr("no .jpg"));
  EXPECT_THAT(read_images(folder_.path() / "gone").error().message, HasSubstr("gone"));
  EXPECT_FALSE(read_body(folder_.path() / "gone", "text/plain").ok());
}

TEST(RequestBytes, AreACompleteRequest) {
  const Target target{.host = "::1", .port = 8500, .path = "/predict"};
  const Input input{"application/json", R"({"text":["a"]})"};
  const std::string post = request_bytes(target, "0123456789abcdef", &input);
  EXPECT_THAT(post, testing::StartsWith("POST /predict HTTP/1.1\r\nHost: [::1]:8500\r\n"));
  EXPECT_THAT(post, HasSubstr("Authorization: Bearer 0123456789abcdef\r\n"));
  EXPECT_THAT(post, testing::EndsWith("Content-Length: 14\r\n\r\n{\"text\":[\"a\"]}"));
  const std::string get = request_bytes({.host = "a"}, "", nullptr);
  EXPECT_THAT(get, testing::StartsWith("GET / HTTP/1.1\r\nHost: a:80\r\n"));
  EXPECT_THAT(get, testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(get, testing::Not(HasSubstr("Authorization")));
}

}  // namespace
}  // namespace tacho::load
