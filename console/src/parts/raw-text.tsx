import { showHidden } from "../../../protocol/json/text.ts";

/** Preformatted text with its hidden characters shown. */
export function Raw({ children: text }: { children: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll only a focusable element
  return <pre tabIndex={0}>{showHidden(text)}</pre>;
}
