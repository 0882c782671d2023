import type { ReactNode } from "react";

/** A list of labelled values. A value of null or undefined leaves its line out. */
export function LabelledValues({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="labelled-values">
      {rows
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
export function Stats({ figures }: { figures: readonly (readonly [string, ReactNode])[] }) {
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
