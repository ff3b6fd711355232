// Parses the filter: conditions such as top1>0.8, and words to search for.
export interface Conditions {
  where: string[];
  words: string[];
}

const condition = /^([a-z_0-9]+)\s*(>=|<=|!=|=|<|>|~)(.+)$/;

// Quotes allow spaces in a value: model="my run".
function splitOutsideQuotes(text: string): string[] {
  const found: string[] = [];
  let piece = "";
  let quoted = false;
  for (const c of text) {
    if (c === '"') quoted = !quoted;
    else if (/\s/.test(c) && !quoted) {
      if (piece) found.push(piece);
      piece = "";
    } else piece += c;
  }
  if (piece) found.push(piece);
  return found;
}

export function parseFilter(text: string, columns: Set<string>): Conditions {
  const normalised = text.replace(/\s*(>=|<=|!=|=|<|>|~)\s*/g, "$1");
  const conditions: Conditions = { where: [], words: [] };
  for (const piece of splitOutsideQuotes(normalised)) {
    const match = condition.exec(piece);
    if (match && columns.has(match[1]!)) conditions.where.push(piece);
    // An incomplete condition matches all runs: it is still being typed.
    else if (!/^[a-z_0-9]+(>=|<=|!=|=|<|>|~)$/.test(piece)) conditions.words.push(piece);
  }
  return conditions;
}

export function conditionParams(conditions: Conditions): URLSearchParams {
  const params = new URLSearchParams();
  for (const each of conditions.where) params.append("where", each);
  for (const each of conditions.words) params.append("word", each);
  return params;
}
