// Formats numbers, sizes and times.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export const number = (value) => whole.format(value);

export function size(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const rate = (perSecond) => `${perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : number(perSecond)}/s`;

/** The time of day. */
export const clock = (at) => new Date(at).toLocaleTimeString("en-GB");

export function time(iso) {
  if (!iso) return "–";
  const at = new Date(iso);
  const exact = `${clock(at)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
  return at.toDateString() === new Date().toDateString() ? exact : `${at.toLocaleDateString("en-CA")} ${exact}`;
}

// Indents a JSON body; other text is unchanged.
export function body(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
