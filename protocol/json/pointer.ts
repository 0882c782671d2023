/** One step of a JSON pointer (RFC 6901), to the member or the item of this name. */
export function pointerTo(name: PropertyKey): string {
  return `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The name that a step of a JSON pointer stands for, without the slash before it. */
export function nameOfStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
