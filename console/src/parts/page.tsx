import { type ReactNode, useEffect, useRef } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { UserText } from "./user-text.tsx";

let isFirst = true;

/**
 * A page: its title in the window, its heading, which takes the focus when it is come to, and its content.
 *
 * @param of what another party calls the thing that the page is about
 */
export function Page({ title, of, children }: { title: string; of?: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${of === undefined ? title : `${title}: ${showHidden(of)}`} · Earnest`;
  }, [title, of]);
  useEffect(() => {
    // The page that a browser opens begins at its top by itself.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
        {of !== undefined && (
          <>
            {": "}
            <UserText>{of}</UserText>
          </>
        )}
      </h1>
      {children}
    </>
  );
}
