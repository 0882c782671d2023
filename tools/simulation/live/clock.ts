// Shifts the clock of a program that loads this module first: `--import clock.ts?shift=<milliseconds>`.

const shift = Number(new URL(import.meta.url).searchParams.get("shift"));
const now = () => shift + Math.trunc(performance.timeOrigin + performance.now());

globalThis.Date = new Proxy(Date, {
  construct: (Real, args: unknown[], target) =>
    Reflect.construct(Real, args.length === 0 ? [now()] : args, target),
  get: (Real, key, receiver) => (key === "now" ? now : Reflect.get(Real, key, receiver)),
});
