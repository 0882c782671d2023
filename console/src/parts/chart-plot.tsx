import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  Tooltip,
  type TooltipContentProps,
  XAxis,
  YAxis,
} from "recharts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";
import type { PlotProps, Point } from "./chart-data.ts";

const margin = { top: 8, right: 8, bottom: 0, left: 0 };
const style = { width: "100%", height: "100%" };
/** Pixels of the label of a category, which has two lines at most, and of its axis. */
const [labelWidth, labelHeight] = [64, 40];
const tick = { fill: "var(--quiet)", fontSize: 12 };

/** Draws a chart with recharts. Its colours follow the theme through the tokens. */
export default function Plot({ title, kind, series, points, most }: PlotProps) {
  const Frame = kind === "lines" ? AreaChart : BarChart;
  const isCategories = kind === "categories";
  const hasFractions = points.some(({ figures }) => figures.some((figure) => (figure?.size ?? 0) % 1 !== 0));
  return (
    <div className="plot">
      <Frame
        responsive
        style={style}
        margin={margin}
        data={points as Point[]}
        aria-label={i18n.t("{title}. The arrow keys move between the figures.", { title })}
        barGap={2}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="label"
          stroke="var(--edge)"
          tickLine={false}
          {...(isCategories
            ? { interval: 0, height: labelHeight, tick: { ...tick, width: labelWidth } }
            : { minTickGap: 24, tick })}
        />
        <YAxis
          tick={tick}
          tickLine={false}
          axisLine={false}
          width={48}
          allowDecimals={hasFractions}
          domain={[0, most ?? "auto"]}
          tickFormatter={shortNumber}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={kind === "lines" ? { stroke: "var(--edge)" } : { fill: "var(--hover)" }}
          content={(shown) => <Bubble {...shown} series={series} />}
        />
        {series.map((name, at) => {
          const colour = `var(--chart-${at + 1})`;
          const sizeOf = ({ figures }: Point) => figures[at]?.size ?? null;
          return kind === "lines" ? (
            <Area
              key={name}
              dataKey={sizeOf}
              name={name}
              stroke={colour}
              strokeWidth={2}
              fill={colour}
              fillOpacity={0.08}
              connectNulls
              dot={points.length === 1 && { fill: colour }}
              isAnimationActive={false}
            />
          ) : (
            <Bar
              key={name}
              dataKey={sizeOf}
              name={name}
              fill={colour}
              radius={[3, 3, 0, 0]}
              maxBarSize={36}
              isAnimationActive={false}
            />
          );
        })}
      </Frame>
    </div>
  );
}

const shortNumber = (value: number): string =>
  new Intl.NumberFormat(locale(), { notation: "compact", maximumFractionDigits: 2 }).format(value);

/** The tooltip: the exact figures at one place. */
function Bubble({
  active,
  payload,
  series,
}: Pick<TooltipContentProps, "active" | "payload"> & { series: readonly string[] }) {
  const point = payload[0]?.payload as Point | undefined;
  if (!active || !point) return null;
  return (
    <div className="popover chart-tip" role="status">
      <strong>{point.label}</strong>
      {series.map((name, at) => (
        <span key={name} data-series={at + 1}>
          {series.length > 1 && `${name} `}
          <b className="money">{point.figures[at]?.text ?? "–"}</b>
        </span>
      ))}
    </div>
  );
}
