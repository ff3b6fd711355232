#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/markdown_view.h"
#include "base/nearest.h"
#include "base/table.h"
#include "base/wrapped_text.h"
#include "cli/commands.h"
#include "cli/doc_pages.h"
#include "cli/help_formatter.h"

namespace tacho {
namespace {

// Returns the heading of a page, without "# ".
std::string heading_of(std::string_view page) {
  const std::size_t begin = std::min(page.find("# "), page.size());
  std::string_view line = page.substr(begin, page.find('\n', begin) - begin);
  line.remove_prefix(std::min<std::size_t>(2, line.size()));
  return std::string(line);
}

Result<int> show_help(const std::string& topic, const CLI::App& app, const Context& context) {
  if (topic.empty()) {
    Table table({{"topic", Align::left}, {"or", Align::left}, {"page", Align::left}});
    for (const DocPage& page : doc_pages()) {
      const bool two_names = page.question != page.topic;
      table.add({std::string(page.topic), std::string(two_names ? page.question : ""),
                 heading_of(page.text)});
    }
    context.print(table.text(context.out));
    context.print(
        wrapped("'tacho help TOPIC' shows a page, 'tacho COMMAND --help' the options of a "
                "command. Runs, datasets and the store are in $TACHO_HOME (default: "
                "$XDG_DATA_HOME/tacho, else ~/.local/share/tacho).",
                help_columns(context.out)));
    return kSuccess;
  }
  const auto pages = doc_pages();
  const auto found = std::ranges::find_if(
      pages, [&](const DocPage& page) { return page.topic == topic || page.question == topic; });
  if (found != pages.end()) {
    context.print(markdown_view(found->text, context.out, help_columns(context.out)));
    return kSuccess;
  }
  // A command without a page.
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->check_name(topic)) continue;
    context.print(command->help(app.get_name()));
    return kSuccess;
  }
  std::vector<std::string_view> known;
  for (const DocPage& page : pages) {
    known.push_back(page.topic);
    if (!page.question.empty()) known.push_back(page.question);
  }
  return Error{ErrorCode::usage, unknown_name("topic", topic, known)};
}

}  // namespace

void add_help_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("help", "show a page of the manual");
  auto topic = std::make_shared<std::string>();
  command->add_option("topic", *topic, "page or command (default: list the pages)");
  command->callback(
      [topic, &app, &context] { context.run([&] { return show_help(*topic, app, context); }); });
}

}  // namespace tacho
