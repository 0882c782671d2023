import type { ReactNode } from "react";

/** A list of labelled values. A value of null or undefined leaves its line out. */
export function Facts({ of: facts }: { of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Figures side by side, each with its label. */
export function Stats({ of: figures }: { of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid">
      {figures.map(([label, value]) => (
        <div key={label} className="card stat">
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
