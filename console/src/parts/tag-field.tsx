import { X } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { Tag, TagGroup, TagList } from "react-aria-components/TagGroup";
import { Text } from "react-aria-components/Text";
import { showHidden } from "../../../protocol/json/text.ts";
import { i18n } from "../text/i18n.ts";
import { Field } from "./field.tsx";

/** A field for words of the user. A comma, the Enter key, or leaving the field adds a word. */
export function TagField({
  label,
  help,
  error,
  value,
  onChange,
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  value: readonly string[];
  onChange: (value: string[]) => void;
}) {
  const [text, setText] = useState("");
  const add = (typed: string) => {
    const words = typed.split(/[,\n]/).map((word) => word.trim());
    const added = [...new Set(words)].filter((word) => word !== "" && !value.includes(word));
    if (added.length > 0) onChange([...value, ...added]);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && text.trim() !== "") {
      event.preventDefault();
      add(text);
    }
    if (event.key === "Backspace" && text === "") onChange(value.slice(0, -1));
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData("text");
    if (!/[,\n]/.test(pasted)) return;
    event.preventDefault();
    add(text + pasted);
  };
  return (
    <Field label={label} help={help} error={error}>
      {(wiring) => (
        <div className="tag-input">
          {value.length > 0 && (
            <TagGroup
              aria-label={i18n.t("{label}: added", { label })}
              onRemove={(keys) => onChange(value.filter((word) => !keys.has(word)))}
            >
              <TagList className="tags" items={value.map((id) => ({ id }))}>
                {({ id }) => (
                  <Tag className="tag" textValue={id}>
                    <bdi>{showHidden(id)}</bdi>
                    <Button slot="remove" className="bare icon tiny">
                      <X size={12} aria-hidden />
                    </Button>
                  </Tag>
                )}
              </TagList>
            </TagGroup>
          )}
          <input
            {...wiring}
            value={text}
            onChange={({ target }) =>
              target.value.includes(",") ? add(target.value) : setText(target.value)
            }
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => add(text)}
          />
        </div>
      )}
    </Field>
  );
}

/** A field for any number of given words, each with its label. */
export function ManyChoiceField({
  label,
  help,
  error,
  value,
  onChange,
  choices,
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  value: readonly string[];
  onChange: (value: string[]) => void;
  choices: readonly (readonly [string, string])[];
}) {
  return (
    <TagGroup
      className="field"
      selectionMode="multiple"
      selectedKeys={value}
      onSelectionChange={(keys) =>
        onChange(keys === "all" ? choices.map(([id]) => id) : [...keys].map(String))
      }
    >
      <Label>{label}</Label>
      <TagList className="tags" items={choices.map(([id, text]) => ({ id, text }))}>
        {({ text }) => (
          <Tag className="tag" textValue={text}>
            {text}
          </Tag>
        )}
      </TagList>
      {help && (
        <Text slot="description" className="quiet">
          {help}
        </Text>
      )}
      {error && (
        <Text slot="errorMessage" className="wrong">
          {error}
        </Text>
      )}
    </TagGroup>
  );
}
