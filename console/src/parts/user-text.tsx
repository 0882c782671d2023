import { showHidden } from "../../../protocol/json/text.ts";

/**
 * UserText that another party wrote, within a line of the page's own: they turn no text around them, and what hides in them is
 * shown.
 */
export function UserText({ children: text }: { children: string }) {
  return <bdi className="words">{showHidden(text)}</bdi>;
}

/** The same in lines of their own, set apart so that none passes for the page's own. */
export function UserProse({ children: text }: { children: string }) {
  return (
    <blockquote className="prose" dir="auto">
      {showHidden(text)}
    </blockquote>
  );
}
