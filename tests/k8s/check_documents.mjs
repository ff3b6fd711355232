// Checks the documents of standard input, one per line, with Kubernetes' published schema.
//
// The schema accepts unknown keys. A key is known if a value of an impossible type is rejected.
import { createInterface } from "node:readline";

// "apps/v1" and "Deployment" become kubernetes-models/apps/v1/Deployment.
const models = new Map();
async function modelOf({ apiVersion, kind }) {
  const path = `kubernetes-models/${apiVersion}/${kind}`.replace(".k8s.io/", "/");
  for (const name of [path, `kubernetes-models/${apiVersion}/${kind}`]) {
    if (models.has(name)) return models.get(name);
    try {
      models.set(name, (await import(name))[kind]);
      return models.get(name);
    } catch {
      // Try the other name.
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
  const problem = problems(Model, document);
  const unknown = problem === "" ? [...unknownKeys(Model, document)] : [];
  const complaint = unknown.length > 0 ? `unknown: ${unknown.join(", ")}` : problem;
  if (complaint !== "") console.log(`${document.kind} ${document.metadata?.name ?? count}: ${complaint}`);
  count += 1;
  bad += complaint === "" ? 0 : 1;
}
console.log(`${count} documents, ${bad} do not match the schema`);
process.exit(bad === 0 ? 0 : 1);
