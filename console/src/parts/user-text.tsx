import { showHidden } from "../../../protocol/json/text.ts";

/**
 * A user's text within a line of the page. It is isolated, so its direction does not affect the text around it, and hidden
 * characters are shown.
 */
export function UserText({ children: text }: { children: string }) {
  return <bdi className="words">{showHidden(text)}</bdi>;
}

/** A user's text as a block of its own, marked so that it cannot pass for the page's text. */
export function UserProse({ children: text }: { children: string }) {
  return (
    <blockquote className="prose" dir="auto">
      {showHidden(text)}
    </blockquote>
  );
}
