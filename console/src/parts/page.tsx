import { type ReactNode, useEffect, useRef } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { UserText } from "./user-text.tsx";

let isFirst = true;

/**
 * A page with its window title, heading and content. The heading takes the focus after a navigation.
 *
 * @param of the name of the page's subject, as a user wrote it
 */
export function Page({ title, of, children }: { title: string; of?: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${of === undefined ? title : `${title}: ${showHidden(of)}`} · Earnest`;
  }, [title, of]);
  useEffect(() => {
    // The first page begins at its top without a focus.
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
