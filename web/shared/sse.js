// Server-sent events from bytes in any pieces: split UTF-8, CR, LF and CRLF, several data lines, comments, ids.
export class SseParser {
  #decoder = new TextDecoder();
  #rest = "";
  #type = "";
  #data = [];
  #id = "";

  // The events that are whole after these bytes: {type, data (text), id}.
  feed(bytes) {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const found = [];
    for (;;) {
      const end = this.#rest.search(/[\r\n]/);
      // a CR at the very end may be the first half of CRLF
      if (end < 0 || (this.#rest[end] === "\r" && end === this.#rest.length - 1)) return found;
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + (this.#rest[end] === "\r" && this.#rest[end + 1] === "\n" ? 2 : 1));
      const event = this.#take(line);
      if (event) found.push(event);
    }
  }

  #take(line) {
    if (line === "") {
      const event = this.#data.length ? { type: this.#type || "message", data: this.#data.join("\n"), id: this.#id } : null;
      this.#type = "";
      this.#data = [];
      return event;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#type = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    return null;
  }
}

// Events of a response, as they come. Ends when the body ends or stays silent for `silenceMs`; throws when it breaks.
export async function* eventsOf(response, silenceMs) {
  const reader = response.body.getReader();
  const parser = new SseParser();
  try {
    for (;;) {
      const quiet = setTimeout(() => reader.cancel("silent"), silenceMs);
      const { value, done } = await reader.read();
      clearTimeout(quiet);
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
