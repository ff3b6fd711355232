#include "training/train/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

TensorFile sample() {
  TensorFile file;
  file.tensors.emplace_back("a", at::arange(6, at::kFloat).view({2, 3}));
  file.tensors.emplace_back("b", at::arange(3, at::kLong));
  file.tensors.emplace_back("empty", at::empty({0, 4}));
  file.tensors.emplace_back("scalar", at::scalar_tensor(2.5));
  file.metadata = {{"epochs", "3"}};
  return file;
}

std::string with_header(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

class Safetensors : public testing::Test {
 protected:
  ScratchFolder folder_;
  fs::path file_ = folder_.path() / "x.safetensors";
};

TEST_F(Safetensors, SurvivesTheRoundTrip) {
  ASSERT_TRUE(write_safetensors(file_, sample()).ok());
  const auto back = read_safetensors(file_);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->metadata, sample().metadata);
  for (const auto& [name, tensor] : sample().tensors) {
    const at::Tensor* found = back->find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_TRUE(at::equal(*found, tensor)) << name;
    EXPECT_EQ(found->scalar_type(), tensor.scalar_type());
  }
}

// The layout must match the format byte for byte for other readers.
TEST_F(Safetensors, ReadsAFileWrittenByHand) {
  const float value = 1.5F;
  std::string data(sizeof value, '\0');
  std::memcpy(data.data(), &value, sizeof value);
  ASSERT_TRUE(
      write_file_atomically(
          file_, with_header(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", data))
          .ok());
  EXPECT_EQ(read_safetensors(file_)->find("w")->item<float>(), 1.5F);
}

TEST_F(Safetensors, RefusesHeadersThatDoNotFitTheFile) {
  for (const char* header : {
           R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,400]}})",
           R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
           R"({"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})",
           R"({"w":{"dtype":"F32","shape":[1]}})",
           R"({"w":7})",
           R"([])",
           R"({"w")",
       }) {
    ASSERT_TRUE(write_file_atomically(file_, with_header(header, "1234")).ok());
    const auto read = read_safetensors(file_);
    ASSERT_FALSE(read.ok()) << header;
    EXPECT_NE(read.error().message.find("x.safetensors: not a valid safetensors file"),
              std::string::npos);
  }
}

TEST_F(Safetensors, RefusesTensorsThatShareBytes) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  ASSERT_TRUE(write_file_atomically(file_, with_header(header, "1234")).ok());
  const auto read = read_safetensors(file_);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("'b': overlaps 'a'"), std::string::npos);
}

TEST_F(Safetensors, RefusesAnEmptyAndATruncatedFile) {
  ASSERT_TRUE(write_file_atomically(file_, "").ok());
  EXPECT_FALSE(read_safetensors(file_).ok());
  ASSERT_TRUE(write_safetensors(file_, sample()).ok());
  const std::string whole = *read_file(file_);
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    ASSERT_TRUE(write_file_atomically(file_, whole.substr(0, size)).ok());
    EXPECT_FALSE(read_safetensors(file_).ok()) << size;
  }
}

TEST_F(Safetensors, SurvivesEveryMutation) {
  ASSERT_TRUE(write_safetensors(file_, sample()).ok());
  const std::string whole = *read_file(file_);
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    ASSERT_TRUE(write_file_atomically(file_, bytes).ok());
    (void)read_safetensors(file_).ok();
  }
}

}  // namespace
}  // namespace tacho
