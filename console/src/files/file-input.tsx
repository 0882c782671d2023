import { useMutation } from "@tanstack/react-query";
import { ApiError, FileMismatchError, type FileProgress, type FileReference } from "earnest-client";
import { X } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { FileLink } from "./file-link.tsx";
import { isFileReference, sizeText } from "./file-reference.ts";
import { findUpload, forgetUpload, rememberUpload } from "./unfinished-uploads.ts";

/**
 * An input for a file, which is chosen or dropped here. The upload shows its progress, continues through broken connections,
 * and goes on from where it stopped after an error. After a reload of the page, it goes on when the same file is chosen again.
 *
 * @param value the reference to the uploaded file; undefined without one
 */
export function FileInput({
  label,
  help,
  error = null,
  isRequired = false,
  value,
  onChange,
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  isRequired?: boolean;
  value: unknown;
  onChange: (value: FileReference | undefined) => void;
}) {
  const client = useClient();
  const [progress, setProgress] = useState<FileProgress | null>(null);
  const stopper = useRef<AbortController | null>(null);
  const uploading = useMutation({
    mutationFn: async ({ file }: { file: File }) => {
      stopper.current = new AbortController();
      const { signal } = stopper.current;
      const upload = async (known: string | undefined) => {
        const { reference } = await client.files.upload(file, {
          ...(known ? { fileId: known } : {}),
          signal,
          onProgress: (reached) => {
            rememberUpload(file, reached.fileId);
            setProgress(reached);
          },
        });
        forgetUpload(file);
        return reference;
      };
      const known = findUpload(file);
      try {
        return await upload(known);
      } catch (error) {
        if (!known || !isOtherFile(error)) throw error;
        forgetUpload(file);
        return await upload(undefined);
      }
    },
    onSuccess: (reference) => onChange(reference ?? undefined),
  });
  const begin = (file: File | undefined) => {
    if (!file || uploading.isPending) return;
    setProgress(null);
    uploading.mutate({ file });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    begin(event.dataTransfer.files[0]);
  };
  const { variables: chosen, isPending } = uploading;
  const clear = () => {
    uploading.reset();
    setProgress(null);
    onChange(undefined);
  };
  if (isFileReference(value)) {
    return (
      <div className="field">
        <span>{label}</span>
        <span className="copyable">
          <FileLink of={value} />
          <Button size="small" icon={X} aria-label={i18n.t("Remove {name}", { name: label })} onPress={clear}>
            {i18n.t("Remove")}
          </Button>
        </span>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file input inside does the same by keyboard
    <div onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <Field
        label={label}
        help={help ?? i18n.t("Choose a file, or drop it here.")}
        error={error}
        isRequired={isRequired}
      >
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            disabled={isPending}
            onChange={({ target }) => begin(target.files?.[0])}
          />
        )}
      </Field>
      {isPending && chosen && (
        <p className="copyable">
          <progress
            aria-label={i18n.t("Upload progress")}
            value={progress?.bytes ?? 0}
            max={chosen.file.size}
          />
          <span>
            {i18n.t("{sent} of {size}", {
              sent: sizeText(progress?.bytes ?? 0),
              size: sizeText(chosen.file.size),
            })}
          </span>
          <Button size="small" onPress={() => stopper.current?.abort()}>
            {i18n.t("Pause")}
          </Button>
        </p>
      )}
      {uploading.isError && chosen && (
        <>
          {!stopper.current?.signal.aborted && <ProblemNote error={uploading.error} />}
          <div className="buttons">
            <Button size="small" onPress={() => uploading.mutate({ file: chosen.file })}>
              {i18n.t("Continue upload")}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

/** Tells whether an upload that this tab remembers is gone, or belongs to another file. */
function isOtherFile(error: unknown): boolean {
  return error instanceof FileMismatchError || (error instanceof ApiError && error.code === "file_not_found");
}
