import { Trans } from "@lingui/react";
import { useMutation } from "@tanstack/react-query";
import type { Attachment } from "earnest-client";
import { sha256 } from "viem";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";

/** Computes the SHA-256 of a file. viem does it, because browsers offer `crypto.subtle` only on https pages. */
export async function hashOfFile(file: File): Promise<string> {
  return sha256(new Uint8Array(await file.arrayBuffer()));
}

/** Returns a URL that is safe as a link: http or https, and without a user name, which could pass for the host. */
export function webLinkOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  if (username !== "" || password !== "") return null;
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** Checks whether a file of the reader is one of the attached files, by its hash. */
export function FileChecker({ files }: { files: Attachment[] }) {
  const checking = useMutation({
    mutationFn: async (file: File) => {
      const hash = await hashOfFile(file);
      const match = files.find(({ sha256: named }) => named === hash);
      return { own: file.name, named: match?.name ?? null, hash };
    },
  });
  return (
    <>
      <Field label={i18n.t("Check a file you received")}>
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            onChange={({ target }) => target.files?.[0] && checking.mutate(target.files[0])}
          />
        )}
      </Field>
      {checking.data && (
        <p role="status">
          {checking.data.named === null ? (
            <Trans
              id="{file} matches none of these files. Its hash is {hash}."
              values={{ file: <UserText>{checking.data.own}</UserText>, hash: checking.data.hash }}
            />
          ) : (
            <Trans
              id="{file} matches {named}."
              values={{
                file: <UserText>{checking.data.own}</UserText>,
                named: <UserText>{checking.data.named}</UserText>,
              }}
            />
          )}
        </p>
      )}
      {checking.error && <ProblemNote error={checking.error} />}
    </>
  );
}
