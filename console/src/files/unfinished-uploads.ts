// The uploads that this tab began and did not end. The same file continues its upload after a reload of the page.

const storageKey = "earnest.uploads";
const mostKept = 20;

type Upload = { file: string; fileId: string };

/** Two files with the same name, size and time count as one. The client compares the hash at the end. */
const keyOf = ({ name, size, lastModified }: File) => JSON.stringify([name, size, lastModified]);

function read(): Upload[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "[]") as Upload[];
  } catch {
    return [];
  }
}

const write = (uploads: Upload[]) =>
  sessionStorage.setItem(storageKey, JSON.stringify(uploads.slice(0, mostKept)));

/** Finds the id of a file's upload; undefined without one. */
export const findUpload = (file: File): string | undefined =>
  read().find((upload) => upload.file === keyOf(file))?.fileId;

export function rememberUpload(file: File, fileId: string): void {
  if (findUpload(file) === fileId) return;
  write([{ file: keyOf(file), fileId }, ...read().filter((upload) => upload.file !== keyOf(file))]);
}

export const forgetUpload = (file: File): void =>
  write(read().filter((upload) => upload.file !== keyOf(file)));
