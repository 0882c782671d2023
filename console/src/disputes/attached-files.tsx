import { useMutation } from "@tanstack/react-query";
import type { Attachment } from "earnest-client";
import { sha256 } from "viem";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { UserText } from "../parts/user-text.tsx";

/** The SHA-256 of a file's bytes. Not by the browser's own function: it is missing from pages without https. */
export async function hashOfFile(file: File): Promise<string> {
  return sha256(new Uint8Array(await file.arrayBuffer()));
}

/** An address that a browser may open from a page; nothing where it is none, or where a name before its host misleads. */
export function webLinkOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { protocol, href, username, password } = new URL(url);
  if (username !== "" || password !== "") return null;
  return protocol === "https:" || protocol === "http:" ? href : null;
}

/** Tells of a file that a reader has whether it is one of those that were named. */
export function FileChecker({ files }: { files: Attachment[] }) {
  const checking = useMutation({
    mutationFn: async (file: File) => {
      const hash = await hashOfFile(file);
      const found = files.find(({ sha256: named }) => named === hash);
      return { own: file.name, named: found?.name ?? null, hash };
    },
  });
  return (
    <>
      <Field label="Check a file that you got">
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
          <UserText>{checking.data.own}</UserText>
          {checking.data.named === null ? (
            ` is none of these files: its hash is ${checking.data.hash}.`
          ) : (
            <>
              {" is the file that was named "}
              <UserText>{checking.data.named}</UserText>.
            </>
          )}
        </p>
      )}
      {checking.error && <ProblemNote error={checking.error} />}
    </>
  );
}
