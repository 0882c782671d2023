/** Downloads a text or bytes as a file. */
export function saveFile(name: string, content: string | Uint8Array, type: string): void {
  // The copy has a buffer of its own, as a blob needs it.
  const part = typeof content === "string" ? content : Uint8Array.from(content);
  const address = URL.createObjectURL(new Blob([part], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the blob after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
