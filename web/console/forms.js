// The small parts of the console's forms.
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";

export { Field } from "../shared/ui/field.js";

// A choice of a few, all of them to be seen.
export const Segments = ({ label, name, options, chosen, onChoose }) => html`<fieldset class="segments small"><legend class="visually-hidden">${label}</legend>
  ${options.map((option) => html`<label key=${option.id}><input type="radio" name=${name} checked=${option.id === chosen} onchange=${() => onChoose(option.id)} /><span>${option.label}</span></label>`)}</fieldset>`;

// A filter that is on or off.
export const Filter = ({ on, onToggle, children }) => html`<button type="button" class="filter" aria-pressed=${String(!!on)} onclick=${() => onToggle(!on)}>${children}</button>`;

// A select of one value; "" stands for all.
export const Select = ({ label, value, options, all, onChange }) => html`<label class="field">${label}<select value=${value ?? ""} onchange=${(event) => onChange(event.target.value || null)}>
  ${all && html`<option value="">${all}</option>`}${options.map((option) => html`<option key=${option.id} value=${option.id} selected=${option.id === value}>${option.label}</option>`)}</select></label>`;

export const requiredFault = (value) => (value?.trim() ? null : t("required"));
