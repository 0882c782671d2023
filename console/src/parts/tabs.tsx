import type { ReactNode } from "react";
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components/Tabs";

/** Tabs of one page. Only the chosen panel is in the page. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { id: string; title: string; content: ReactNode }[];
}) {
  return (
    <AriaTabs className="tabs">
      <TabList aria-label={label} items={tabs}>
        {({ id, title }) => <Tab id={id}>{title}</Tab>}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
