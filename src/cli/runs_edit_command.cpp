#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/terminal.h"
#include "cli/commands.h"
#include "core/store/run_tables.h"

namespace tacho {
namespace {

struct EditOptions {
  std::vector<std::string> runs;
  RunEdits set;  // without tags
  std::vector<std::string> tags;
  std::vector<std::string> untags;
  bool unarchive = false;
  bool json = false;
};

Result<void> apply(const EditOptions& o, const RunRecord& record, RunEdits& edits) {
  if (o.set.name) edits.name = o.set.name;
  if (o.set.project) edits.project = o.set.project;
  if (o.set.notes) edits.notes = o.set.notes;
  if (o.set.archived || o.unarchive) edits.archived = o.set.archived;
  std::vector<std::string> tags = record.tags();
  for (const std::string& tag : o.untags) {
    if (std::erase(tags, tag) > 0) continue;
    return Error{ErrorCode::usage,
                 fmt::format("the run has no tag '{}'; its tags are: {}", tag,
                             tags.empty() ? "none" : fmt::format("{}", fmt::join(tags, ", ")))};
  }
  for (const std::string& tag : o.tags) {
    if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
  }
  if (!o.tags.empty() || !o.untags.empty()) edits.tags = std::move(tags);
  return {};
}

Result<int> edit_runs(const EditOptions& o, const Context& context) {
  const bool anything = o.set != RunEdits() || o.unarchive || !o.tags.empty() || !o.untags.empty();
  if (!anything) {
    return Error{ErrorCode::usage,
                 "nothing to change; give --name, --project, --tag, --untag, --notes, --archive or "
                 "--unarchive"};
  }
  TACHO_TRY(store, context.open_store());
  // Checks all of them first, so that a wrong name or tag changes nothing.
  for (const std::string& handle : o.runs) {
    TACHO_TRY(run, store.find(handle));
    RunEdits edits = run.record.edits.value_or(RunEdits());
    TACHO_CHECK(apply(o, run.record, edits));
    TACHO_CHECK(check(edits));
  }
  std::vector<RunRow> rows;
  for (const std::string& handle : o.runs) {
    TACHO_TRY(row, store.edit(handle, [&](const RunRecord& record, RunEdits& edits) {
      return apply(o, record, edits);
    }));
    rows.push_back(std::move(row));
  }
  if (o.json) {
    context.print(json_text(runs_json(rows), 1) + "\n");
    return kSuccess;
  }
  for (const RunRow& row : rows) {
    const auto part = [](const char* label, const std::string& text) {
      return text.empty() ? "" : label + printable(text);
    };
    context.print(fmt::format("run {}{}{}{}{}\n", row.id, part("  ", row.name),
                              part("  project ", row.project), part("  tags ", row.tags),
                              row.archived ? "  archived" : ""));
  }
  return kSuccess;
}

}  // namespace

void add_runs_edit_command(CLI::App& runs, Context& context) {
  CLI::App* edit = runs.add_subcommand("edit", "name, tag, annotate and archive runs");
  auto o = std::make_shared<EditOptions>();
  edit->add_option("run", o->runs, "ids or keys of runs, or 'last'")->required();
  edit->add_option("--name", o->set.name, "name of the run; \"\" removes it");
  edit->add_option("--project", o->set.project, "project that the run belongs to");
  edit->add_option("--tag", o->tags, "add a tag (repeatable)");
  edit->add_option("--untag", o->untags, "remove a tag (repeatable)");
  edit->add_option("--notes", o->set.notes, "free text about the run; replaces the earlier notes");
  // A run may follow them.
  for (const char* each : {"--tag", "--untag"}) {
    edit->get_option(each)->expected(1)->take_all()->allow_extra_args(false);
  }
  edit->add_flag("--archive", o->set.archived, "leave the run out of lists");
  edit->add_flag("--unarchive", o->unarchive, "show the run in lists again")->excludes("--archive");
  edit->add_flag("--json", o->json, "print JSON");
  edit->callback([o, &context] { context.run([&] { return edit_runs(*o, context); }); });
}

}  // namespace tacho
