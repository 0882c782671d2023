import { i18n } from "../text/i18n.ts";
import { CopyButton } from "./copy-button.tsx";
import { Raw } from "./raw-text.tsx";
import { Tabs } from "./tabs.tsx";

/** The same program in several languages, each with a copy button. */
export function CodeTabs({ samples }: { samples: readonly (readonly [title: string, code: string])[] }) {
  return (
    <Tabs
      label={i18n.t("Languages")}
      tabs={samples.map(([title, code]) => ({
        id: title,
        title,
        content: (
          <div className="example">
            <CopyButton text={code} what={title} />
            <Raw>{code}</Raw>
          </div>
        ),
      }))}
    />
  );
}
