// Reading a tool's JSON schema: the kind of each argument, and what is wrong with a value before it is sent.
import { t } from "../../../shared/i18n.js";

// {type, enum?, items?, minimum, …} of an argument, without the "or nothing" of an optional one; references resolved.
export function plainOf(schema, root) {
  let found = schema;
  for (let depth = 0; depth < 8; depth += 1) {
    const ref = found.$ref ?? (found.allOf?.length === 1 ? found.allOf[0].$ref : undefined);
    const choices = (found.anyOf ?? found.oneOf)?.filter((choice) => choice.type !== "null");
    if (ref) found = { ...root.$defs?.[ref.split("/").at(-1)], ...without(found, "$ref", "allOf") };
    else if (choices?.length === 1) found = { ...choices[0], ...without(found, "anyOf", "oneOf") };
    else break;
  }
  return found;
}

const without = (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

// text | long | integer | number | yesno | choice | choices | list | date | json
export function kindOf(plain, root) {
  if (plain.enum || plain.const !== undefined) return "choice";
  const items = plain.items && plainOf(plain.items, root);
  if (plain.type === "array" && items?.enum) return "choices";
  if (plain.type === "array" && ["string", "integer", "number"].includes(items?.type)) return "list";
  if (plain.type === "boolean") return "yesno";
  if (plain.type === "integer" || plain.type === "number") return plain.type;
  if (plain.type === "string") return plain.format === "date" ? "date" : (plain.maxLength ?? 0) > 300 ? "long" : "text";
  return "json";
}

export const fieldsOf = (schema) => Object.entries(schema.properties ?? {}).map(([name, raw]) => {
  const plain = plainOf(raw, schema);
  return { name, plain, kind: kindOf(plain, schema), items: plain.items && plainOf(plain.items, schema), required: (schema.required ?? []).includes(name), label: plain.description || plain.title || name };
});

// What stands in the field as the value that the call takes; undefined for nothing. Throws a sentence for what cannot be.
export function valueOf(field, held) {
  if (held === undefined || held === "" || held === null || (Array.isArray(held) && !held.length)) return undefined;
  if (field.kind === "integer" || field.kind === "number") return numberOf(field.plain, held, field.kind);
  if (field.kind === "yesno") return held === "true";
  if (field.kind === "choice") return (field.plain.enum ?? [field.plain.const]).find((item) => String(item) === held);
  if (field.kind === "list") {
    const lines = held.split("\n").map((line) => line.trim()).filter(Boolean);
    return field.items.type === "string" ? lines : lines.map((line) => numberOf(field.items, line, field.items.type));
  }
  if (field.kind === "json") {
    try {
      return JSON.parse(held);
    } catch {
      throw new Error(t("tools.fault.json"));
    }
  }
  if (typeof held === "string") textFits(field.plain, held);
  return held;
}

function numberOf(plain, held, kind) {
  const value = Number(String(held).replaceAll(",", ""));
  if (!Number.isFinite(value)) throw new Error(t("tools.fault.number"));
  if (kind === "integer" && !Number.isInteger(value)) throw new Error(t("tools.fault.integer"));
  if (plain.minimum !== undefined && value < plain.minimum) throw new Error(t("tools.fault.least", { value: plain.minimum }));
  if (plain.maximum !== undefined && value > plain.maximum) throw new Error(t("tools.fault.most", { value: plain.maximum }));
  return value;
}

function textFits(plain, held) {
  if (plain.minLength && held.length < plain.minLength) throw new Error(t("tools.fault.short", { value: plain.minLength }));
  if (plain.maxLength && held.length > plain.maxLength) throw new Error(t("tools.fault.long", { value: plain.maxLength }));
  if (plain.pattern && !matchesPattern(plain.pattern, held)) throw new Error(t("tools.fault.pattern", { pattern: plain.pattern }));
}

// A pattern that this browser cannot read is the server's to judge.
function matchesPattern(pattern, held) {
  try {
    return new RegExp(pattern, "u").test(held);
  } catch {
    return true;
  }
}

// A field's limits in words, e.g. "0 이상 120 이하".
export function limitsOf({ plain, kind, items }) {
  const of = kind === "list" ? items : plain;
  return [
    of.minimum !== undefined && t("tools.least", { value: of.minimum }),
    of.maximum !== undefined && t("tools.most", { value: of.maximum }),
    plain.maxItems !== undefined && t("tools.items", { value: plain.maxItems }),
    plain.default !== undefined && plain.default !== null && t("tools.default", { value: JSON.stringify(plain.default) }),
  ].filter(Boolean).join(" · ");
}
