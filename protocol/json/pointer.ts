/** Writes one step of a JSON pointer (RFC 6901) to the member or item of this name. */
export function pointerTo(name: PropertyKey): string {
  return `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Reads the name in a step of a JSON pointer, which is given without its slash. */
export function nameOfStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
