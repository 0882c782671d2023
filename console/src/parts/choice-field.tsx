import { ChevronsUpDown } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { FieldError } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select, SelectValue } from "react-aria-components/Select";
import { Text } from "react-aria-components/Text";
import { i18n } from "../text/i18n.ts";

/** A field with a list of choices: values with their labels. */
export function ChoiceField<Value extends string>({
  label,
  help,
  error,
  isRequired = false,
  value,
  onChange,
  choices,
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  isRequired?: boolean;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly (readonly [Value, string])[];
}) {
  return (
    <Select
      className="field choice"
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
      isInvalid={Boolean(error)}
    >
      <Label>
        {label}
        {isRequired && <span className="quiet"> {i18n.t("(required)")}</span>}
      </Label>
      <Button>
        <SelectValue />
        <ChevronsUpDown size={14} aria-hidden />
      </Button>
      {help && (
        <Text slot="description" className="quiet">
          {help}
        </Text>
      )}
      <FieldError className="wrong">{error ?? undefined}</FieldError>
      <Popover className="popover">
        <ListBox className="menu" items={choices.map(([id, text]) => ({ id, text }))}>
          {({ id, text }) => (
            <ListBoxItem id={id} textValue={text}>
              {text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
