// Small remembered choices. A browser that refuses storage just forgets them.
export function remembered(key, fallback = null, storage = "localStorage") {
  try {
    const text = window[storage].getItem(key);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

export function remember(key, value, storage = "localStorage") {
  try {
    if (value === null || value === undefined) window[storage].removeItem(key);
    else window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // nothing to do: private windows and full disks only lose the choice
  }
}
