import { useId } from "react";
import type { TokenMonths } from "./monthly-sums.ts";

const height = 120;
const step = 56;

/** A bar chart of the money in and out each month, and a table of the same exact figures. */
export function MonthChart({ of: { months, currency } }: { of: TokenMonths }) {
  const id = useId();
  const largest = months
    .flatMap(({ received_base_units, paid_base_units }) => [received_base_units, paid_base_units])
    .map(BigInt)
    .reduce((most, each) => (each > most ? each : most), 1n);
  const heightOf = (baseUnits: string) => Number((BigInt(baseUnits) * BigInt(height)) / largest);
  return (
    <figure className="chart">
      <figcaption>{`${currency} by month (UTC)`}</figcaption>
      <svg
        viewBox={`0 0 ${Math.max(months.length, 12) * step} ${height + 24}`}
        preserveAspectRatio="xMinYMid meet"
        role="img"
        aria-label={`Bar chart of ${currency} by month. The table below has the same figures.`}
        aria-describedby={`${id}-table`}
      >
        {months.map(({ month, received_base_units, paid_base_units }, at) => (
          <g key={month} transform={`translate(${at * step} 0)`}>
            <Bar className="in" x={6} height={heightOf(received_base_units)} />
            <Bar className="out" x={30} height={heightOf(paid_base_units)} />
            <text x={step / 2} y={height + 16} textAnchor="middle">
              {month}
            </text>
          </g>
        ))}
      </svg>
      <p className="legend" aria-hidden="true">
        <span className="in">In</span> <span className="out">Out</span>
      </p>
      <table id={`${id}-table`}>
        <caption>{`Money in and out (${currency})`}</caption>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
          </tr>
        </thead>
        <tbody>
          {months.map(({ month, received, paid }) => (
            <tr key={month}>
              <th scope="row">{month}</th>
              <td>{`${received} ${currency}`}</td>
              <td>{`${paid} ${currency}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

const Bar = ({ className, x, height: of }: { className: string; x: number; height: number }) => (
  <rect className={className} x={x} y={height - of} width={20} height={of} />
);
