#include "cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tacho {
namespace {

// Quotes text as one word for bash and zsh.
std::string sh_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out + "'";
}

// Quotes text for fish, which knows two escapes within quotes.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

// 'tacho'|'tacho train'|…
std::string known_paths(const std::vector<CompletionNode>& nodes) {
  std::vector<std::string> paths;
  for (const CompletionNode& node : nodes) paths.push_back(sh_quoted(node.path));
  return fmt::format("{}", fmt::join(paths, "|"));
}

std::string bash_script(const std::vector<CompletionNode>& nodes,
                        const std::vector<OptionValues>& values) {
  std::string option_cases;
  for (const OptionValues& known : values) {
    const std::string options = fmt::format("{}", fmt::join(known.options, "|"));
    option_cases +=
        known.values.empty()
            ? fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n", options)
            : fmt::format("    {}) words='{}' ;;\n", options, fmt::join(known.values, " "));
  }
  std::string cases;
  for (const CompletionNode& node : nodes) {
    std::vector<std::string> words;
    for (const OfferedWord& offered : node.commands) words.push_back(offered.word);
    for (const OfferedWord& offered : node.options) words.push_back(offered.word);
    words.insert(words.end(), node.names.begin(), node.names.end());
    cases += fmt::format("        '{}') words='{}' ;;\n", node.path, fmt::join(words, " "));
  }
  return fmt::format(R"(# bash completion for tacho; load it with:  source <(tacho completion bash)
_tacho() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path=tacho words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $previous in
{}    *)
      case $path in
{}      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -F _tacho tacho
)",
                     known_paths(nodes), option_cases, cases);
}

// "word:help", as zsh's arrays have it. A word must not contain a colon.
std::string zsh_pair(const OfferedWord& offered) {
  return sh_quoted(fmt::format("{}:{}", offered.word, offered.help));
}

std::string zsh_script(const std::vector<CompletionNode>& nodes,
                       const std::vector<OptionValues>& values) {
  std::string option_cases;
  for (const OptionValues& known : values) {
    option_cases += fmt::format("    {}) {}; return ;;\n", fmt::join(known.options, "|"),
                                known.values.empty()
                                    ? "_files"
                                    : fmt::format("compadd -- {}", fmt::join(known.values, " ")));
  }
  std::string cases;
  for (const CompletionNode& node : nodes) {
    std::vector<std::string> commands;
    std::vector<std::string> options;
    for (const OfferedWord& offered : node.commands) commands.push_back(zsh_pair(offered));
    for (const std::string& name : node.names) commands.push_back(sh_quoted(name));
    for (const OfferedWord& offered : node.options) options.push_back(zsh_pair(offered));
    cases += fmt::format("    '{}')\n      words_here=({})\n      options_here=({}) ;;\n",
                         node.path, fmt::join(commands, " "), fmt::join(options, " "));
  }
  // Not named "path": that is zsh's list of folders with programs.
  return fmt::format(R"(#compdef tacho
# zsh completion for tacho; load it with:  source <(tacho completion zsh)
_tacho() {{
  local way=tacho i
  local -a words_here options_here
  for ((i = 2; i < CURRENT; i++)); do
    case "$way ${{words[i]}}" in
      {}) way+=" ${{words[i]}}" ;;
    esac
  done
  case ${{words[CURRENT-1]}} in
{}  esac
  case $way in
{}  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    _describe -o option options_here
  elif (( ${{#words_here}} )); then
    _describe word words_here
  else
    _files
  fi
}}
if [[ ${{funcstack[1]}} == _tacho ]]; then
  _tacho "$@"
else
  compdef _tacho tacho
fi
)",
                     known_paths(nodes), option_cases, cases);
}

const OptionValues* values_of(const OfferedWord& offered, const std::vector<OptionValues>& values) {
  const auto found = std::ranges::find_if(values, [&](const OptionValues& known) {
    return std::ranges::find(known.options, offered.word) != known.options.end();
  });
  return found == values.end() ? nullptr : &*found;
}

std::string fish_option(const OfferedWord& offered, const std::vector<OptionValues>& values) {
  std::string line = fmt::format(" -l {}", offered.word.substr(2));
  if (!offered.short_name.empty()) line += fmt::format(" -s {}", offered.short_name.substr(1));
  const OptionValues* known = values_of(offered, values);
  if (known != nullptr && known->values.empty()) {
    line += " -r -F";
  } else if (known != nullptr) {
    line += fmt::format(" -x -a '{}'", fmt::join(known->values, " "));
  } else if (offered.takes_value) {
    line += " -x";
  }
  return line + fmt::format(" -d {}", fish_quoted(offered.help));
}

std::string fish_script(const std::vector<CompletionNode>& nodes,
                        const std::vector<OptionValues>& values) {
  std::vector<std::string> paths;
  std::string lines;
  for (const CompletionNode& node : nodes) {
    paths.push_back(fish_quoted(node.path));
    const std::string begin = fmt::format("complete -c tacho -n '__tacho_at \"{}\"'", node.path);
    const bool names_files = node.commands.empty() && node.names.empty();
    if (!names_files) lines += begin + " -f\n";
    for (const OfferedWord& offered : node.commands) {
      lines += fmt::format("{} -a {} -d {}\n", begin, offered.word, fish_quoted(offered.help));
    }
    for (const std::string& name : node.names) {
      lines += fmt::format("{} -a {}\n", begin, fish_quoted(name));
    }
    for (const OfferedWord& offered : node.options) {
      lines += begin + fish_option(offered, values) + "\n";
    }
  }
  return fmt::format(R"(# fish completion for tacho; load it with:  tacho completion fish | source
function __tacho_at
    set -l path tacho
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word" {}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
{})",
                     fmt::join(paths, " "), lines);
}

}  // namespace

std::string completion_script(Shell shell, const std::vector<CompletionNode>& nodes,
                              const std::vector<OptionValues>& values) {
  switch (shell) {
    case Shell::bash:
      return bash_script(nodes, values);
    case Shell::zsh:
      return zsh_script(nodes, values);
    case Shell::fish:
      return fish_script(nodes, values);
  }
  broken_invariant("a shell without a script");
}

}  // namespace tacho
