#include "cli/help_formatter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(HelpFormatter, ShowsNamesDefaultsAndWhereElseAValueComesFrom) {
  CLI::App app("train a model", "tacho");
  std::string model;
  std::int64_t batch = 64;
  bool quiet = false;
  app.add_option("model", model, "model to train")->required();
  app.add_option("--batch,-b", batch, "samples per step")->capture_default_str();
  app.add_flag("--quiet", quiet, "print nothing")->envname("QUIET");
  app.set_help_flag("-h,--help", "print this help");
  EXPECT_EQ(help_text(app, "tacho train", 80),
            "train a model\n"
            "Usage: tacho train [OPTIONS] MODEL\n"
            "\n"
            "Arguments:\n"
            "  MODEL          model to train\n"
            "\n"
            "Options:\n"
            "  -b, --batch N  samples per step (default: 64)\n"
            "  --quiet        print nothing (or set QUIET)\n"
            "  -h, --help     print this help\n");
}

TEST(HelpFormatter, GroupsCommandsAndLeavesOutHiddenOnes) {
  CLI::App app("Does much.", "tacho");
  app.require_subcommand(1);
  app.add_subcommand("train", "train a model")->group("Train");
  app.add_subcommand("report", "explain a run")->group("Explain");
  app.add_subcommand("hidden", "for programs")->group("");
  app.footer("Start here:\n  tacho train  begin");
  EXPECT_EQ(help_text(app, "tacho", 80),
            "Does much.\n"
            "Usage: tacho [--help | --version] COMMAND [OPTIONS]\n"
            "\n"
            "Train:\n"
            "  train   train a model\n"
            "\n"
            "Explain:\n"
            "  report  explain a run\n"
            "\n"
            "Start here:\n"
            "  tacho train  begin\n");
}

TEST(HelpFormatter, WrapsWithAHangingIndentAndExceedsNoWidth) {
  CLI::App app("compare environments, options, programs and whatever else can be compared here",
               "compare");
  std::string value;
  app.add_option("--a-very-long-option-name-indeed", value,
                 "text that is longer than what is left of a line of sixty columns");
  app.add_option("--short", value, "another text that is longer than what is left of a line");
  for (const std::size_t columns : {60U, 80U}) {
    const std::string text = help_text(app, "tacho compare", columns);
    EXPECT_LE(widest_line(text), columns) << text;
  }
  EXPECT_THAT(help_text(app, "tacho compare", 60),
              HasSubstr("  --short TEXT  another text that is longer than what is\n"
                        "                left of a line\n"));
}

TEST(HelpFormatter, ACommandDoesNotRepeatTheFooterItInherits) {
  CLI::App app("", "tacho");
  app.footer("Start here.");
  const CLI::App* sub = app.add_subcommand("ls", "list");
  EXPECT_THAT(help_text(*sub, "tacho ls", 80), Not(HasSubstr("Start here")));
}

TEST(HelpFooter, ContinuesALongCommandWithABackslash) {
  EXPECT_EQ(help_footer("  tacho compare --runs 'batch=32 lr=1' --max-time 10m", 40),
            "  tacho compare --runs 'batch=32 lr=1' \\\n"
            "      --max-time 10m\n");
}

TEST(HelpFooter, WrapsParagraphsAndAlignsExplanations) {
  EXPECT_EQ(help_footer("One two\nthree four.\n\n  tacho a  first\n  tacho bcd  second", 30),
            "One two three four.\n"
            "\n"
            "  tacho a\n"
            "      first\n"
            "  tacho bcd\n"
            "      second\n");
  EXPECT_EQ(help_footer("  tacho a  first\n  tacho bcd  second", 60),
            "  tacho a    first\n"
            "  tacho bcd  second\n");
}

}  // namespace
}  // namespace tacho
