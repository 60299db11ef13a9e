// Preact with htm: components are functions, markup is a tagged template, text always becomes text nodes.
import htm from "htm";
import { Fragment, h, render } from "preact";

export const html = htm.bind(h);
export { Fragment, render };
export { createContext } from "preact";
export { useCallback, useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";

export const cx = (...names) => names.filter(Boolean).join(" ");
