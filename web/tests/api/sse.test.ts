import { expect, test } from "vitest";
import { messages } from "@/api/sse";

async function read(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      controller.close();
    },
  });
  const found: string[] = [];
  for await (const message of messages(bytes)) found.push(message);
  return found;
}

test("messages come out whole, wherever the network cut them", async () => {
  const whole = "event: a\nid: 1\ndata: one\n\n: still here\n\ndata: two\ndata: three\n\n";
  for (let cut = 0; cut <= whole.length; cut += 1) {
    expect(await read(whole.slice(0, cut), whole.slice(cut))).toEqual(["one", "two\nthree"]);
  }
});

test("a letter of several bytes may be cut as well", async () => {
  const bytes = new TextEncoder().encode("data: größe 读\n\n");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await read(bytes.slice(0, cut), bytes.slice(cut))).toEqual(["größe 读"]);
  }
});

test("every kind of line break counts once", async () => {
  const whole = "data: one\r\n\r\ndata: two\r\rdata: three\n\n";
  for (let cut = 0; cut <= whole.length; cut += 1) {
    expect(await read(whole.slice(0, cut), whole.slice(cut))).toEqual(["one", "two", "three"]);
  }
});

test("a message that was not ended is not given out", async () => {
  expect(await read("data: one\n\ndata: tw")).toEqual(["one"]);
});
