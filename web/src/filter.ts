// Parses the filter: conditions such as top1>0.8, and words to search for.
export interface Conditions {
  where: string[];
  words: string[];
}

// Quotes allow any character in a value: model="my run". Within them, a backslash precedes a quote or a backslash.
const quoted = /"((?:[^"\\]|\\.)*)"?/gs;
const pieces = /(?:([a-z_0-9]+)\s*(>=|<=|!=|=|<|>|~)\s*)?((?:"(?:[^"\\]|\\.)*"?|[^\s"])*)/gs;

const unquoted = (text: string) => text.replace(quoted, (_, inside: string) => inside.replace(/\\(["\\])/g, "$1"));
const quote = (value: string) => (/^[\w.-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`);

// The reverse of parseFilter().
export const conditionText = (column: string, relation: string, value: string) => `${column}${relation}${quote(value)}`;

export function parseFilter(text: string, columns: Set<string>): Conditions {
  const conditions: Conditions = { where: [], words: [] };
  for (const [whole, column = "", relation = "", typed = ""] of text.matchAll(pieces)) {
    const value = unquoted(typed);
    // An incomplete condition matches all runs: it is still being typed.
    if (whole === "" || (relation && !typed)) continue;
    if (!columns.has(column)) conditions.words.push(column + relation + value);
    // The space ends the relation.
    else conditions.where.push(column + relation + (/^[=!<>~]/.test(value) ? " " : "") + value);
  }
  return conditions;
}

export function conditionParams(conditions: Conditions): URLSearchParams {
  const params = new URLSearchParams();
  for (const each of conditions.where) params.append("where", each);
  for (const each of conditions.words) params.append("word", each);
  return params;
}
