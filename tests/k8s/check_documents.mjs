// Holds every document of standard input, a line each, against Kubernetes' published schema.
//
// The schema lets unknown keys pass. A key is known if a value that is of no kind at all does not
// pass in its place.
import { createInterface } from "node:readline";

// "apps/v1" and "Deployment" are kubernetes-models/apps/v1/Deployment.
const models = new Map();
async function modelOf({ apiVersion, kind }) {
  const path = `kubernetes-models/${apiVersion}/${kind}`.replace(".k8s.io/", "/");
  for (const name of [path, `kubernetes-models/${apiVersion}/${kind}`]) {
    if (models.has(name)) return models.get(name);
    try {
      models.set(name, (await import(name))[kind]);
      return models.get(name);
    } catch {
      // The other name, then.
    }
  }
  return undefined;
}

const problems = (Model, document) => {
  if (Model === undefined) return `no schema for ${document.apiVersion} ${document.kind}`;
  try {
    new Model(document).validate();
    return "";
  } catch (error) {
    return error.message;
  }
};

function* unknownKeys(Model, document, part = document, path = "") {
  for (const key of Object.keys(part)) {
    const value = part[key];
    part[key] = () => {};
    if (problems(Model, document) === "") yield `${path}/${key}`;
    part[key] = value;
    if (value !== null && typeof value === "object") {
      yield* unknownKeys(Model, document, value, `${path}/${key}`);
    }
  }
}

let count = 0;
let bad = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const document = JSON.parse(line);
  const Model = await modelOf(document);
  const said = problems(Model, document);
  const unknown = said === "" ? [...unknownKeys(Model, document)] : [];
  const complaint = unknown.length > 0 ? `unknown: ${unknown.join(", ")}` : said;
  if (complaint !== "") console.log(`${document.kind} ${document.metadata?.name ?? count}: ${complaint}`);
  count += 1;
  bad += complaint === "" ? 0 : 1;
}
console.log(`${count} documents, ${bad} not as the schema has them`);
process.exit(bad === 0 ? 0 : 1);
