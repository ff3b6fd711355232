#include "cli/usage_message.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace tacho {
namespace {

// Returns the message for "tacho WORDS".
std::string message_for(const std::string& words) {
  CLI::App app("", "tacho");
  app.require_subcommand(1);
  CLI::App* train = app.add_subcommand("train", "");
  std::string model;
  std::int64_t batch = 0;
  double rate = 0;
  bool json = false;
  bool csv = false;
  train->add_option("model", model)->required();
  train->add_option("--batch,-b", batch);
  train->add_option("--lr", rate);
  train->add_option("--precision", model);
  train->add_flag("--json", json);
  train->add_flag("--csv", csv)->excludes("--json");
  app.add_subcommand("take-task", "")->group("");
  try {
    app.parse(words);
  } catch (const CLI::ParseError& problem) {
    return usage_message(app, problem);
  }
  return "accepted";
}

TEST(UsageMessage, SuggestsTheOptionThatWasMeant) {
  EXPECT_EQ(message_for("train mlp --precison fp32"),
            "unknown option '--precison'; did you mean '--precision'? (see 'tacho train --help')");
  EXPECT_EQ(message_for("train mlp --learning-rate=1"),
            "unknown option '--learning-rate'; did you mean '--lr'? (see 'tacho train --help')");
  EXPECT_EQ(message_for("train --bacth=3"),
            "unknown option '--bacth'; did you mean '--batch'? (see 'tacho train --help')");
  EXPECT_EQ(message_for("--bogus"), "unknown option '--bogus' (see 'tacho --help')");
}

TEST(UsageMessage, SuggestsTheCommandAndHidesInternalOnes) {
  EXPECT_EQ(message_for("trian"), "unknown command 'trian'; did you mean 'train'? (known: train)");
  EXPECT_EQ(message_for(""), "name a command: train (see 'tacho --help')");
}

TEST(UsageMessage, NamesTheOptionAndTheMistake) {
  EXPECT_EQ(message_for("train mlp --batch many"),
            "--batch: 'many' is not a valid whole number (see 'tacho train --help')");
  EXPECT_EQ(message_for("train mlp --lr x"),
            "--lr: 'x' is not a valid number (see 'tacho train --help')");
  EXPECT_EQ(message_for("train mlp --batch"), "--batch needs a value (see 'tacho train --help')");
  EXPECT_EQ(message_for("train mlp --batch 1 --batch 2"),
            "--batch is given more than once (see 'tacho train --help')");
  EXPECT_EQ(message_for("train mlp --csv --json"),
            "--json and --csv exclude each other (see 'tacho train --help')");
  EXPECT_EQ(message_for("train"), "MODEL is missing (see 'tacho train --help')");
  EXPECT_EQ(message_for("train mlp lenet5"),
            "unexpected argument 'lenet5' (see 'tacho train --help')");
}

}  // namespace
}  // namespace tacho
