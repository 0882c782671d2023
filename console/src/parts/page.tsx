import { type ReactNode, useEffect, useRef } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { i18n } from "../text/i18n.ts";
import { UserText } from "./user-text.tsx";

/** The path of the first page, until the reader leaves it. */
let firstPath: string | null | undefined;

/**
 * A page with its window title, heading and content. The heading takes the focus after a navigation.
 *
 * @param windowTitle the window's title, where it is not the heading; the service writes the same into public pages
 * @param of the name of the page's subject, as a user wrote it
 * @param crumbs links to the pages above, the highest first
 * @param intro one sentence below the heading
 * @param actions the page's main actions, beside the heading
 */
export function Page({
  title,
  windowTitle,
  of,
  crumbs,
  intro,
  actions,
  children,
}: {
  title: string;
  windowTitle?: string;
  of?: string;
  crumbs?: readonly ReactNode[];
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const named = windowTitle ?? (of === undefined ? title : `${title}: ${of}`);
    document.title = `${showHidden(named)} · Earnest`;
  }, [title, windowTitle, of]);
  useEffect(() => {
    // The first page begins at its top without a focus, also when its content replaces its skeleton.
    if (firstPath === undefined) firstPath = location.pathname;
    if (firstPath !== location.pathname) firstPath = null;
    if (firstPath === null) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      {crumbs && (
        <nav aria-label={i18n.t("Breadcrumbs")}>
          <ol className="crumbs">
            {crumbs.map((crumb, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pages above a page never change places
              <li key={at}>{crumb}</li>
            ))}
          </ol>
        </nav>
      )}
      <div className="head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {of === undefined ? (
              title
            ) : (
              <>
                <span className="kind">
                  {title}
                  <span className="hidden-text">{": "}</span>
                </span>
                <UserText>{of}</UserText>
              </>
            )}
          </h1>
          {intro && <p>{intro}</p>}
        </div>
        {actions && <div className="buttons">{actions}</div>}
      </div>
      {children}
    </>
  );
}
