#include "training/weights/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"
#include "training/weights/made_torch_file.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of_pickle(const std::string& bytes) {
  const auto read = read_pickle(bytes);
  return read.ok() ? "accepted" : read.error().message;
}

TEST(ReadPickle, ReadsAStateDict) {
  const MadeTensor tensor{
      .name = "w", .key = "7", .elements = 6, .offset = 1, .shape = {2, 2}, .strides = {2, 1}};
  const auto read = read_pickle(whole_pickle(pickled_state({tensor})));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const PickleValue& root = read->at(read->root);
  EXPECT_EQ(root.kind, PickleKind::dict);
  ASSERT_EQ(root.items.size(), 2U);
  EXPECT_EQ(read->at(root.items[0]).text, "w");
  ASSERT_EQ(read->tensors.size(), 1U);
  EXPECT_EQ(read->tensors[0].offset, 1);
  EXPECT_THAT(read->tensors[0].shape, ElementsAre(2, 2));
  EXPECT_THAT(read->tensors[0].strides, ElementsAre(2, 1));
  EXPECT_EQ(read->storages[0].type, "F32");
  EXPECT_EQ(read->storages[0].key, "7");
  EXPECT_EQ(read->storages[0].elements, 6);
}

TEST(ReadPickle, ReadsNumbersWithTheirSigns) {
  const auto read =
      read_pickle(whole_pickle("(K\xffM\xff\xffJ\xff\xff\xff\xff\x8a\x01\x80\x8a\x02\x01\x02\x8a" +
                               std::string(1, '\0') + "t"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<std::int64_t> numbers;
  for (const auto index : read->at(read->root).items) numbers.push_back(read->at(index).number);
  EXPECT_THAT(numbers, ElementsAre(255, 65535, -1, -128, 513, 0));
}

// What `class Evil: def __reduce__(self): return os.system, ("…",)` becomes.
TEST(ReadPickle, RefusesEveryOtherFunctionByName) {
  const std::string call = "cos\nsystem\n" + pickled_text("touch /tmp/executed") + "\x85R";
  EXPECT_THAT(refusal_of_pickle(whole_pickle(call)),
              HasSubstr("this file calls os.system; only state dicts are read: save it with "
                        "torch.save(model.state_dict(), FILE)"));
  EXPECT_THAT(refusal_of_pickle("\x80\x04\x8c\x08"
                                "builtins\x8c\x04"
                                "eval\x93."),
              HasSubstr("this file calls builtins.eval"));
  EXPECT_THAT(refusal_of_pickle(whole_pickle("ctorchvision.models.resnet\nResNet\n)")),
              HasSubstr("this file calls torchvision.models.resnet.ResNet"));
  EXPECT_THAT(refusal_of_pickle(whole_pickle("(ios\nsystem\n")),
              HasSubstr("operation INST (0x69) does not occur in a state dict"));
  EXPECT_THAT(refusal_of_pickle(whole_pickle("ccollections\nOrderedDict\n)\x81")),
              HasSubstr("operation NEWOBJ"));
}

TEST(ReadPickle, RefusesWhatIsNotWellFormed) {
  for (const auto& [bytes, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "truncated"},
           {"\x80\x07}.", "protocol 7"},
           {"\x80\x02}", "truncated"},
           {"\x80\x02}}.", "values are left"},
           {"\x80\x02}.x", "bytes follow"},
           {"\x80\x02.", "stack is empty"},
           {"\x80\x02t.", "mark is missing"},
           {"\x80\x02(.", "stack is empty"},
           {"\x80\x02}(K\1u.", "do not fit their container"},
           {"\x80\x02h\x05.", "memo entry is missing"},
           {"\x80\x02}q\x05.", "out of order"},
           {"\x80\x02X\xff\xff\xff\x7f"
            "ab",
            "truncated"},
           {"\x80\x02))R.", "not a function"},
           {"\x80\x02"
            "ctorch\nFloatStorage\n)R.",
            "other arguments"},
           {"\x80\x02)Q.", "storage is not described"},
           {"\x80\x02"
            "ctorch._utils\n_rebuild_tensor_v2\n)R.",
            "tensor is not described"},
           {"\x80\x02"
            "c" +
                std::string(300, 'a'),
            "has no end"}}) {
    EXPECT_THAT(refusal_of_pickle(bytes), HasSubstr(message));
  }
}

TEST(ReadPickle, AContainerMayContainItself) {
  std::string self = "\x80\x02]q";
  self += '\0';
  self += "h";
  self += '\0';
  EXPECT_TRUE(read_pickle(self + "a.").ok());
}

TEST(ReadPickle, SurvivesDamage) {
  const std::string sample = whole_pickle(
      pickled_state({{.name = "w", .elements = 6, .shape = {2, 3}, .strides = {3, 1}},
                     {.name = "b", .key = "1", .storage = "LongStorage", .elements = 1}}));
  Random random(5, 0);
  int accepted = 0;
  for (int i = 0; i < 10'000; ++i) accepted += read_pickle(mutated(sample, random)).ok() ? 1 : 0;
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 9'000);
}

}  // namespace
}  // namespace tacho
