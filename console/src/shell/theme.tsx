import { useState } from "react";
import { Button } from "../parts/button.tsx";

const storageKey = "earnest.theme";
const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function read(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

show(read());

const label = (theme: Theme): string => theme.charAt(0).toUpperCase() + theme.slice(1);

/** Cycles through the themes: system, light, dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState(read);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  return (
    <Button
      className="bare"
      aria-label={`Theme: ${label(theme)}. Change to ${label(next)}`}
      onPress={() => {
        localStorage.setItem(storageKey, next);
        show(next);
        setTheme(next);
      }}
    >
      {{ system: "◐", light: "☀", dark: "☾" }[theme]}
    </Button>
  );
}
