import { showHidden } from "../../../protocol/json/text.ts";

/** Text as it is, in its own lines, with what hides in it shown. Where it scrolls, the keyboard scrolls it too. */
export function Raw({ children: text }: { children: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
  return <pre tabIndex={0}>{showHidden(text)}</pre>;
}
