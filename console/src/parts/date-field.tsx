import { parseDate } from "@internationalized/date";
import { CalendarDays, ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "react-aria-components/Button";
import { Calendar, CalendarCell, CalendarGrid } from "react-aria-components/Calendar";
import { DateInput, DateSegment } from "react-aria-components/DateField";
import { DatePicker } from "react-aria-components/DatePicker";
import { Dialog } from "react-aria-components/Dialog";
import { FieldError } from "react-aria-components/FieldError";
import { Group } from "react-aria-components/Group";
import { Heading } from "react-aria-components/Heading";
import { Label } from "react-aria-components/Label";
import { Popover } from "react-aria-components/Popover";
import { Text } from "react-aria-components/Text";
import { i18n } from "../text/i18n.ts";
import { isDay } from "./day.ts";

/**
 * A field for a day, typed or picked in a calendar.
 *
 * @param value as in `2026-11-28`; empty for none
 */
export function DateField({
  label,
  help,
  error,
  isRequired = false,
  value,
  onChange,
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  isRequired?: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <DatePicker
      className="field"
      value={isDay(value) ? parseDate(value) : null}
      onChange={(day) => onChange(day?.toString() ?? "")}
      isInvalid={Boolean(error)}
    >
      <Label>
        {label}
        {isRequired && <span className="quiet"> {i18n.t("(required)")}</span>}
      </Label>
      <Group className="date-input">
        <DateInput className="segments">{(segment) => <DateSegment segment={segment} />}</DateInput>
        <Button className="bare icon small">
          <CalendarDays size={16} aria-hidden />
        </Button>
      </Group>
      {help && (
        <Text slot="description" className="quiet">
          {help}
        </Text>
      )}
      <FieldError className="wrong">{error ?? undefined}</FieldError>
      <Popover className="popover">
        <Dialog className="padded">
          <Calendar className="calendar">
            <header>
              <Button slot="previous" className="bare icon">
                <ChevronLeft size={16} aria-hidden />
              </Button>
              <Heading />
              <Button slot="next" className="bare icon">
                <ChevronRight size={16} aria-hidden />
              </Button>
            </header>
            <CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </DatePicker>
  );
}
