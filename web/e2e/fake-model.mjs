// A fake model server: it speaks the protocol over real HTTP and says what it was told to.
import { createServer } from "node:http";

export class FakeModel {
  /** What it was shown, conversation by conversation. */
  asked = [];

  /**
   * A turn is a list of calls `[{tool, args}]`, with `{says}` among them for words beside the calls; a text; or one that is
   * spoken until somebody has heard of it: `{counts: Promise, rest}` counts aloud until the promise is kept, and then says the
   * rest. The same turns are said in every conversation; or those of its input, where `turns` is no list but names inputs.
   */
  static start(turns) {
    const model = new FakeModel();
    model.turns = turns;
    model.server = createServer((request, response) => model.#answer(request, response));
    return new Promise((done) =>
      model.server.listen(0, "127.0.0.1", () => {
        model.base = `http://127.0.0.1:${model.server.address().port}/v1`;
        done(model);
      }),
    );
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** All that the last conversation holds. */
  last() {
    return JSON.stringify(this.asked.at(-1) ?? {});
  }

  #turns({ messages }) {
    if (Array.isArray(this.turns)) return this.turns;
    const input = messages.find(({ role }) => role === "user")?.content;
    return this.turns[typeof input === "string" ? input : input?.[0]?.text] ?? [];
  }

  async #answer(request, response) {
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    this.asked.push(body);
    const turn = body.messages.filter(({ role }) => role === "assistant").length;
    const said = this.#turns(body)[turn] ?? "done";
    const say = (piece) => response.write(`data: ${JSON.stringify(piece)}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (Array.isArray(said)) {
      for (const { says } of said) if (says) say({ choices: [{ index: 0, delta: { content: says } }] });
      const calls = said.filter(({ tool }) => tool !== undefined);
      calls.forEach(({ tool, args }, index) => {
        const call = { index, id: `c${turn}-${index}`, type: "function" };
        const named = { ...call, function: { name: tool, arguments: JSON.stringify(args) } };
        say({ choices: [{ index: 0, delta: { tool_calls: [named] } }] });
      });
      say({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
    } else {
      const { counts, rest } = typeof said === "string" ? { rest: said } : said;
      for await (const content of counts ? counted(counts) : []) say({ choices: [{ index: 0, delta: { content } }] });
      say({ choices: [{ index: 0, delta: { content: rest } }] });
      say({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    }
    say({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } });
    response.end("data: [DONE]\n\n");
  }
}

async function* counted(heard) {
  let over = false;
  heard.then(() => {
    over = true;
  });
  for (let number = 1; !over; number += 1) {
    yield `${number}, `;
    await new Promise((later) => setTimeout(later, 40));
  }
}
