#include "base/markdown_view.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::string view(std::string_view page) { return markdown_view(page, Terminal(-1), 30); }

TEST(MarkdownView, WrapsParagraphsAndListsButNotCode) {
  EXPECT_EQ(view("# How **fast**\n\nA line that is\nlonger than thirty columns.\n"),
            "How fast\n\nA line that is longer than\nthirty columns.\n");
  EXPECT_EQ(view("- first item that is long enough\n  to be broken\n- second\n"),
            "- first item that is long\n  enough to be broken\n- second\n");
  EXPECT_EQ(view("    $ tacho   train mlp\n"), "    $ tacho   train mlp\n");
  EXPECT_EQ(view("```yaml\na:  1\n```\n"), "    a:  1\n");
}

TEST(MarkdownView, WrapsNumberedListsItemByItem) {
  EXPECT_EQ(view("1. first item that is long enough\n   to be broken\n12. second\n"),
            "1. first item that is long\n   enough to be broken\n12. second\n");
}

TEST(MarkdownView, BreaksLongCommandsSoThatTheyCanBeCopied) {
  EXPECT_EQ(view("    $ tacho train mlp --data synthetic --seed 1\n"),
            "    $ tacho train mlp --data \\\n        synthetic --seed 1\n");
  EXPECT_EQ(view("    $ tacho run -- sh -c 'one two three four five'\n"),
            "    $ tacho run -- sh -c \\\n        'one two three four five'\n");
  EXPECT_EQ(view("    $ tacho doctor    # what this machine has and lacks\n"),
            "    # what this machine has\n    # and lacks\n    $ tacho doctor\n");
}

TEST(MarkdownView, ShowsEmphasisAsPlainText) {
  EXPECT_EQ(view("A run lives *bare* (*so*), 2 * 3\n"), "A run lives bare (so), 2 * 3\n");
}

TEST(MarkdownView, ShowsLinksAndCodeByTheirText) {
  EXPECT_EQ(view("See [how](docs/x.md), `a[1](2)` and [3]\n"), "See how, a[1](2) and [3]\n");
}

TEST(MarkdownView, PutsTablesIntoColumns) {
  EXPECT_EQ(view("| a | b |\n|---|--:|\n| `x\\|y` | [one](z) |\n"), "a    b\nx|y  one\n");
  EXPECT_EQ(view("| word | meaning |\n|---|---|\n| --seed | where its random numbers begin |\n"),
            "word    meaning\n--seed  where its random\n        numbers begin\n");
}

}  // namespace
}  // namespace tacho
