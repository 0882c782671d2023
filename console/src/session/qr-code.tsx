import { useMemo } from "react";
import { encode } from "uqr";

/** A QR code as an image, dark on light in every theme, because cameras expect it so. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      width={220}
      height={220}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

/** The dark modules as one path, each a square of one unit. */
function draw(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: "M", border: 3 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join("") };
}
