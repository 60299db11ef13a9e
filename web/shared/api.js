// Calls of our own server. A refusal is thrown as a Problem that holds what RFC 9457 says; a lost connection as one too.
import { boot, visitorHeaders } from "./boot.js";

export class Problem extends Error {
  constructor({ status = 0, type = "offline", title = "", detail = "", request_id = null, errors = [], retryAfter = null }) {
    super(detail || title);
    Object.assign(this, { status, type, title, detail, requestId: request_id, errors, retryAfter });
  }
}

// The token that a logged-in page repeats with every unsafe call; empty for visitors and in local mode.
export const csrfHeaders = () => (boot.csrf ? { "X-CSRF-Token": boot.csrf } : {});

// One response of the server. Raises Problem; `signal` aborts as fetch does.
export async function send(method, path, body, { headers = {}, signal } = {}) {
  const isForm = body instanceof FormData;
  let response;
  try {
    response = await fetch(path, {
      method, signal, credentials: "same-origin",
      headers: { ...visitorHeaders, ...(method !== "GET" && csrfHeaders()), ...(body !== undefined && !isForm && { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
    });
  } catch (fault) {
    if (fault.name === "AbortError") throw fault;
    throw new Problem({});
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export async function problemOf(response) {
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  try {
    return new Problem({ ...(await response.json()), status: response.status, retryAfter });
  } catch {
    return new Problem({ status: response.status, type: "http", title: response.statusText, retryAfter });
  }
}

export const call = async (method, path, body, options) => (await send(method, path, body, options)).json();
export const get = (path, options) => call("GET", path, undefined, options);

// "/api/x" and {a: 1, b: null} → "/api/x?a=1"
export function withQuery(path, values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value != null && value !== ""));
  return query.size ? `${path}?${query}` : path;
}

// Saves text as a file of that name.
export function download(name, text, type = "text/plain") {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type: type.includes("charset") ? type : `${type};charset=utf-8` })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
