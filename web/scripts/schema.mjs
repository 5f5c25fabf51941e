// Writes `src/api/schema.d.ts` from the server's OpenAPI document, or with `--check` says whether it is fresh.
import { readFileSync, writeFileSync } from "node:fs";
import openapi, { astToString } from "openapi-typescript";

const source = new URL("../../docs/reference/openapi.json", import.meta.url);
const target = new URL("../src/api/schema.d.ts", import.meta.url);

const document = JSON.parse(readFileSync(source, "utf8"));
// An object of which nothing is said may hold anything.
const types = astToString(await openapi(document, { emptyObjectsUnknown: true }));
const text = `// Made by \`npm run schema\` from docs/reference/openapi.json; changed there, not here.\n\n${types}`;

if (!process.argv.includes("--check")) {
  writeFileSync(target, text);
} else if (read(target) !== text) {
  console.error("web/src/api/schema.d.ts is not what docs/reference/openapi.json says. Run: cd web && npm run schema");
  process.exit(1);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
