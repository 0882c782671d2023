import { lazy, Suspense } from "react";
import { i18n } from "../text/i18n.ts";
import type { PlotProps } from "./chart-data.ts";

// The charts' library weighs more than all other parts together, so it is loaded with the first chart.
const Plot = lazy(() => import("./chart-plot.tsx"));

/**
 * A chart with axes, gridlines and a tooltip, which the pointer and the arrow keys move, and a table of the same figures.
 *
 * @param subject the heading of the first column of the table, such as `Day`
 */
export function Chart({ title, subject, ...plot }: PlotProps & { subject: string }) {
  const { series, points } = plot;
  return (
    <figure className="chart">
      <figcaption className="card-head">
        {title}
        {series.length > 1 && (
          <span className="legend" aria-hidden>
            {series.map((name, at) => (
              <span key={name} data-series={at + 1}>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <Suspense fallback={<div className="plot" />}>
        <Plot title={title} {...plot} />
      </Suspense>
      <details>
        <summary>{i18n.t("Show as table")}</summary>
        <table>
          <caption className="hidden-text">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{subject}</th>
              {series.map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ label, figures }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map((name, at) => (
                  <td key={name} className="number">
                    {figures[at]?.text ?? "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
