#include "training/weights/open_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/weights/made_torch_file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OpenWeights : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(write_file_atomically(folder_.path() / name, bytes, Outlives::kill).ok());
  }
  void write_torch(const std::string& name, const std::string& tensor) {
    write(name,
          made_torch_file(whole_pickle(pickled_state(
                              {{.name = tensor, .elements = 2, .shape = {2}, .strides = {1}}})),
                          {{"0", bytes_of(std::vector<float>{1, 2})}}));
  }
  void write_safetensors(const std::string& name, const std::string& tensor) {
    const std::string header =
        R"({")" + tensor + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    write(name, little_endian(header.size(), 8) + header + bytes_of(std::vector<float>{1, 2}));
  }
  // "FILE:TENSOR" of everything found, or the error.
  std::string opened(const fs::path& path) {
    const auto files = open_weights(path);
    if (!files.ok()) return files.error().message;
    std::string all;
    for (const WeightsFile& file : *files) {
      for (const StoredTensor& tensor : file.tensors) {
        float first = 0;
        EXPECT_TRUE(file.file.read(&first, sizeof first, tensor.begin).ok());
        EXPECT_EQ(first, 1);
        all += (all.empty() ? "" : " ") + file.file.path().filename().string() + ":" + tensor.name;
      }
    }
    return all;
  }
  std::string opened() { return opened(folder_.path()); }

  ScratchFolder folder_;
};

TEST_F(OpenWeights, RecognisesFilesByContent) {
  write_torch("any.name", "a");
  EXPECT_EQ(opened(folder_.path() / "any.name"), "any.name:a");
  write_safetensors("other.pth", "b");
  EXPECT_EQ(opened(folder_.path() / "other.pth"), "other.pth:b");
  write("x", "no weights");
  EXPECT_THAT(opened(folder_.path() / "x"), HasSubstr("not a valid safetensors file"));
  EXPECT_THAT(opened(folder_.path() / "missing"), HasSubstr("missing"));
}

TEST_F(OpenWeights, PrefersSafetensorsInAFolder) {
  EXPECT_THAT(opened(), HasSubstr("has no weights: no file ends in .safetensors"));
  write_torch("only.pt", "a");
  EXPECT_EQ(opened(), "only.pt:a");
  write_torch("second.pth", "b");
  EXPECT_THAT(opened(), HasSubstr("has 2 files of weights; name one of them, such as "));
  write_torch("pytorch_model.bin", "c");
  EXPECT_EQ(opened(), "pytorch_model.bin:c");
  write_safetensors("model.safetensors", "d");
  EXPECT_EQ(opened(), "model.safetensors:d");
}

// Hugging Face's cache contains links.
TEST_F(OpenWeights, FollowsLinksButOpensOnlyRegularFiles) {
  write_safetensors("blob", "a");
  fs::create_symlink("blob", folder_.path() / "model.safetensors");
  EXPECT_EQ(opened(), "model.safetensors:a");
  EXPECT_THAT(opened("/dev/zero"), HasSubstr("not a regular file"));
}

TEST_F(OpenWeights, ReadsShardsAsTheIndexSays) {
  write_torch("one.bin", "a");
  write_torch("two.bin", "b");
  const auto index = [this](const std::string& map) {
    write("pytorch_model.bin.index.json", R"({"metadata": {}, "weight_map": )" + map + "}");
  };
  index(R"({"a": "one.bin", "b": "two.bin"})");
  EXPECT_EQ(opened(), "one.bin:a two.bin:b");
  index(R"({"a": "one.bin", "b": "three.bin"})");
  EXPECT_THAT(opened(), HasSubstr("three.bin"));
  index(R"({"a": "one.bin", "b": "one.bin"})");
  EXPECT_THAT(opened(), HasSubstr("'b' is not in one.bin"));
  index(R"({"a": "two.bin", "b": "one.bin"})");
  EXPECT_THAT(opened(), HasSubstr("the index says otherwise"));
  index(R"({"a": "../one.bin"})");
  EXPECT_THAT(opened(), HasSubstr("not in a file of the same folder"));
  index("{}");
  EXPECT_THAT(opened(), HasSubstr("lists no tensors"));
  index("[]");
  EXPECT_THAT(opened(), HasSubstr("no object 'weight_map'"));
}

}  // namespace
}  // namespace tacho
