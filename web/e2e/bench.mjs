// How long the inbox takes to show itself and to filter with 10,000 questions open; writes its part of the benchmarks.
//
//   COUNTERSIGN_BIN=target/release/countersign node web/e2e/bench.mjs docs/reference/benchmarks.md
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { launch } from "./browser.mjs";
import { rows, sizeOfScripts } from "./flows/acts.mjs";
import { CROWDED, crowd } from "./flows/many.mjs";
import { Stage } from "./stage.mjs";

const COUNT = 10_000;
const TIMES = 9;
const file = process.argv[2];

const browser = await launch();
const stage = new Stage(browser);
await stage.start({ config: CROWDED });
await crowd(stage.server, COUNT);
const token = await stage.server.token("lee", "approver");
const paints = [];
const filters = [];
const pasted = [];
let size = 0;
for (let time = 0; time < TIMES; time += 1) {
  const page = await stage.signedIn(token);
  await page.goto("/");
  await rows(page).nth(199).waitFor();
  paints.push(await page.evaluate(() => window.performance.getEntriesByName("inbox-drawn")[0].startTime));
  size = await sizeOfScripts(page);
  for (const number of [1, 77, 5000, COUNT - 1 - time]) {
    const words = `part-${number}-of-all`;
    filters.push(await filter(page, words.slice(0, -1), words.slice(-1)));
    // Another one, of which the page has not heard yet.
    pasted.push(await filter(page, "", `part-${(number + 321) % COUNT}-of-all`));
  }
  await page.context().close();
}
await browser.close();
await stage.close();
report();

/** From when `rest` is put in after what stands there `before` to the frame in which the one row is drawn that has the words. */
async function filter(page, before, rest) {
  const words = before + rest;
  const field = page.getByLabel("Filter what waits");
  await field.fill(before);
  if (before !== "") await rows(page).getByText(before).first().waitFor();
  const took = page.evaluate(
    (words) =>
      new Promise((done) => {
        let since;
        document.querySelector("[data-filter]").addEventListener("input", () => {
          since = window.performance.now();
        });
        const look = () => {
          const found = [...document.querySelectorAll("ul[aria-label^='Questions that wait'] > li")];
          const drawn = since !== undefined && found.length === 1 && found[0].textContent.includes(words);
          if (drawn) done(window.performance.now() - since);
          else window.requestAnimationFrame(look);
        };
        look();
      }),
    words,
  );
  await field.press("End");
  await page.keyboard.insertText(rest);
  const milliseconds = await took;
  await field.fill("");
  await rows(page).nth(199).waitFor();
  return milliseconds;
}

function report() {
  const at = (values, share) => {
    const sorted = values.toSorted((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  };
  const row = (what, aim, values) =>
    `| ${what} | ${aim} | ${Math.round(at(values, 0.5))} ms | ${Math.round(at(values, 1))} ms |`;
  const text = `<!-- bench-page -->
## The page (\`make bench-page\`)

The inbox with ${COUNT.toLocaleString("en")} questions open, in a real browser before the released program on the same machine (${cpus().length} cores,
${cpus()[0].model.trim()}); ${TIMES} times each. Drawn is when the list of the first 200 is in the page, from the moment the address was
opened. A filter is from its last letter, or from when all of it was pasted, to the frame in which the one row that has the words is
drawn; the words are looked for in all ${COUNT.toLocaleString("en")}.

| | aimed at | median | slowest |
|---|---|---|---|
${row("first paint of the inbox", "< 1,500 ms", paints)}
${row("a filter, its last letter", "< 100 ms", filters)}
${row("a filter, pasted whole", "< 100 ms", pasted)}

JavaScript that is loaded first, compressed: ${Math.round(size / 1000)} kB (aimed at: less than 250 kB).
<!-- /bench-page -->`;
  console.log(text);
  if (file === undefined) return;
  const before = readFileSync(file, "utf8");
  const own = /<!-- bench-page -->[\s\S]*<!-- \/bench-page -->/;
  writeFileSync(file, own.test(before) ? before.replace(own, () => text) : `${before.trimEnd()}\n\n${text}\n`);
}
