/** Text as it is, in its own lines. Where it scrolls, the keyboard scrolls it too. */
export function Raw({ children: text }: { children: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
  return <pre tabIndex={0}>{text}</pre>;
}
