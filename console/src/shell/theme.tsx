import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { i18n } from "../text/i18n.ts";

const storageKey = "earnest.theme";
const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function read(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

applyTheme(read());

const labelOf = (theme: Theme): string =>
  ({ system: i18n.t("System"), light: i18n.t("Light"), dark: i18n.t("Dark") })[theme];

/** Cycles through the themes: system, light, dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState(read);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  return (
    <Button
      variant="bare"
      icon={{ system: Monitor, light: Sun, dark: Moon }[theme]}
      aria-label={i18n.t("Theme: {theme}. Change to {next}", { theme: labelOf(theme), next: labelOf(next) })}
      onPress={() => {
        localStorage.setItem(storageKey, next);
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}
