#include "core/record/command_spec.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(CommandSpec, ReadsWhatItWrote) {
  const CommandSpec spec{.argv = {"python3", "train.py", "--name", "two words"},
                         .folder = "/data",
                         .batch = 64,
                         .tensorboard = "/data/logs",
                         .trace = false};
  const auto read = command_spec_from_json(to_json(spec));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, spec);
}

TEST(CommandSpec, RefusesWhatIsNotAListOfStrings) {
  for (const char* argv : {"[]", "[\"\"]", "[1]", "\"ls\"", "{}"}) {
    const Json json = {{"argv", *parse_json(argv)}, {"folder", "/"}};
    EXPECT_FALSE(command_spec_from_json(json).ok()) << argv;
  }
}

TEST(CommandSpec, IsWrittenWithShellQuoting) {
  EXPECT_EQ(command_line({.argv = {"python3", "-c", "print('a b')", ""}}),
            R"(python3 -c 'print('\''a b'\'')' '')");
}

TEST(CommandSpec, HasAHeadlineOfOneLine) {
  const CommandSpec spec{.argv = {"python3", "-c", "a = 1\nb = 2"}};
  EXPECT_EQ(headline(spec), "python3 -c 'a = 1 b = 2'");
  EXPECT_EQ(headline(spec, 12), "python3 -c …");
  EXPECT_EQ(headline({.argv = {"äöü", "äöü"}}, 5), "'äöü…");
  EXPECT_EQ(headline({.argv = {"äöü"}}, 5), "'äöü'");
}

TEST(CommandSpec, IsNamedAfterItsScript) {
  EXPECT_EQ(short_name({.argv = {"/usr/bin/python3", "-u", "src/training/train.py", "-b", "8"}}),
            "train.py");
  EXPECT_EQ(short_name({.argv = {"python3", "-m", "my.trainer"}}), "my.trainer");
  EXPECT_EQ(short_name({.argv = {"python3", "-c", "import torch"}}), "python3");
  EXPECT_EQ(short_name({.argv = {"./build/bin/train", "data"}}), "train");
  EXPECT_EQ(short_name({.argv = {"bash"}}), "bash");
}

}  // namespace
}  // namespace tacho
