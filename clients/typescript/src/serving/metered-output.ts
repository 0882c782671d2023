/** An output of a metered service, with the units to charge. */
export class MeteredOutput {
  readonly output: object | null;
  readonly units: number;

  constructor(output: object | null, units: number) {
    this.output = output;
    this.units = units;
  }
}

/**
 * Returns an output with the units to charge, for a handler of a metered service.
 *
 * @param units a whole number from 1 to the order's `quantity`
 */
export function metered(output: object | null, units: number): MeteredOutput {
  return new MeteredOutput(output, units);
}
