// Binary bodies, which the hub's API gives in Base64, as hexadecimal digits.

export function bytesOf(base64) {
  // A body that was cut may end within a group of 4 characters.
  const groups = base64.slice(0, base64.length - (base64.length % 4));
  return Uint8Array.from(atob(groups), (each) => each.charCodeAt(0));
}

// Text with control characters, which no text format has, is shown as binary too.
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** The bytes of an event's body if it is binary, else null. */
export function binaryBody(event) {
  if (event.bodyKind === "base64") return bytesOf(event.body);
  return event.bodyKind === "text" && control.test(event.body) ? new TextEncoder().encode(event.body) : null;
}

const twoDigits = (byte) => byte.toString(16).padStart(2, "0");

/** `de ad be ef`. */
export const hex = (bytes) => Array.from(bytes, twoDigits).join(" ");

/** Lines of 16 bytes, or 8 on a phone, with their offset and their ASCII characters; at most `limit` bytes. */
export function dump(bytes, limit) {
  const lines = [];
  const columns = matchMedia("(max-width: 800px)").matches ? 8 : 16;
  for (let start = 0; start < Math.min(bytes.length, limit); start += columns) {
    const part = bytes.subarray(start, Math.min(start + columns, limit));
    const text = Array.from(part, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    const digits = [0, 8].filter((half) => half < columns).map((half) => hex(part.subarray(half, half + 8)).padEnd(23));
    lines.push([start.toString(16).padStart(8, "0"), ...digits, text].join("  "));
  }
  if (bytes.length > limit) lines.push(`… ${bytes.length - limit} more bytes`);
  return lines.join("\n");
}

/** The Base64 of typed digits, with or without spaces. An error if they are not whole bytes. */
export function base64OfHex(text) {
  const compact = text.replace(/\s+/g, "");
  if (!/^([0-9a-fA-F]{2})*$/.test(compact)) throw new Error("A body in hex has two digits for each byte, such as de ad be ef.");
  return btoa((compact.match(/../g) ?? []).map((pair) => String.fromCharCode(parseInt(pair, 16))).join(""));
}
