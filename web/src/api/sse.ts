// Server-sent events: bytes in, the data of each message out. Type and id stand in our data too.

/** The longest message. A stream that never ends one would fill the memory. */
const LONGEST = 16 * 1024 * 1024;

export async function* messages(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = bytes.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A message that was not ended by an empty line is not whole, and is dropped.
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      if (rest.length > LONGEST) throw new Error("a message is too long");
      // A carriage return at the very end may be half of a line break.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) {
          data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
