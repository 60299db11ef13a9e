// Line icons on a 24-unit grid; decoration only, the words stand beside them or in aria-label.
import { html } from "../html.js";

const PATHS = {
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l4.5 4.5",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 12.5l4.5 4.5L19 7.5",
  up: "M7 11l4-7c1.500 0 2.500 1 2.500 2.500V10H19a1.500 1.500 0 0 1 1.500 1.800l-1.200 6.700A1.500 1.500 0 0 1 17.800 20H7zM7 11H4v9h3",
  down: "M7 13l4 7c1.500 0 2.500-1 2.500-2.500V14H19a1.500 1.500 0 0 0 1.500-1.800l-1.200-6.700A1.500 1.500 0 0 0 17.800 4H7zM7 13H4V4h3",
  book: "M5 4.500A1.500 1.500 0 0 1 6.500 3H19v15H6.500A1.500 1.500 0 0 0 5 19.500zM5 19.500A1.500 1.500 0 0 0 6.500 21H19M9 7.500h6M9 11h6",
  again: "M20 11a8 8 0 1 0-2.300 6M20 5v6h-6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  person: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.500 20c.8-3.500 3.800-5.500 7.500-5.500s6.700 2 7.500 5.500",
  headset: "M4 14v-2a8 8 0 0 1 16 0v2M4 14h3v5H5a1 1 0 0 1-1-1zM20 14h-3v5h2a1 1 0 0 0 1-1zM18.500 19c0 1.500-1.500 2-4 2",
  chevron: "M9 6l6 6-6 6",
  left: "M15 6l-6 6 6 6",
  arrowdown: "M12 5v14M6 13l6 6 6-6",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1 1M17.400 17.400l1 1M5.600 18.400l1-1M17.400 6.600l1-1",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  screen: "M4 5h16v11H4zM9 20h6M12 16v4",
  globe: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM3.500 12h17M12 3c2.500 2.500 3.500 5.500 3.500 9s-1 6.500-3.500 9c-2.500-2.500-3.500-5.500-3.500-9S9.500 5.500 12 3z",
  shield: "M12 3l7.500 3v5.500c0 4.700-3.200 8-7.500 9.500-4.300-1.500-7.500-4.800-7.500-9.500V6z",
  info: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v5M12 8h.01",
  warning: "M12 4l9 16H3zM12 10v4.500M12 17h.01",
  tool: "M14.500 6.500a4 4 0 0 1 5-1.500l-2.500 2.500.500 2 2 .500L22 7.500M14.500 6.500a4 4 0 0 0 .2 4L5 20.200 3.800 19l9.700-9.700",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10.500 11v5.500M13.500 11v5.500",
  edit: "M5 19l1-4L16.500 4.500l3 3L9 18zM14.500 6.500l3 3",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  external: "M14 4h6v6M20 4l-9 9M18 14v5H5V6h5",
  key: "M15 4a5 5 0 1 1-4.600 7L4 17.500V20h3v-2h2v-2h2l1.500-1.500",
  help: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .8-1 1.700M12 16.500h.01",
  clock: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.500 2",
  scale: "M12 4v16M7 20h10M5 7h14M5 7l-2.500 6h5zM19 7l-2.500 6h5z",
  umbrella: "M12 3v1.500M3.500 13a8.500 8.500 0 0 1 17 0zM12 13v5.500a2 2 0 0 1-4 0",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  plan: "M9 4h6v3H9zM9 5.500H6V20h12V5.500h-3M9 11.500h6M9 15.500h4",
  pause: "M9 6v12M15 6v12",
  chat: "M4 5.500h16v11H10l-4 3.500v-3.500H4z",
  chart: "M4 20h16M7 16v-5M12 16V6M17 16v-8",
  route: "M6 4a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM18 16a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM6 8v6a4 4 0 0 0 4 4h6M8 6h6a4 4 0 0 1 4 4v6",
  falling: "M8 10l4 5 4-5",
  rising: "M8 14l4-5 4 5",
  unsorted: "M9 10l3-3.500 3 3.500M9 14l3 3.500 3-3.500",
  power: "M12 3v8M7 6.500a7.500 7.500 0 1 0 10 0",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
};

export const Icon = ({ name, size = 20 }) => html`<svg class=${name === "more" ? "icon dots" : "icon"} width=${size} height=${size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
  <path d=${PATHS[name]} /></svg>`;

export const IconButton = ({ icon, label, size, ...rest }) =>
  html`<button type="button" class="icon-button" aria-label=${label} title=${label} ...${rest}><${Icon} name=${icon} size=${size} /></button>`;
