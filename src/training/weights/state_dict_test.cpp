#include "training/weights/state_dict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/mutation.h"
#include "training/weights/made_torch_file.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<float> kSix = {0, 1, 2, 3, 4, 5};
const MadeTensor kWhole{.name = "w", .elements = 6, .shape = {2, 3}, .strides = {3, 1}};

class StateDict : public testing::Test {
 protected:
  Result<std::vector<StoredTensor>> read_bytes(const std::string& bytes) {
    UniqueFd fd(::memfd_create("x.pth", MFD_CLOEXEC));
    EXPECT_TRUE(write_all(fd.get(), bytes, "x.pth").ok());
    file_.emplace(*InputFile::take(std::move(fd), "x.pth"));
    return read_state_dict(*file_);
  }
  Result<std::vector<StoredTensor>> read(const std::string& pickle) {
    return read_bytes(made_torch_file(whole_pickle(pickle), {{"0", bytes_of(kSix)}}));
  }
  std::string refusal(const std::string& pickle) {
    const auto tensors = read(pickle);
    return tensors.ok() ? "accepted" : tensors.error().message;
  }
  std::string refusal(MadeTensor tensor) { return refusal(pickled_state({std::move(tensor)})); }

  std::optional<InputFile> file_;
};

TEST_F(StateDict, FindsTheElementsOfWholeTensorsAndViews) {
  const auto tensors = read(
      pickled_state({kWhole,
                     {.name = "t", .elements = 6, .offset = 1, .shape = {2, 2}, .strides = {1, 3}},
                     {.name = "scalar", .elements = 6, .offset = 5},
                     {.name = "none", .elements = 6, .shape = {0, 9}, .strides = {9, 1}}}));
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  ASSERT_EQ(tensors->size(), 4U);
  const StoredTensor& whole = (*tensors)[0];
  EXPECT_EQ(whole.name, "w");
  EXPECT_EQ(whole.type, "F32");
  EXPECT_THAT(whole.shape, ElementsAre(2, 3));
  EXPECT_EQ(whole.reach, 6U);
  std::vector<float> got(6);
  ASSERT_TRUE(file_->read(got.data(), 24, whole.begin).ok());
  EXPECT_EQ(got, kSix);
  EXPECT_EQ((*tensors)[1].begin, whole.begin + 4);
  EXPECT_EQ((*tensors)[1].reach, 5U);
  EXPECT_EQ((*tensors)[2].begin, whole.begin + 20);
  EXPECT_EQ((*tensors)[2].reach, 1U);
  EXPECT_EQ((*tensors)[3].reach, 0U);
}

TEST_F(StateDict, FindsTheStateDictOfACheckpoint) {
  for (const std::string key : {"state_dict", "model_state_dict", "model"}) {
    const auto tensors = read("}(" + pickled_text("epoch") + "K\5" + pickled_text(key) +
                              pickled_state({kWhole}) + "u");
    ASSERT_TRUE(tensors.ok()) << tensors.error().message;
    EXPECT_EQ((*tensors)[0].name, "w");
  }
  EXPECT_THAT(refusal("}(" + pickled_text("epoch") + "K\5u"),
              HasSubstr("its entry 'epoch' is not a tensor"));
  EXPECT_THAT(refusal("]"), HasSubstr("not a dictionary"));
}

TEST_F(StateDict, ParametersAreTensors) {
  const auto tensors =
      read("}" + pickled_text("w") + "ctorch._utils\n_rebuild_parameter\n(" + pickled(kWhole) +
           "\x88"
           "ccollections\nOrderedDict\n)RtRs");
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  EXPECT_EQ((*tensors)[0].reach, 6U);
}

TEST_F(StateDict, RefusesViewsBeyondTheirStorage) {
  const auto view = [](std::int64_t offset, std::vector<std::int64_t> shape,
                       std::vector<std::int64_t> strides) {
    return MadeTensor{.name = "w",
                      .elements = 6,
                      .offset = offset,
                      .shape = std::move(shape),
                      .strides = std::move(strides)};
  };
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const MadeTensor& tensor :
       {view(1, {2, 3}, {3, 1}), view(6, {}, {}), view(-1, {2}, {1}), view(0, {7}, {1}),
        view(0, {2}, {6}), view(0, {kHuge, kHuge}, {1, 1}), view(0, {2, 2}, {kHuge, kHuge}),
        view(kHuge, {1}, {1}), view(0, {2, 3}, {3}), view(0, {6, 1000}, {1, 0})}) {
    EXPECT_THAT(refusal(tensor), HasSubstr("'w': its view is not within its storage"));
  }
  EXPECT_THAT(refusal(view(5, {2}, {-1})), HasSubstr("negative shape or stride"));
  EXPECT_THAT(refusal(view(0, {-2, -3}, {1, 1})), HasSubstr("negative shape or stride"));
}

TEST_F(StateDict, RefusesStoragesThatAreNotTheirData) {
  MadeTensor tensor = kWhole;
  tensor.elements = 5;
  EXPECT_THAT(refusal(tensor), HasSubstr("another size than its data"));
  tensor = kWhole;
  tensor.storage = "DoubleStorage";
  EXPECT_THAT(refusal(tensor), HasSubstr("another size than its data"));
  tensor = kWhole;
  tensor.key = "../version";
  EXPECT_THAT(refusal(tensor), HasSubstr("its data is missing"));
  EXPECT_THAT(refusal(pickled_state({kWhole, kWhole})), HasSubstr("'w' occurs twice"));
}

TEST_F(StateDict, OtherFormatsSayHowToConvert) {
  EXPECT_THAT(read_bytes("\x80\x02\x8a\x0al\xfc\x9c").error().message,
              HasSubstr("torch.save(torch.load(FILE, map_location='cpu'), FILE)"));
  EXPECT_THAT(read_bytes(made_zip({{"x", "y"}})).error().message, HasSubstr("no data.pkl"));
  const std::string pickle = whole_pickle(pickled_state({kWhole}));
  EXPECT_THAT(
      read_bytes(made_zip({{"m/data.pkl", pickle}, {"m/constants.pkl", ""}})).error().message,
      HasSubstr("TorchScript"));
  EXPECT_THAT(
      read_bytes(made_zip({{"m/data.pkl", pickle}, {"m/byteorder", "big"}})).error().message,
      HasSubstr("little-endian"));
  EXPECT_THAT(read_bytes(made_zip({{"m/data.pkl", pickle}, {"m/version", "99\n"}})).error().message,
              HasSubstr("unknown version"));
}

TEST_F(StateDict, SurvivesDamageAndStaysWithinTheFile) {
  const std::string sample = made_torch_file(
      whole_pickle(pickled_state(
          {kWhole, {.name = "b", .elements = 6, .offset = 2, .shape = {2}, .strides = {3}}})),
      {{"0", bytes_of(kSix)}});
  Random random(7, 0);
  int accepted = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto tensors = read_bytes(mutated(sample, random));
    if (!tensors.ok()) continue;
    ++accepted;
    for (const StoredTensor& tensor : *tensors) {
      ASSERT_LE(tensor.begin + tensor.reach * element_bytes(tensor.type), file_->size());
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 9'000);
}

}  // namespace
}  // namespace tacho
