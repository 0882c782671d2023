import { type ReactNode, useEffect, useRef } from "react";

let isFirst = true;

/** A page: its title in the window, its heading, which takes the focus when it is come to, and its content. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Earnest`;
  }, [title]);
  useEffect(() => {
    // The page that a browser opens begins at its top by itself.
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}
