// Personal numbers that must not be sent: found by form and check digit, masked before anything leaves the page.
const FORMS = [
  // 주민등록번호, 외국인등록번호
  { kind: "rrn", form: /(?<!\d)(\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))([-\s]?)([1-8])\d{6}(?!\d)/g, mask: (_, birth, dash, sex) => `${birth}${dash || "-"}${sex}******` },
  { kind: "card", form: /(?<!\d)(\d{4})[-\s]?(\d{4})[-\s]?(\d{4})[-\s]?(\d{3,4})(?!\d)/g, holds: (found) => luhn(found[0].replace(/\D/g, "")), mask: (_, first, __, ___, last) => `${first}-****-****-${last}` },
  { kind: "account", form: /((?:계좌|통장|입금|은행|account)[^\d\n]{0,14})(\d{2,6}-\d{2,6}-\d{2,8}(?:-\d{1,4})?|\d{10,14})(?!\d)/gi, mask: (_, words, number) => words + number.replace(/\d(?=.{3})/g, "*") },
];

export function personalKinds(text) {
  return FORMS.filter(({ form, holds }) => [...text.matchAll(form)].some((found) => !holds || holds(found))).map(({ kind }) => kind);
}

export function masked(text) {
  return FORMS.reduce((so, { form, holds, mask }) => so.replace(form, (...found) => (holds && !holds(found) ? found[0] : mask(...found))), text);
}

function luhn(digits) {
  let sum = 0;
  [...digits].reverse().forEach((digit, index) => {
    const value = Number(digit) * (index % 2 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  });
  return sum % 10 === 0;
}
