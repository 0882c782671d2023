import { Download } from "lucide-react";
import { showHidden } from "../../../protocol/json/text.ts";
import { FileLink } from "../files/file-link.tsx";
import { isFileReference } from "../files/file-reference.ts";
import { labelOf } from "../form/schema-input.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { saveFile } from "../parts/save-file.ts";
import { UserText } from "../parts/user-text.tsx";
import { ReportButton } from "../reports/report-button.tsx";
import { i18n } from "../text/i18n.ts";

/** The most rows of a payload or a list in it. More would stall the page, so they are shown as JSON. */
const mostRows = 100;

/**
 * The input or the output of an order, with its download as JSON.
 *
 * @param value null if the party gave none; undefined if it is not there yet, which shows nothing
 * @param isTheirs whether another party gave it, whose files can be reported
 */
export function Payload({
  title,
  value,
  isTheirs = false,
}: {
  title: string;
  value: Record<string, unknown> | null | undefined;
  isTheirs?: boolean;
}) {
  if (value === undefined) return null;
  return (
    <section className="card" aria-label={title}>
      <div className="card-head">
        <h2>{title}</h2>
        <PayloadTools title={title} value={value} />
      </div>
      <PayloadValue of={value} isTheirs={isTheirs} />
    </section>
  );
}

type PayloadObject = Record<string, unknown> | null;

/** The buttons that copy and download a payload; none for null. */
export function PayloadTools({ title, value }: { title: string; value: PayloadObject }) {
  if (value === null) return null;
  const text = JSON.stringify(value, null, 2);
  return (
    <span className="copyable">
      <CopyButton text={text} what={title} />
      <Button
        variant="bare"
        size="small"
        icon={Download}
        onPress={() => saveFile(`${title.toLowerCase()}.json`, text, "application/json")}
      >
        {i18n.t("Download")}
      </Button>
    </span>
  );
}

/** The members of a payload. */
export function PayloadValue({ of: value, isTheirs = false }: { of: PayloadObject; isTheirs?: boolean }) {
  if (value === null) return <p className="quiet">{i18n.t("None.")}</p>;
  if (Object.keys(value).length > mostRows) return <Raw>{JSON.stringify(value, null, 2)}</Raw>;
  return (
    <dl className="labelled-values theirs">
      {Object.entries(value).map(([name, member]) => (
        <div key={name}>
          <dt>
            <span title={showHidden(name)}>
              <UserText>{labelOf({}, name)}</UserText>
            </span>
          </dt>
          <dd>
            <Member of={member} isTheirs={isTheirs} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Member({ of: member, isTheirs }: { of: unknown; isTheirs: boolean }) {
  if (isFileReference(member)) {
    return (
      <>
        <FileLink of={member} />
        {isTheirs && <ReportButton kind="file" id={member.file_id} of={showHidden(member.name)} />}
      </>
    );
  }
  const isList = Array.isArray(member) && member.length > 0 && member.length <= mostRows;
  if (isList && member.every((each) => !(each instanceof Object) || isFileReference(each))) {
    return (
      <ul>
        {member.map((each, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item has no identity but its index
          <li key={at}>
            <Member of={each} isTheirs={isTheirs} />
          </li>
        ))}
      </ul>
    );
  }
  if (member instanceof Object) return <Raw>{JSON.stringify(member, null, 2)}</Raw>;
  if (typeof member === "boolean") return member ? i18n.t("Yes") : i18n.t("No");
  return <UserText>{String(member)}</UserText>;
}
