import type { ReactNode } from "react";
import type { useDraftForm } from "./draft-form.ts";
import type { ServiceDraft } from "./service-draft.ts";

export type SchemaName = "input_schema" | "output_schema";

export type ServiceFormApi = ReturnType<typeof useDraftForm<ServiceDraft>> & {
  /** Notes whether the text of a schema has faults. */
  markSchema: Record<SchemaName, (isBad: boolean) => void>;
};

type TextName = Exclude<keyof ServiceDraft, "tags" | "pricing_model" | "interval" | "accepts" | "stages">;

/** Shows one text field of the draft. */
export type DraftField = (
  name: TextName,
  label: string,
  more?: {
    help?: string;
    isLong?: boolean;
    inputMode?: "numeric" | "decimal" | "url";
    most?: number;
    isRequired?: boolean;
  },
) => ReactNode;
