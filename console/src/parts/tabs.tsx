import type { ReactNode } from "react";
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components/Tabs";

/**
 * Tabs of one page. Only the chosen panel is in the page.
 *
 * @param chosen the id of the chosen tab, if the page chooses it
 * @param keepsHiddenPanels whether the other panels stay in the page unseen, as the parts of one form do
 */
export function Tabs({
  label,
  tabs,
  chosen,
  onChoose,
  keepsHiddenPanels = false,
}: {
  label: string;
  tabs: readonly { id: string; title: string; content: ReactNode }[];
  chosen?: string;
  onChoose?: (id: string) => void;
  keepsHiddenPanels?: boolean;
}) {
  return (
    <AriaTabs
      className="tabs"
      {...(chosen === undefined ? {} : { selectedKey: chosen })}
      onSelectionChange={(id) => onChoose?.(String(id))}
    >
      <TabList aria-label={label} items={tabs}>
        {({ id, title }) => <Tab id={id}>{title}</Tab>}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} shouldForceMount={keepsHiddenPanels}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
