// Walks all that waits and looks at each request as a person could be deceived by it: does something run, does something
// hide, has something moved?

/** Code points that nobody sees, from and to: a list of our own, and not that of the page. */
const UNSEEN = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

/** Gives what is wrong, a sentence each, and how many requests were looked at. */
export async function spoofs(page) {
  const wrong = [];
  await page.goto("/");
  const base = new URL(page.url()).origin;
  page.on("dialog", (dialog) => {
    wrong.push(`a dialog opened: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) wrong.push(`the page asked ${request.url()}`);
  });
  await page.locator("article[data-interaction]").waitFor();
  const waiting = await page.evaluate(async () => {
    const response = await fetch("/api/interactions?status=open&limit=200");
    return (await response.json()).items;
  });
  let first;
  for (const asked of waiting) {
    // Within the page, as its own links lead: nothing is loaded anew.
    await page.evaluate((path) => {
      history.pushState({}, "", path);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `/interactions/${asked.id}`);
    await page.locator(`article[data-interaction="${asked.id}"] footer button`).first().waitFor();
    const seen = await page.evaluate(look, { asked, ranges: UNSEEN });
    wrong.push(...seen.wrong.map((why) => `${asked.tool_name}: ${why}`));
    if (asked.purpose !== "approval") continue;
    first ??= seen.buttons;
    if (JSON.stringify(seen.buttons) !== JSON.stringify(first)) {
      wrong.push(
        `${asked.tool_name}: the buttons moved from ${JSON.stringify(first)} to ${JSON.stringify(seen.buttons)}`,
      );
    }
  }
  return { looked: waiting.length, approvals: waiting.filter(({ purpose }) => purpose === "approval").length, wrong };
}

/** In the page: what is wrong with the card of `asked`, and where its buttons stand. */
function look({ asked, ranges }) {
  const wrong = [];
  const card = document.querySelector(`article[data-interaction="${asked.id}"]`);
  const says = (condition, why) => condition || wrong.push(why);

  // Nothing runs, and nothing of it became an element.
  says(window.spoofed === undefined, "a script ran");
  const odd = card.querySelectorAll(
    "script, img, iframe, object, embed, style, link, video, form form, dialog, base, meta",
  );
  says(odd.length === 0, `an element was made: ${odd[0]?.outerHTML.slice(0, 80)}`);

  // What is shown, with each mark read back as the character that it stands for.
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeName === "MARK") {
      const short = { "\\n": "\n", "\\t": "\t", "\\r": "\r" }[node.textContent];
      return short ?? String.fromCodePoint(Number.parseInt(node.textContent.slice(3, -1), 16));
    }
    if (node.nodeName === "SPAN" && node.classList.contains("select-none")) return "";
    return [...node.childNodes].map(read).join("");
  };

  // No text of the card holds what cannot be seen, outside of a mark.
  const hides = (text) =>
    /[a-z]\u200d|[a-z]\ufe0f|\p{M}{4}/u.test(text) ||
    [...text].some((letter) => {
      const code = letter.codePointAt(0);
      return (
        !"\n\t\r\u200d\ufe0f\ufe0e\u200c".includes(letter) && ranges.some(([from, to]) => code >= from && code <= to)
      );
    });
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    says(parentElement.closest("mark") !== null || !hides(data), `hidden: ${JSON.stringify(data.slice(0, 80))}`);
  }
  for (const field of card.querySelectorAll("[placeholder]")) says(!hides(field.placeholder), "hidden in a field");

  // All of it is there and can be reached.
  const blocks = [...card.querySelectorAll("section[tabindex] pre")];
  const texts = blocks.map(read);
  if (asked.purpose === "approval") {
    says(texts.includes(asked.call.args.command), "the command is not shown as it is");
    says(
      blocks.every((pre) => getComputedStyle(pre).unicodeBidi.includes("override")),
      "letters change places",
    );
    const exact = texts.map((text) => {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    });
    const same = (value) => JSON.stringify(value?.args) === JSON.stringify(asked.call.args);
    says(exact.some(same), "the exact call is not shown as it is");
  } else {
    const words = read(card);
    const all = asked.interactions.flatMap(({ title, description }) => [title, description ?? ""]);
    for (const text of [asked.title, ...all])
      says(words.includes(text), `not shown: ${JSON.stringify(text.slice(0, 60))}`);
  }
  for (const block of card.querySelectorAll("section[tabindex], span[tabindex]")) {
    const style = getComputedStyle(block);
    const clipped = block.scrollHeight > block.clientHeight + 1 && !/auto|scroll/.test(style.overflowY);
    says(!clipped && !/ellipsis/.test(style.textOverflow), "a block is cut");
  }
  says(document.documentElement.scrollWidth <= window.innerWidth, "the page is wider than the screen");

  // The buttons are ours, and they are where they always are: in sight, with nothing over them.
  const buttons = [...card.querySelectorAll("footer button[data-key], footer button[type=submit]")].map((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    if (asked.purpose === "approval") {
      const above = document.elementFromPoint(left + width / 2, top + height / 2);
      says(above !== null && button.contains(above), `something lies over ${button.textContent}`);
    }
    return [button.textContent, Math.round(left), Math.round(window.innerHeight - top)];
  });
  says(card.querySelectorAll("h2").length === 1, "there is a second heading");
  return { wrong, buttons };
}
