// Finding Korean text the way people type it: without spaces, and by first consonants (ㅂㅎㄹ finds 보험료).
const FIRST = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";

const plain = (text) => text.normalize("NFC").toLowerCase().replace(/\s+/g, "");

export const firstConsonants = (text) =>
  [...plain(text)].map((char) => {
    const index = char.charCodeAt(0) - 0xac00;
    return index >= 0 && index < 11172 ? FIRST[Math.floor(index / 588)] : char;
  }).join("");

export function matches(text, query) {
  const wanted = plain(query);
  if (!wanted) return true;
  if (plain(text).includes(wanted)) return true;
  return [...wanted].every((char) => FIRST.includes(char)) && firstConsonants(text).includes(wanted);
}
