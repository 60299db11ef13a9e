// The parts of the menu behind the person that every page offers: who is here, and how the page looks.
import { boot } from "../boot.js";
import { lang, setLanguage, t } from "../i18n.js";
import { setTheme, theme, THEMES } from "../theme.js";
import { loginOpen, logOut } from "./login.js";

export function accountItems() {
  const local = boot.way === "local";
  return [
    { heading: local ? t("role.local") : t(`role.${boot.role}`) },
    boot.way === "session" ? { label: t("logout"), icon: "key", run: logOut } : !local && !boot.embedded && { label: t("login"), icon: "key", leaves: true, run: () => (loginOpen.value = true) },
  ];
}

export const appearanceItems = () => [
  { heading: t("theme") },
  ...THEMES.map((name) => ({ label: t(`theme.${name}`), checked: theme.value === name, run: () => setTheme(name) })),
  "-",
  { heading: t("language") },
  { label: "한국어", checked: lang === "ko", run: () => setLanguage("ko") },
  { label: "English", checked: lang === "en", run: () => setLanguage("en") },
];
