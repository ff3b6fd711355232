// Holds every document of standard input, a line each, against Kubernetes' published schema.
//
// The schema lets unknown keys pass. A key is known if a value that is of no kind at all does not
// pass in its place.
import { createInterface } from "node:readline";
import { Job } from "kubernetes-models/batch/v1/Job";

const problems = (document) => {
  try {
    new Job(document).validate();
    return "";
  } catch (error) {
    return error.message;
  }
};

function* unknownKeys(document, part = document, path = "") {
  for (const key of Object.keys(part)) {
    const value = part[key];
    part[key] = () => {};
    if (problems(document) === "") yield `${path}/${key}`;
    part[key] = value;
    if (value !== null && typeof value === "object") {
      yield* unknownKeys(document, value, `${path}/${key}`);
    }
  }
}

let count = 0;
let bad = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const document = JSON.parse(line);
  const said = problems(document);
  const unknown = said === "" ? [...unknownKeys(document)] : [];
  const complaint = unknown.length > 0 ? `unknown: ${unknown.join(", ")}` : said;
  if (complaint !== "") console.log(`job ${count}: ${complaint}`);
  count += 1;
  bad += complaint === "" ? 0 : 1;
}
console.log(`${count} jobs, ${bad} not as the schema has them`);
process.exit(bad === 0 ? 0 : 1);
