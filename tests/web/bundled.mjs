// Parts of the pages, loaded without a browser.
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(resolve(dirname(fileURLToPath(import.meta.url)), "../.."), "web");
const { build } = createRequire(join(web, "package.json"))("esbuild");

export async function load(file) {
  const { outputFiles: [bundle] } = await build({
    entryPoints: [join(web, "src", file)], bundle: true, format: "esm", write: false, jsx: "automatic", jsxImportSource: "preact",
  });
  return import(`data:text/javascript;base64,${Buffer.from(bundle.contents).toString("base64")}`);
}
