// What staff do with a proposal: keep it with a customer, and see what changed between two versions.
import { html, signal } from "../../shared/html.js";

export const keeping = signal(false);
export const comparing = signal(false);
export const Keep = () => null;
export const Compare = () => null;
