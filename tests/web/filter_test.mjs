// The filter of the list of runs, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./bundled.mjs";

const { conditionText, parseFilter } = await load("filter.ts");
const columns = new Set(["model", "project", "top1", "batch"]);
const parsed = (text) => parseFilter(text, columns);

test("a filter has conditions on columns, and words", () => {
  assert.deepEqual(parsed("resnet top1>0.8 batch = 64 cuda"), { where: ["top1>0.8", "batch=64"], words: ["resnet", "cuda"] });
  assert.deepEqual(parsed("other=1 Model=x"), { where: [], words: ["other=1", "Model=x"] });
});

test("a condition that is still being typed matches all runs", () => {
  assert.deepEqual(parsed("top1> "), { where: [], words: [] });
  assert.deepEqual(parsed('project="my r'), { where: ["project=my r"], words: [] });
});

test("quotes keep spaces and relations", () => {
  assert.deepEqual(parsed('project="a > b  c" "two words"'), { where: ["project=a > b  c"], words: ["two words"] });
});

test("a condition survives any value", () => {
  for (const value of ["digits", "two words", 'the "best"', "C:\\new\\", '\\"', "a=b", "a  >  b", "", "über & 50 %", "line\nbreak", '"', "'"]) {
    assert.deepEqual(parsed(`cuda ${conditionText("project", "=", value)} lstm`), { where: [`project=${value}`], words: ["cuda", "lstm"] }, value);
  }
});

test("a value that starts like a relation is not read as part of it", () => {
  assert.deepEqual(parsed(conditionText("project", "=", "<b>")).where, ["project= <b>"]);
});
