import { useState } from "react";
import { Button } from "../parts/button.tsx";

const place = "earnest.theme";
const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function read(): Theme {
  const kept = localStorage.getItem(place);
  return themes.find((theme) => theme === kept) ?? "system";
}

function show(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

show(read());

/** Goes from the system's look to light to dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState(read);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  return (
    <Button
      className="bare"
      aria-label={`Look: ${theme}. Change to ${next}`}
      onPress={() => {
        localStorage.setItem(place, next);
        show(next);
        setTheme(next);
      }}
    >
      {{ system: "◐", light: "☀", dark: "☾" }[theme]}
    </Button>
  );
}
