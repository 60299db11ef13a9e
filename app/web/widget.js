// <script src="https://…/widget.js" async></script> puts a button and the chat in a frame on another site's page.
// The frame is of our origin, gets no cookie of a third party and cannot read this page; it may only ask for its height
// and to be closed, and only messages from its origin are heard.
(() => {
  const home = new URL(document.currentScript.src).origin;
  const korean = !(document.documentElement.lang || "ko").startsWith("en");
  const words = korean ? { open: "보험 상담 열기", close: "보험 상담 닫기", frame: "보험 상담 도우미" } : { open: "Open insurance chat", close: "Close insurance chat", frame: "Insurance assistant" };
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; }
    button { position: fixed; right: 20px; bottom: 20px; z-index: 2147483000; width: 56px; height: 56px; border: 0; border-radius: 50%; background: #0b5fad; color: #fff; font: 600 22px/1 system-ui, sans-serif; cursor: pointer; box-shadow: 0 8px 24px #10182840; }
    button:focus-visible { outline: 3px solid #0b5fad; outline-offset: 3px; }
    iframe { position: fixed; right: 20px; bottom: 88px; z-index: 2147483000; width: min(400px, calc(100vw - 24px)); height: min(640px, calc(100dvh - 108px)); border: 1px solid #dde2ea; border-radius: 16px; background: #fff; box-shadow: 0 8px 32px #10182833; }
    iframe[hidden] { display: none; }
    @media (max-width: 480px) { iframe { right: 0; bottom: 0; width: 100vw; height: 100dvh; border: 0; border-radius: 0; } }`);
  root.adoptedStyleSheets = [sheet];
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "?" });
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-label", words.open);
  root.append(button);
  let frame = null;

  function show(open) {
    if (open && !frame) {
      frame = Object.assign(document.createElement("iframe"), { src: `${home}/widget`, title: words.frame });
      frame.setAttribute("allow", "clipboard-write");
      root.append(frame);
    }
    frame.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    button.setAttribute("aria-label", open ? words.close : words.open);
    button.textContent = open ? "×" : "?";
    if (open) frame.focus();
    else button.focus();
  }

  button.addEventListener("click", () => show(!frame || frame.hidden));
  addEventListener("message", (event) => {
    if (event.origin !== home || event.source !== frame?.contentWindow) return;
    const { type, height } = event.data ?? {};
    if (type === "insurance-widget:close") show(false);
    if (type === "insurance-widget:height" && Number.isFinite(height)) frame.style.maxHeight = `${Math.max(320, Math.min(height, 900))}px`;
  });
  document.body.append(host);
})();
