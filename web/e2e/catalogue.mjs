// The words of the page, in the language that it is to speak.
import { readFileSync } from "node:fs";
import ts from "typescript";

/** The catalogue of `language`, as the page has it. */
export async function catalogue(language) {
  const parts = ["", "-screens", "-chat", "-insights", "-policy"].map((part) => texts(`${language}${part}`));
  return Object.assign({}, ...(await Promise.all(parts)));
}

async function texts(name) {
  const source = readFileSync(new URL(`../src/messages/${name}.ts`, import.meta.url), "utf8");
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext } });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputText).toString("base64")}`);
  return Object.assign({}, ...Object.values(module));
}
