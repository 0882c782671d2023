import { useId } from "react";
import { sumText, type TokenSums } from "./sums.ts";

const height = 120;
const step = 56;

/** Bars of what came in and went out each month, and the same figures, exact, as a table. */
export function MonthChart({ sums }: { sums: TokenSums }) {
  const id = useId();
  const { months, currency } = sums;
  const largest = months.reduce((most, { in: paidIn, out }) => max(most, paidIn, out), 1n);
  const heightOf = (sum: bigint) => Number((sum * BigInt(height)) / largest);
  return (
    <figure className="chart">
      <figcaption>{`${currency} by month (UTC)`}</figcaption>
      <svg
        viewBox={`0 0 ${Math.max(months.length, 12) * step} ${height + 24}`}
        preserveAspectRatio="xMinYMid meet"
        role="img"
        aria-label={`Bars of ${currency} by month; the table below has the same figures`}
        aria-describedby={`${id}-table`}
      >
        {months.map(({ month, in: paidIn, out }, at) => (
          <g key={month} transform={`translate(${at * step} 0)`}>
            <rect className="in" x={6} y={height - heightOf(paidIn)} width={20} height={heightOf(paidIn)} />
            <rect className="out" x={30} y={height - heightOf(out)} width={20} height={heightOf(out)} />
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
        <caption>{`What came in and went out, ${currency}`}</caption>
        <thead>
          <tr>
            <th scope="col">Month</th>
            <th scope="col">In</th>
            <th scope="col">Out</th>
          </tr>
        </thead>
        <tbody>
          {months.map(({ month, in: paidIn, out }) => (
            <tr key={month}>
              <th scope="row">{month}</th>
              <td>{sumText(sums, paidIn)}</td>
              <td>{sumText(sums, out)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

const max = (...values: bigint[]): bigint => values.reduce((most, one) => (one > most ? one : most));
